package rows

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// TestVarintsAtOnce reads numbers of all lengths, whole and cut short, with other bytes behind them, and what is too
// long for a number.
func TestVarintsAtOnce(t *testing.T) {
	check := func(p []byte) {
		t.Helper()
		want, length := binary.Uvarint(p)
		if length <= 0 {
			want, length = 0, -1
		}
		if got, n := longUvarint(p); got != want || n != length {
			t.Errorf("% x is read as %d in %d bytes, want %d in %d", p, got, n, want, length)
		}
		if n := varintLength(p); n != length && length > 0 {
			t.Errorf("% x is %d bytes, want %d", p, n, length)
		}
	}
	for n := range 64 {
		for _, w := range []uint64{1 << n, 1<<n - 1, 0x9e3779b97f4a7c15 >> n} {
			whole := binary.AppendUvarint(nil, w)
			for _, behind := range []string{"", "\x00", "\xff\xff\xff\xff\xff\xff\xff\xff\xff", "12345678"} {
				check(append(bytes.Clone(whole), behind...))
			}
			for i := range whole {
				check(whole[:i])
			}
		}
	}
	for n := range 13 {
		check(bytes.Repeat([]byte{0xff}, n))
		check(append(bytes.Repeat([]byte{0x80}, n), 2))
	}
}

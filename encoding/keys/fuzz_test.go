package keys

import (
	"math/rand/v2"
	"strings"
	"testing"

	"zproxy/encoding/ordered"
	"zproxy/internal/testseed"
	"zproxy/internal/valuetest"
	"zproxy/types"
)

func newRand(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(testseed.Of(t), 0))
}

func FuzzFormat(f *testing.F) {
	r, keyTypes := newRand(f), valuetest.Types()
	for i, typ := range keyTypes {
		f.Add(ordered.Append(ordered.Append(nil, valuetest.Random(r, typ), i%2 == 0), types.NewText("a\x00"), false),
			byte(i), i%2 == 0)
	}
	f.Add([]byte{0x23, 0, 0, 0, 0, 0xff}, byte(6), false)
	f.Add([]byte{0x18, 1}, byte(1), false)
	f.Fuzz(func(t *testing.T, key []byte, which byte, desc bool) {
		typ := keyTypes[int(which)%len(keyTypes)]
		v, rest, err := ordered.Decode(key, typ, desc)
		if err == nil && len(rest) == len(key) {
			t.Errorf("%x is read as a %s of no bytes", key, typ)
		}
		if err == nil && !v.IsNull() && v.Kind() != typ.Kind() {
			t.Errorf("%x is read as kind %d for a %s", key, v.Kind(), typ)
		}
		if shown := Format(key, []types.T{typ, types.Text}, []bool{desc, false}); len(key) > 0 &&
			!strings.HasPrefix(shown, "/") {
			t.Errorf("%x is shown as %s", key, shown)
		}
	})
}

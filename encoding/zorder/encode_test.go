package zorder

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"
)

// signed is the table of the one-byte two's complement numbers: each, and its
// code with the first bit flipped.
var signed = []struct {
	v    int64
	code byte
}{
	{0, 128}, {1, 129}, {2, 130}, {126, 254}, {127, 255}, {-128, 0}, {-127, 1}, {-126, 2}, {-2, 126}, {-1, 127},
}

func TestInt(t *testing.T) {
	for _, tc := range signed {
		if got := Int(nil, tc.v, 1); !bytes.Equal(got, []byte{tc.code}) {
			t.Errorf("%d: %d, want %d", tc.v, got, tc.code)
		}
	}
	if got := Int(nil, -2, 4); !bytes.Equal(got, []byte{0x7f, 0xff, 0xff, 0xfe}) {
		t.Errorf("-2 in four bytes: %x", got)
	}
	if low, high := Int(nil, -1000, 1), Int(nil, 1000, 1); low[0] != 0 || high[0] != 255 {
		t.Errorf("numbers that do not fit: %d, %d", low, high)
	}
}

// Why numbers are not stored as they are: the bytes of the table above stand in
// its order, which is not that of the numbers.
func TestRawNumbersAreOutOfOrder(t *testing.T) {
	var raw []byte
	var numbers []int64
	for _, tc := range signed {
		raw, numbers = append(raw, byte(tc.v)), append(numbers, tc.v)
	}
	if !slices.IsSorted(raw) || slices.IsSorted(numbers) {
		t.Errorf("bytes %d, numbers %d", raw, numbers)
	}
	raw = raw[:0]
	for _, v := range []float64{0, 1, 2, -1, -2} { // sign and magnitude
		raw = append(raw, byte(math.Abs(v))|byte(math.Float64bits(v)>>63)<<7)
	}
	if !slices.IsSorted(raw) {
		t.Errorf("bytes %d are in order", raw)
	}
}

func TestUint(t *testing.T) {
	for _, tc := range []struct {
		v     uint64
		bytes int
		want  string
	}{
		{0, 1, "\x00"}, {255, 1, "\xff"}, {256, 1, "\xff"}, {258, 2, "\x01\x02"},
		{1469566800000, 8, "\x00\x00\x01\x56\x29\x01\xd0\x80"}, {math.MaxUint64, 8, "\xff\xff\xff\xff\xff\xff\xff\xff"},
	} {
		if got := Uint(nil, tc.v, tc.bytes); string(got) != tc.want {
			t.Errorf("%d in %d bytes: %x, want %x", tc.v, tc.bytes, got, tc.want)
		}
	}
}

// The smallest floats have the bits 0, 1, 2 behind their sign, so their codes
// are those of sign and magnitude in the last byte: 0 128, 1 129, 2 130, -2 125,
// -1 126, with the 128 standing for the sign bit.
func TestFloat(t *testing.T) {
	for _, tc := range []struct {
		v    int64
		code uint64
	}{{0, 128}, {1, 129}, {2, 130}, {-2, 125}, {-1, 126}} {
		sign, magnitude := uint64(0), uint64(max(tc.v, -tc.v))
		if tc.v < 0 {
			sign = 1
		}
		want64 := Align(nil, 1<<63-128+tc.code, 64)
		if got := Float64(nil, math.Float64frombits(sign<<63|magnitude)); !bytes.Equal(got, want64) {
			t.Errorf("%d units: %x, want %x", tc.v, got, want64)
		}
		want32 := Align(nil, 1<<31-128+tc.code, 32)
		if got := Float32(nil, math.Float32frombits(uint32(sign<<31|magnitude))); !bytes.Equal(got, want32) {
			t.Errorf("%d units: %x, want %x", tc.v, got, want32)
		}
	}
}

func TestFloatZeroAndNaN(t *testing.T) {
	zero, nan := math.Copysign(0, -1), math.Float64frombits(0xfff0_0000_0000_0001)
	if !bytes.Equal(Float64(nil, zero), Float64(nil, 0)) || !bytes.Equal(Float32(nil, float32(zero)), Float32(nil, 0)) {
		t.Error("the zeros differ")
	}
	if !bytes.Equal(Float64(nil, nan), Float64(nil, math.NaN())) ||
		!bytes.Equal(Float32(nil, float32(nan)), Float32(nil, float32(math.NaN()))) {
		t.Error("the NaNs differ")
	}
	ordered := []float64{math.Inf(-1), -math.MaxFloat32, -1.5, -1, 0, 1, 1.5, math.MaxFloat32, math.Inf(1), math.NaN()}
	checkOrder(t, ordered, func(v float64) []byte { return Float64(nil, v) })
	checkOrder(t, ordered, func(v float64) []byte { return Float32(nil, float32(v)) })
}

// checkOrder reports neighbours whose codes are not in strict order.
func checkOrder[T any](t *testing.T, ordered []T, encode func(T) []byte) {
	t.Helper()
	for i := 1; i < len(ordered); i++ {
		if a, b := encode(ordered[i-1]), encode(ordered[i]); bytes.Compare(a, b) >= 0 || len(a) != len(b) {
			t.Errorf("%v is %x, %v is %x", ordered[i-1], a, ordered[i], b)
		}
	}
}

func TestText(t *testing.T) {
	for _, tc := range []struct{ s, want string }{
		{"car", "\x63\x61\x72\x00"}, {"cart", "\x63\x61\x72\x74"}, {"carton", "\x63\x61\x72\x74"},
		{"cartographer", "\x63\x61\x72\x74"}, {"", "\x00\x00\x00\x00"}, {"naïf", "na\xc3\xaf"}, {"caté", "cat\xc3"},
	} {
		if got := Text([]byte("x"), tc.s, 4); string(got) != "x"+tc.want {
			t.Errorf("%s: %x, want %x", tc.s, got[1:], tc.want)
		}
	}
	if bytes.Compare([]byte{0x7a, 0x61, 0x63, 0x6b}, []byte{0x7a, 0x61, 0x6b, 0x6b}) >= 0 {
		t.Error("the first byte that differs does not decide")
	}
}

// A range of words also finds those with the prefix of an end: candor is before
// candy and carton after cartographer, but four bytes do not tell.
func TestTextRangeFindsNeighbours(t *testing.T) {
	c := mustNew(t, 32)
	dim := func(s string) [][]byte { return [][]byte{Text(nil, s, 4)} }
	b := c.Box(dim("candy"), dim("cartographer"))
	var found []string
	for _, w := range []string{"can", "candle", "candor", "candy", "cap", "car", "cart", "cartographer", "carton",
		"cary", "cat"} {
		if b.Contains(c.Interleave(nil, dim(w))) {
			found = append(found, w)
		}
	}
	want := []string{"candle", "candor", "candy", "cap", "car", "cart", "cartographer", "carton"}
	if !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

func TestBool(t *testing.T) {
	c := mustNew(t, 1, 7)
	if f, v := Bool(nil, false), Bool(nil, true); bytes.Compare(f, v) >= 0 ||
		c.Interleave(nil, [][]byte{v, {0}})[0] != 0x80 {
		t.Errorf("false %x, true %x", f, v)
	}
}

func TestAlign(t *testing.T) {
	for _, tc := range []struct {
		code uint64
		bits int
		want string
	}{{1, 1, "\x80"}, {5, 3, "\xa0"}, {0xabc, 12, "\xab\xc0"}, {math.MaxUint64, 64, "\xff\xff\xff\xff\xff\xff\xff\xff"}} {
		if got := Align(nil, tc.code, tc.bits); string(got) != tc.want {
			t.Errorf("%x in %d bits: %x, want %x", tc.code, tc.bits, got, tc.want)
		}
	}
}

// Every encoder keeps order and length. Text is told apart only within n bytes.
func TestEncodersKeepOrder(t *testing.T) {
	r := random(t)
	word := func() string { return strings.Repeat("ab", r.IntN(3)) + string(rune(r.IntN(0x3000))) }
	for range 5000 {
		n := 1 + r.IntN(8)
		a, b := r.Uint64()>>r.IntN(64), r.Uint64()>>r.IntN(64)
		check := func(name string, order int, x, y []byte, strict bool) {
			t.Helper()
			if c := bytes.Compare(x, y); len(x) != len(y) || c*order < 0 || strict && c != order {
				t.Fatalf("%s: codes %x and %x of %x and %x, whose order is %d", name, x, y, a, b, order)
			}
		}
		check("uint", cmp.Compare(a, b), Uint(nil, a, n), Uint(nil, b, n), n == 8)
		check("int", cmp.Compare(int64(a), int64(b)), Int(nil, int64(a), n), Int(nil, int64(b), n), n == 8)
		f, g := math.Float64frombits(a<<r.IntN(64)), math.Float64frombits(b<<r.IntN(64))
		if f == f && g == g {
			check("float64", cmp.Compare(f, g), Float64(nil, f), Float64(nil, g), true)
			check("float32", cmp.Compare(f, g), Float32(nil, float32(f)), Float32(nil, float32(g)), false)
		}
		s, u := word(), word()
		check("text", strings.Compare(s, u), Text(nil, s, n), Text(nil, u, n), false)
	}
}

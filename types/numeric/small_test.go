package numeric

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/internal/testseed"
)

// randomSmall draws coefficients of every length, with zeros at their ends, too.
func randomSmall(r *rand.Rand) Small {
	n := r.Int64N(math.MaxInt64) >> r.IntN(63)
	if r.IntN(3) == 0 {
		n = n / tens[r.IntN(10)] * tens[r.IntN(5)] % math.MaxInt64
	}
	if r.IntN(2) == 0 {
		n = -n
	}
	if n < -math.MaxInt64 {
		n = -math.MaxInt64
	}
	return Small{n, int32(r.IntN(MaxSmallScale + 1))}
}

// TestSmall wants each operation of small numbers to be that of the decimals which they stand for, or to say that the
// result is not small.
func TestSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	same := func(what string, got Small, fits bool, want *apd.Decimal) {
		t.Helper()
		if small, is := SmallOf(want); fits != is || fits && got != small {
			t.Fatalf("%s: %v, %v; want %v, %v", what, got, fits, small, is)
		}
	}
	for range 20000 {
		a, b := randomSmall(r), randomSmall(r)
		x, y := a.Decimal(), b.Decimal()
		if back, is := SmallOf(x); !is || back != a {
			t.Fatalf("%v came back as %v, %v", a, back, is)
		}
		if sum, fits := a.Add(b); fits { // one of two that are aligned may be large where the sum is not
			want, _ := Add(x, y)
			same(fmt.Sprint(a, " + ", b), sum, fits, want)
		}
		if difference, fits := a.Sub(b); fits {
			want, _ := Sub(x, y)
			same(fmt.Sprint(a, " - ", b), difference, fits, want)
		}
		got, fits := a.Mul(b)
		want, _ := Mul(x, y)
		same(fmt.Sprint(a, " * ", b), got, fits, want)
		if a.Compare(b) != Compare(x, y) || a.Compare(a) != 0 {
			t.Fatalf("%v and %v: %d, want %d", a, b, a.Compare(b), Compare(x, y))
		}
		if f, ok := a.Float(); ok {
			if g, _ := Float(x); f != g {
				t.Fatalf("%v: %v, want %v", a, f, g)
			}
		}
		if !bytes.Equal(a.Append(nil), Append(nil, x)) || !bytes.Equal(a.AppendKey(nil), AppendKey(nil, x)) {
			t.Fatalf("%v: %s, key %x; want %s, %x", a, a.Append(nil), a.AppendKey(nil), Append(nil, x),
				AppendKey(nil, x))
		}
		for _, text := range []string{string(a.Append(nil)), "+" + string(a.Append(nil)), string(a.Append(nil)) + "."} {
			if small, is := ParseSmall(text); is {
				if want, err := Parse(text); err != nil || !Identical(small.Decimal(), want) {
					t.Fatalf("%q is read as %v, want %v", text, small, want)
				}
			}
		}
		mod := Modifier(1+r.IntN(30), r.IntN(19))
		if a.Within(mod) {
			if limited, err := Limit(x, mod); err != nil || !Identical(limited, x) {
				t.Fatalf("%v is said to be a numeric%s: %v, %v", a, ModifierText(mod), limited, err)
			}
		}
	}
}

// TestSmallSums wants sums that fit, of numbers that fit when they are aligned, to be small.
func TestSmallSums(t *testing.T) {
	for _, c := range []struct {
		a, b, sum Small
		fits      bool
	}{
		{Small{1, 0}, Small{5, 1}, Small{15, 1}, true},
		{Small{math.MaxInt64, 2}, Small{1, 2}, Small{}, false},
		{Small{-math.MaxInt64, 2}, Small{-1, 2}, Small{}, false},
		{Small{-math.MaxInt64, 0}, Small{math.MaxInt64, 0}, Small{}, true},
		{Small{0, 3}, Small{0, 1}, Small{0, 3}, true},
		{Small{math.MaxInt64, 0}, Small{1, 1}, Small{}, false},
	} {
		if got, fits := c.a.Add(c.b); got != c.sum || fits != c.fits {
			t.Errorf("%v + %v is %v, %v", c.a, c.b, got, fits)
		}
	}
}

// TestTotal wants a total to be the sum of decimals, or of their squares, with their greatest scale.
func TestTotal(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	for name, of := range map[string]struct {
		add   func(*Total, Small) bool
		exact func(Small) *apd.Decimal
	}{
		"numbers": {(*Total).Add, Small.Decimal},
		"squares": {(*Total).AddSquare, func(s Small) *apd.Decimal { return MulWide(s.Decimal(), s.Decimal()) }},
	} {
		for range 300 {
			var total Total
			sum, want := new(apd.Decimal), new(apd.Decimal)
			scales, size := 1+r.IntN(MaxSmallScale), r.IntN(63)
			for range r.IntN(200) {
				s := randomSmall(r)
				s.Coefficient >>= size
				s.Scale = int32(r.IntN(scales))
				if !of.add(&total, s) {
					sum = AddWide(sum, total.Take())
					if !of.add(&total, s) {
						sum = AddWide(sum, of.exact(s))
					}
				}
				want = AddWide(want, of.exact(s))
			}
			if sum = AddWide(sum, total.Take()); !Identical(sum, want) {
				t.Fatalf("%s: %s, want %s", name, Append(nil, sum), Append(nil, want))
			}
		}
	}
}

package numeric

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/internal/testseed"
)

func newRand(t *testing.T) *rand.Rand { return rand.New(rand.NewPCG(testseed.Of(t), 0)) }

// randomDecimal is of any size, and often a power of ten, or close to one.
func randomDecimal(r *rand.Rand) *apd.Decimal {
	d := apd.New(1+r.Int64N(1<<r.IntN(62)), -int32(r.IntN(25)))
	switch r.IntN(4) {
	case 0:
		d.Coeff.Exp(apd.NewBigInt(10), apd.NewBigInt(int64(r.IntN(60))), nil)
		d.Coeff.Add(&d.Coeff, apd.NewBigInt(int64(r.IntN(3)-1)))
		d.Exponent = -int32(r.IntN(60))
	case 1:
		d.Coeff.Mul(&d.Coeff, pow10(r.IntN(50)))
	}
	d.Negative = r.IntN(3) == 0 && !d.IsZero()
	return d
}

// TestCompare compares numbers of all sizes, many of which are about as large, as their decimals do.
func TestCompare(t *testing.T) {
	r := newRand(t)
	decided := 0
	for range 20000 {
		a, b := randomDecimal(r), randomDecimal(r)
		if got, want := Compare(a, b), a.Cmp(b); got != want {
			t.Errorf("%s and %s: %d, want %d", a, b, got, want)
		}
		if compareSizes(a, b) != 0 {
			decided++
		}
	}
	if decided < 1000 {
		t.Errorf("%d of the comparisons were decided by sizes", decided)
	}
}

func rat(d *apd.Decimal) *big.Rat {
	r, ok := new(big.Rat).SetString(string(Append(nil, d)))
	if !ok {
		panic("not finite")
	}
	return r
}

// TestFloorDiv compares quotients with those of fractions, which are cut to what an int8 has room for.
func TestFloorDiv(t *testing.T) {
	r := newRand(t)
	cut, exact := 0, 0
	for range 5000 {
		a, b := randomDecimal(r), randomDecimal(r)
		if b.Negative = false; b.IsZero() {
			continue
		}
		quotient := new(big.Rat).Quo(rat(a), rat(b))
		floor := new(big.Int).Div(quotient.Num(), quotient.Denom()) // the denominator is above 0
		want, whole := floor.Int64(), quotient.IsInt()
		if !floor.IsInt64() {
			want, whole = math.MaxInt64, false
			if floor.Sign() < 0 {
				want = math.MinInt64
			}
			cut++
		}
		if whole {
			exact++
		}
		if got, is := FloorDiv(a, b); got != want || is != whole {
			t.Errorf("%s by %s: %d, %t, want %d, %t", a, b, got, is, want, whole)
		}
	}
	if cut < 100 || exact < 100 {
		t.Errorf("%d quotients were cut, %d are whole", cut, exact)
	}
	for d, want := range map[*apd.Decimal]int64{
		NaN: math.MaxInt64, Infinity: math.MaxInt64, NegInfinity: math.MinInt64,
	} {
		if got, is := FloorDiv(d, apd.New(1, 0)); got != want || is {
			t.Errorf("%s: %d, %t, want %d", d, got, is, want)
		}
	}
}

func TestArithmetic(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		a, b := randomDecimal(r), randomDecimal(r)
		if b.IsZero() {
			continue
		}
		x, y := rat(a), rat(b)
		sum, _ := Add(a, b)
		difference, _ := Sub(a, b)
		product, _ := Mul(a, b)
		ratio, _ := Div(a, b)
		rest, _ := Mod(a, b)
		whole := new(big.Rat).Quo(x, y)
		whole.SetInt(new(big.Int).Quo(whole.Num(), whole.Denom()))
		ulp := rat(&apd.Decimal{Coeff: *apd.NewBigInt(1), Exponent: ratio.Exponent})
		error2 := new(big.Rat).Sub(rat(ratio), new(big.Rat).Quo(x, y))
		error2.Abs(error2.Add(error2, error2))
		switch {
		case rat(sum).Cmp(new(big.Rat).Add(x, y)) != 0,
			rat(difference).Cmp(new(big.Rat).Sub(x, y)) != 0,
			rat(product).Cmp(new(big.Rat).Mul(x, y)) != 0,
			error2.Cmp(ulp) > 0,
			rat(rest).Cmp(new(big.Rat).Sub(x, whole.Mul(whole, y))) != 0:
			t.Errorf("%s and %s: %s %s %s %s %s", a, b, sum, difference, product, ratio, rest)
		}
	}
}

package types

import (
	"bytes"
	"math/big"
	"testing"

	"github.com/cockroachdb/apd/v3"
)

// TestNumericKey gives one number many scales.
func TestNumericKey(t *testing.T) {
	r := newRand(t)
	for range 300 {
		d := randomNumeric(r)
		wider := RoundNumeric(d, scaleOf(d)+r.IntN(40))
		a, b := NewNumeric(d), NewNumeric(wider)
		if !bytes.Equal(AppendKey(nil, a), AppendKey(nil, b)) || Compare(a, b) != 0 {
			t.Errorf("%s and %s differ", d, wider)
		}
	}
}

// TestCompareNumeric compares numbers of all sizes, many of which are about as large, as their decimals do.
func TestCompareNumeric(t *testing.T) {
	r := newRand(t)
	next := func() *apd.Decimal {
		d := apd.New(1+r.Int64N(1<<r.IntN(40)), -int32(r.IntN(20)))
		if r.IntN(3) == 0 {
			d = apd.New(1, 0) // a power of ten, or close to one
			d.Coeff.Exp(apd.NewBigInt(10), apd.NewBigInt(int64(r.IntN(60))), nil)
			d.Coeff.Add(&d.Coeff, apd.NewBigInt(int64(r.IntN(3)-1)))
			d.Exponent = -int32(r.IntN(60))
		}
		d.Negative = r.IntN(3) == 0 && !d.IsZero()
		return d
	}
	decided := 0
	for range 20000 {
		a, b := next(), next()
		if got, want := CompareNumeric(a, b), a.Cmp(b); got != want {
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
	r, ok := new(big.Rat).SetString(string(AppendNumeric(nil, d)))
	if !ok {
		panic("not finite")
	}
	return r
}

func TestNumericArithmetic(t *testing.T) {
	r := newRand(t)
	for range 2000 {
		a, b := randomNumeric(r), randomNumeric(r)
		if a.Form != apd.Finite || b.Form != apd.Finite || b.Coeff.Sign() == 0 {
			continue
		}
		x, y := rat(a), rat(b)
		sum, _ := AddNumeric(a, b)
		difference, _ := SubNumeric(a, b)
		product, _ := MulNumeric(a, b)
		ratio, _ := DivNumeric(a, b)
		rest, _ := ModNumeric(a, b)
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

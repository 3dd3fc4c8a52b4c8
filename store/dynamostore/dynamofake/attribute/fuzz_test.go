package attribute

import (
	"math/big"
	"regexp"
	"strings"
	"testing"
)

// FuzzNumbers compares two numbers by their bytes and as fractions, and wants one form of each.
func FuzzNumbers(f *testing.F) {
	for _, pair := range [][2]string{{"0", "-0.0"}, {"1", "1.00"}, {"-1e-130", "1e-130"}, {"9.5", "10"},
		{"-9.5", "-10"}, {"-9.51", "-9.5"}, {"1e125", "99e123"}, {"007", "+7"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, errX := Number(a)
		y, errY := Number(b)
		if errX != nil || errY != nil || len(a)+len(b) > 100 || regexp.MustCompile(`[eE].?\d{5}`).MatchString(a+" "+b) {
			return // big.Rat works powers of ten out
		}
		p, okP := new(big.Rat).SetString(a)
		q, okQ := new(big.Rat).SetString(b)
		if !okP || !okQ {
			t.Fatalf("%q and %q are numbers to us only", a, b)
		}
		if got, _ := Compare(x, y); got != p.Cmp(q) {
			t.Errorf("%s and %s: order %d, want %d", a, b, got, p.Cmp(q))
		}
		if again, err := Number(x.Text); err != nil || again.Text != x.Text || Equal(x, y) != (p.Cmp(q) == 0) {
			t.Errorf("%s becomes %s and %s: %v", a, x.Text, again.Text, err)
		}
		sum, err := Add(x, y, false)
		if want := new(big.Rat).Add(p, q); err == nil {
			if got, ok := new(big.Rat).SetString(sum.Text); !ok || got.Cmp(want) != 0 {
				t.Errorf("%s + %s is %s", a, b, sum.Text)
			}
		}
		if n := x.Size(); n < 1 || n > 22 || strings.Trim(x.Text, "0123456789.-") != "" {
			t.Errorf("%s: %d bytes, %s", a, n, x.Text)
		}
	})
}

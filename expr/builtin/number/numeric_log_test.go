package number

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types"
)

// TestLogarithmsOfLongNumbers computes what apd alone takes minutes for.
func TestLogarithmsOfLongNumbers(t *testing.T) {
	number := func(s string) *apd.Decimal {
		v, err := types.ParseText(s, types.Numeric, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v.Numeric()
	}
	for _, k := range []int{-16000, -300, -2, -1, 0, 1, 2, 300, 16000, 131000} {
		digits := "1" + strings.Repeat("0", max(k, 0))
		if k < 0 {
			digits = "0." + strings.Repeat("0", -k-1) + "1"
		}
		if got, err := log10Numeric(number(digits)); err != nil || got.Cmp(apd.New(int64(k), 0)) != 0 {
			t.Errorf("the logarithm of 10^%d is %v, %v", k, got, err)
		}
	}
	for _, digits := range []string{strings.Repeat("1", 130000) + "." + strings.Repeat("1", 100),
		strings.Repeat("9", 131000) + "." + strings.Repeat("3", 16000)} {
		got, err := lnNumeric(number(digits))
		if want := fmt.Sprintf("%.3f", approximateLn(number(digits))); err != nil ||
			!strings.HasPrefix(got.Text('f'), want[:len(want)-1]) {
			t.Errorf("the logarithm of a number of %d digits is %.40s, %v, want %s", len(digits), got, err, want)
		}
	}
	got, err := PowerNumeric(number("1"+strings.Repeat("0", 100000)), number("0.00001"))
	if err != nil || got.Cmp(apd.New(10, 0)) != 0 {
		t.Errorf("%v, %v", got, err)
	}
}

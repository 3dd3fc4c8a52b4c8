// Package money holds amounts of money: counts of cents, which are written as lc_monetary = C has them, in dollars with
// commas between thousands. It reads and writes their text forms, also in words, and makes them of numerics and back.
// Their arithmetic is in package expr/builtin/money. Read Parse and Append first.
package money

import (
	"math"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/types/form"
	"zproxy/types/integer"
	"zproxy/types/numeric"
)

// What an amount is written with.
const (
	name     = "money"
	currency = '$'
	comma    = ','
	point    = '.'
	digits   = 2 // behind the point
)

// Unit is how many cents a whole unit of the currency has.
const Unit = 100

// Parse reads an amount: digits with commas anywhere among them, perhaps a point, and signs, parentheses and signs of
// the currency around them. A third digit behind the point rounds. The amount is built below zero, where there is one
// more.
func Parse(s string) (int64, error) {
	t, negative := leading(s)
	cents, rest, ok := amount(t)
	if !ok {
		return 0, integer.TextOutOfRange(name, s)
	}
	for ; rest != ""; rest = rest[1:] {
		switch c := rest[0]; {
		case form.IsSpace(c), c == ')', c == '+', c == currency:
		case c == '-':
			negative = true
		default:
			return 0, form.InvalidText(name, s)
		}
	}
	switch {
	case negative:
		return cents, nil
	case cents == math.MinInt64:
		return 0, integer.TextOutOfRange(name, s)
	}
	return -cents, nil
}

// leading cuts what stands before the digits, and says whether a sign or a parenthesis among it makes them negative.
func leading(s string) (rest string, negative bool) {
	s = withoutCurrency(s)
	if s != "" && strings.IndexByte("-(+", s[0]) >= 0 {
		negative = s[0] != '+'
		s = s[1:]
	}
	return withoutCurrency(s), negative
}

func withoutCurrency(s string) string {
	skip := func(s string) string { return s[form.SpanWhile(s, form.IsSpace):] }
	s = skip(s)
	if s != "" && s[0] == currency {
		s = s[1:]
	}
	return skip(s)
}

// amount reads the digits, as cents below zero, and is what stands behind them; false: there are too many.
func amount(s string) (cents int64, rest string, ok bool) {
	seen, behind := false, 0
	i := 0
	for ; i < len(s); i++ {
		c := s[i]
		if form.IsDigit(c) && behind < digits {
			if cents, ok = shifted(cents, c-'0'); !ok {
				return 0, "", false
			}
			if seen {
				behind++
			}
			continue
		}
		if c == point && !seen {
			seen = true
		} else if c != comma {
			break
		}
	}
	if i < len(s) && form.IsDigit(s[i]) && s[i] >= '5' {
		if cents == math.MinInt64 {
			return 0, "", false
		}
		cents--
	}
	for ; behind < digits; behind++ {
		if cents, ok = shifted(cents, 0); !ok {
			return 0, "", false
		}
	}
	return cents, s[i+form.SpanWhile(s[i:], form.IsDigit):], true
}

// shifted is a number below zero with another digit.
func shifted(n int64, digit byte) (int64, bool) {
	if n < (math.MinInt64+int64(digit))/10 {
		return 0, false
	}
	return n*10 - int64(digit), true
}

// Append writes an amount: -$1,234.56.
func Append(dst []byte, cents int64) []byte {
	rest := uint64(cents)
	if cents < 0 {
		dst, rest = append(dst, '-'), -rest
	}
	var buf [32]byte
	at := len(buf)
	put := func(c byte) { at--; buf[at] = c }
	for n := 0; n < digits+1 || rest > 0; n++ {
		if n == digits {
			put(point)
		} else if n > digits && (n-digits)%3 == 0 {
			put(comma)
		}
		put('0' + byte(rest%10))
		rest /= 10
	}
	return append(append(dst, currency), buf[at:]...)
}

// Numeric is an amount as a number of two digits behind the point.
func Numeric(cents int64) *apd.Decimal {
	d := numeric.FromInt(cents)
	d.Exponent = -digits
	return d
}

// FromNumeric is a number as an amount, rounded to cents.
func FromNumeric(d *apd.Decimal) (int64, error) {
	cents, err := numeric.Mul(d, apd.New(Unit, 0))
	if err != nil {
		return 0, err
	}
	return numeric.Int(cents, "bigint")
}

// FromInt is a whole number of the currency as an amount.
func FromInt(n int64) (int64, error) {
	cents, ok := integer.Mul(n, Unit)
	if !ok {
		return 0, integer.OutOfRange("bigint")
	}
	return cents, nil
}

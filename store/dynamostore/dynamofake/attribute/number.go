package attribute

import (
	"math/big"
	"strconv"
	"strings"
)

// What a number may have: its digits, and the power of ten of the first of them.
const (
	maxDigits = 38
	maxPower  = 125
	minPower  = -130
)

// decimal is a number as its digits without zeros at either end, with a point before the
// first digit of which power tells: 0.digits * 10^(power+1). Zero has no digits.
type decimal struct {
	negative bool
	digits   string
	power    int
}

// parseNumber reads a number in any of the forms that DynamoDB takes.
func parseNumber(text string) (d decimal, err error) {
	rest := text
	if rest != "" && (rest[0] == '-' || rest[0] == '+') {
		d.negative = rest[0] == '-'
		rest = rest[1:]
	}
	mantissa, exponent := rest, 0
	if e := max(strings.IndexByte(rest, 'e'), strings.IndexByte(rest, 'E')); e >= 0 {
		mantissa = rest[:e]
		if exponent, err = strconv.Atoi(rest[e+1:]); err != nil {
			return d, notNumber()
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := whole + fraction
	if digits == "" || strings.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' }) {
		return d, notNumber()
	}
	zeros := len(digits) - len(strings.TrimLeft(digits, "0"))
	d.digits = strings.Trim(digits, "0")
	d.power = len(whole) - zeros - 1 + exponent
	switch {
	case d.digits == "":
		return decimal{}, nil
	case len(d.digits) > maxDigits:
		return d, invalid("DynamoDB only supports precision up to 38 digits")
	case d.power > maxPower:
		return d, invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
	case d.power < minPower:
		return d, invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	}
	return d, nil
}

func notNumber() error { return invalid("A value provided cannot be converted into a number") }

// String is the one form of a number: plain, without zeros that say nothing.
func (d decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	sign := ""
	if d.negative {
		sign = "-"
	}
	switch n := len(d.digits); {
	case d.power < 0:
		return sign + "0." + strings.Repeat("0", -d.power-1) + d.digits
	case n <= d.power+1:
		return sign + d.digits + strings.Repeat("0", d.power+1-n)
	}
	return sign + d.digits[:d.power+1] + "." + d.digits[d.power+1:]
}

// Number makes a number of a text.
func Number(text string) (Value, error) {
	d, err := parseNumber(text)
	if err != nil {
		return Value{}, err
	}
	return Value{Kind: N, Text: d.String()}, nil
}

// orderNumber is a number as bytes in the order of numbers: the sign, the power and the
// digits, all but the sign turned round for negative ones, whose end is above any digit.
func orderNumber(text string) string {
	d, err := parseNumber(text)
	switch {
	case err != nil || d.digits == "":
		return "\x80"
	case !d.negative:
		return "\x81" + string([]byte{byte(d.power - minPower)}) + d.digits
	}
	turned := []byte("\x7f" + string([]byte{byte(d.power - minPower)}) + d.digits)
	for i := 1; i < len(turned); i++ {
		turned[i] = ^turned[i]
	}
	return string(append(turned, 0xff))
}

// sizeNumber is a byte for each pair of digits, counted from the point, and one more.
func sizeNumber(text string) int {
	d, err := parseNumber(text)
	if err != nil || d.digits == "" {
		return 1
	}
	n := d.power>>1 - (d.power-len(d.digits)+1)>>1 + 2
	if d.negative {
		n++
	}
	return n
}

// Add adds two numbers, or subtracts the second.
func Add(a, b Value, minus bool) (Value, error) {
	x, errX := new(big.Rat).SetString(a.Text)
	y, errY := new(big.Rat).SetString(b.Text)
	if !errX || !errY {
		return Value{}, invalid("An operand in the update expression has an incorrect data type")
	}
	if minus {
		y.Neg(y)
	}
	return Number(x.Add(x, y).FloatString(-minPower + maxDigits))
}

// Package float holds real and double precision: text forms as PostgreSQL has them, the order in which NaN is the
// greatest, and the checks of results. Their functions are in package expr/builtin/number. Read Parse and Append first.
package float

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// appendShort is C's %.*g: without zeros at the end, and with an exponent below 1e-4 and from as
// many digits on as there are.
func appendShort(dst []byte, f float64, digits int) []byte {
	var buf [32]byte
	number, exponent, _ := strings.Cut(string(strconv.AppendFloat(buf[:0], f, 'e', digits-1, 64)), "e")
	e, _ := strconv.Atoi(exponent)
	withoutZeros := func(s string) string {
		if strings.Contains(s, ".") {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	if e < -4 || e >= digits {
		return append(append(append(dst, withoutZeros(number)...), 'e'), exponent...)
	}
	return append(dst, withoutZeros(strconv.FormatFloat(f, 'f', digits-1-e, 64))...)
}

// NaN has the bits of C's NaN; Go's has one more.
var NaN = math.Float64frombits(nanBits)

const nanBits = 0x7ff8 << 48

// Parse reads what C's strtod does; a number that becomes zero or infinite is an
// error, a denormal is not.
func Parse(s string, size int) (float64, error) {
	typ := "double precision"
	if size == 32 {
		typ = "real"
	}
	t := form.TrimSpace(s)
	if isNaNText(t) {
		return NaN, nil
	}
	if strings.IndexByte(t, '_') >= 0 {
		return 0, form.InvalidText(typ, s)
	}
	number, digits, marks := t, "123456789", "eE"
	if isHexText(t) {
		digits, marks = "123456789abcdefABCDEF", "pP"
		if !strings.ContainsAny(t, marks) {
			number += "p0" // which Go wants
		}
	}
	f, err := strconv.ParseFloat(number, size)
	if err == nil && (f != 0 || !strings.ContainsAny(mantissa(t, marks), digits)) {
		return f, nil
	}
	if err != nil && err.(*strconv.NumError).Err == strconv.ErrSyntax {
		return 0, form.InvalidText(typ, s)
	}
	return 0, sqlerr.New(sqlerr.NumericValueOutOfRange, "\"%s\" is out of range for type %s", t, typ)
}

// isHexText says whether a number is one of sixteen digits.
func isHexText(s string) bool {
	s = strings.TrimLeft(s, "+-")
	return len(s) > 1 && s[0] == '0' && s[1]|0x20 == 'x'
}

// isNaNText reads nan and nan(letters), with a sign perhaps.
func isNaNText(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	if len(s) < 3 || !strings.EqualFold(s[:3], "nan") {
		return false
	}
	s = s[3:]
	return s == "" || len(s) > 1 && s[0] == '(' && s[len(s)-1] == ')' && strings.Trim(s[1:len(s)-1], nanLetters) == ""
}

const nanLetters = "_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// mantissa is what stands before the mark of the exponent.
func mantissa(s, marks string) string {
	if i := strings.IndexAny(s, marks); i >= 0 {
		return s[:i]
	}
	return s
}

// Append appends a float4 (size 32) or float8 (size 64) with the fewest digits
// that read back as it, with an exponent only outside of 1e-4 to 1e6 or 1e15.
func Append(dst []byte, f float64, size int) []byte {
	abs := math.Abs(f)
	switch {
	case f != f:
		return append(dst, "NaN"...)
	case abs > math.MaxFloat64:
		if f < 0 {
			dst = append(dst, '-')
		}
		return append(dst, "Infinity"...)
	}
	least, end := 1e-4, 1e15
	if size == 32 {
		least, end = float64(float32(1e-4)), 1e6
	}
	if abs == 0 || abs >= least && abs < end {
		return strconv.AppendFloat(dst, f, 'f', -1, size)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, 'e', -1, size)
	_, fraction, _ := strings.Cut(mantissa(string(dst[start:]), "e"), ".")
	for digits := len(fraction) + 1; onBoundary(dst[start:], size); digits++ {
		dst = strconv.AppendFloat(dst[:start], f, 'e', digits, size)
	}
	return dst
}

// onBoundary says whether a decimal d.ddde±xx lies exactly midway between two floats of
// a size. It reads back as one of them only by rounding half to even, which PostgreSQL
// does not rely on: it prints more digits instead (1e23 is 9.999999999999999e+22).
func onBoundary(decimal []byte, size int) bool {
	precision := 53
	if size == 32 {
		precision = 24
	}
	text, exponent, _ := strings.Cut(string(decimal), "e")
	whole, fraction, _ := strings.Cut(strings.TrimLeft(text, "-"), ".")
	fraction = strings.TrimRight(fraction, "0")
	power, _ := strconv.Atoi(exponent)
	power -= len(fraction)
	if power < 0 || power > 27 {
		return false
	}
	n, _ := strconv.ParseUint(whole+fraction, 10, 64)
	n >>= bits.TrailingZeros64(n)
	for range power {
		hi, lo := bits.Mul64(n, 5)
		if hi != 0 {
			return false
		}
		n = lo
	}
	return bits.Len64(n) == precision+1
}

// AppendShorter is Append in so many digits fewer than a float of the size has at most, and no less than one; 0
// does not shorten.
func AppendShorter(dst []byte, f float64, size, fewer int) []byte {
	if fewer == 0 || f != f || math.IsInf(f, 0) {
		return Append(dst, f, size)
	}
	digits := 16
	if size == 32 {
		digits = 7
	}
	return appendShort(dst, f, max(1, digits-fewer))
}

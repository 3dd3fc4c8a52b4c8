// Package integer holds the text form of integers and the ranges of their types. Their arithmetic is in package
// expr/builtin/number. Read Parse first.
package integer

import (
	"math"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// Parse reads decimal digits with a sign and white space around. It counts downwards
// so that the least integer has no special case. Like PostgreSQL it reports too big a
// number before it looks at what follows the digits.
func Parse(s string, least, most int64, typ string) (int64, error) {
	t := form.TrimSpace(s)
	negative := t != "" && t[0] == '-'
	if t != "" && (t[0] == '-' || t[0] == '+') {
		t = t[1:]
	}
	if t == "" || !form.IsDigit(t[0]) {
		return 0, form.InvalidText(typ, s)
	}
	n := int64(0)
	for i := 0; i < len(t); i++ {
		if !form.IsDigit(t[i]) {
			return 0, form.InvalidText(typ, s)
		}
		digit := int64(t[i] - '0')
		if n < (least+digit)/10 {
			return 0, TextOutOfRange(typ, s)
		}
		n = n*10 - digit
	}
	if negative {
		return n, nil
	}
	if n < -most {
		return 0, TextOutOfRange(typ, s)
	}
	return -n, nil
}

// TextOutOfRange is the error of a text that is a number too large for a type.
func TextOutOfRange(typ, s string) error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", s, typ)
}

// OutOfRange is the error of a number that is too large for a type.
func OutOfRange(typ string) error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "%s out of range", typ)
}

// LeadingNumber is C's strtoull: a number to the base that it begins with, up to what is
// no digit of it.
func LeadingNumber(s string) uint64 {
	t := form.TrimSpace(s)
	negative := t != "" && t[0] == '-'
	if t != "" && (t[0] == '-' || t[0] == '+') {
		t = t[1:]
	}
	base := uint64(10)
	switch {
	case len(t) > 2 && t[0] == '0' && t[1]|0x20 == 'x':
		base, t = 16, t[2:]
	case len(t) > 1 && t[0] == '0':
		base = 8
	}
	n := uint64(0)
	for i := 0; i < len(t); i++ {
		digit, ok := form.HexDigit(t[i])
		if !ok || uint64(digit) >= base {
			break
		}
		if n > (math.MaxUint64-uint64(digit))/base {
			return math.MaxUint64
		}
		n = n*base + uint64(digit)
	}
	if negative {
		return -n
	}
	return n
}

// Check2 refuses what is no int2.
func Check2(n int64) error {
	if n != int64(int16(n)) {
		return OutOfRange("smallint")
	}
	return nil
}

// Check4 refuses what is no int4.
func Check4(n int64) error {
	if n != int64(int32(n)) {
		return OutOfRange("integer")
	}
	return nil
}

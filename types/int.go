package types

import (
	"math"
	"strconv"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

func appendInt(dst []byte, v Value, _ *Env) []byte { return strconv.AppendInt(dst, v.Int(), 10) }

func parseInt2(s string, _ *Env) (Value, error) {
	return parseInt(s, math.MinInt16, math.MaxInt16, "smallint")
}

func parseInt4(s string, _ *Env) (Value, error) {
	return parseInt(s, math.MinInt32, math.MaxInt32, "integer")
}

func parseInt8(s string, _ *Env) (Value, error) {
	return parseInt(s, math.MinInt64, math.MaxInt64, "bigint")
}

// parseInt reads decimal digits with a sign and white space around. It counts downwards
// so that the least integer has no special case. Like PostgreSQL it reports too big a
// number before it looks at what follows the digits.
func parseInt(s string, least, most int64, typ string) (Value, error) {
	t := form.TrimSpace(s)
	negative := t != "" && t[0] == '-'
	if t != "" && (t[0] == '-' || t[0] == '+') {
		t = t[1:]
	}
	if t == "" || !form.IsDigit(t[0]) {
		return Null, form.InvalidText(typ, s)
	}
	n := int64(0)
	for i := 0; i < len(t); i++ {
		if !form.IsDigit(t[i]) {
			return Null, form.InvalidText(typ, s)
		}
		digit := int64(t[i] - '0')
		if n < (least+digit)/10 {
			return Null, intTextOutOfRange(typ, s)
		}
		n = n*10 - digit
	}
	if negative {
		return NewInt(n), nil
	}
	if n < -most {
		return Null, intTextOutOfRange(typ, s)
	}
	return NewInt(-n), nil
}

func intTextOutOfRange(typ, s string) error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value \"%s\" is out of range for type %s", s, typ)
}

// fitInt makes an integer of a type, or the error that it is out of range.
func fitInt(n int64, oid OID) (Value, error) {
	switch {
	case oid == OIDInt2 && n != int64(int16(n)):
		return Null, intOutOfRange("smallint")
	case oid == OIDInt4 && n != int64(int32(n)):
		return Null, intOutOfRange("integer")
	}
	return NewInt(n), nil
}

func intOutOfRange(typ string) error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "%s out of range", typ)
}

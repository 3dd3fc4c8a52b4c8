package types

import (
	"math"
	"strconv"

	"zproxy/types/integer"
)

func appendInt(dst []byte, v Value, _ *Env) []byte { return strconv.AppendInt(dst, v.Int(), 10) }

func parseInt2(s string, _ *Env) (Value, error) {
	return intValue(integer.Parse(s, math.MinInt16, math.MaxInt16, "smallint"))
}

func parseInt4(s string, _ *Env) (Value, error) {
	return intValue(integer.Parse(s, math.MinInt32, math.MaxInt32, "integer"))
}

func parseInt8(s string, _ *Env) (Value, error) {
	return intValue(integer.Parse(s, math.MinInt64, math.MaxInt64, "bigint"))
}

func intValue(n int64, err error) (Value, error) {
	if err != nil {
		return Null, err
	}
	return NewInt(n), nil
}

// fitInt makes an integer of a type, or the error that it is out of range.
func fitInt(n int64, oid OID) (Value, error) {
	var err error
	switch oid {
	case OIDInt2:
		err = integer.Check2(n)
	case OIDInt4:
		err = integer.Check4(n)
	}
	return intValue(n, err)
}

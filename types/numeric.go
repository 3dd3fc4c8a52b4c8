package types

import (
	"github.com/cockroachdb/apd/v3"

	"zproxy/types/numeric"
)

// numericValue makes a value of an operation's result.
func numericValue(d *apd.Decimal, err error) (Value, error) {
	if err != nil {
		return Null, err
	}
	return NewNumeric(d), nil
}

func parseNumericText(s string, _ *Env) (Value, error) {
	if small, is := numeric.ParseSmall(s); is {
		return NewSmall(small), nil
	}
	return numericValue(numeric.Parse(s))
}

func appendNumericText(dst []byte, v Value, _ *Env) []byte {
	if s, is := v.Small(); is {
		return s.Append(dst)
	}
	return numeric.Append(dst, v.Numeric())
}

func receiveNumeric(p []byte) (Value, error) { return numericValue(numeric.ParseBinary(p)) }

func sendNumeric(dst []byte, v Value) []byte {
	if s, is := v.Small(); is {
		var d apd.Decimal
		s.Set(&d)
		return numeric.AppendBinary(dst, &d)
	}
	return numeric.AppendBinary(dst, v.Numeric())
}

// applyNumericMod rounds to numeric(precision, scale), half away from zero.
func applyNumericMod(v Value, mod int32, _ bool, _ *Env) (Value, error) {
	if s, is := v.Small(); is && s.Within(mod) {
		return v, nil
	}
	return numericValue(numeric.Limit(v.Numeric(), mod))
}

func intToNumeric(v Value, _ T, _ *Env) (Value, error) {
	if s, is := numeric.SmallInt(v.Int()); is {
		return NewSmall(s), nil
	}
	return NewNumeric(numeric.FromInt(v.Int())), nil
}

// A float becomes a numeric of the digits that every decimal survives the way to the float and back with: C's FLT_DIG
// and DBL_DIG.

func float4ToNumeric(v Value, _ T, _ *Env) (Value, error) {
	return numericValue(numeric.FromFloat(v.Float(), 6))
}

func float8ToNumeric(v Value, _ T, _ *Env) (Value, error) {
	return numericValue(numeric.FromFloat(v.Float(), 15))
}

func numericToInt(v Value, to T, _ *Env) (Value, error) {
	n, err := numeric.Int(v.Numeric(), InfoOf(to.OID).SQL)
	if err != nil {
		return Null, err
	}
	return fitInt(n, to.OID)
}

func numericToFloat(v Value, to T, env *Env) (Value, error) {
	if s, is := v.Small(); is && to.OID == OIDFloat8 {
		if f, ok := s.Float(); ok {
			return NewFloat(f), nil
		}
	}
	if to.OID == OIDFloat8 {
		if f, ok := numeric.Float(v.Numeric()); ok {
			return NewFloat(f), nil
		}
	}
	return ParseText(string(numeric.Append(nil, v.Numeric())), to, env)
}

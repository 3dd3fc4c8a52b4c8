package float

import (
	"math"

	"zproxy/sqlerr"
)

func overflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value out of range: overflow")
}

func underflow() error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "value out of range: underflow")
}

// Check refuses an infinity or a zero that the operands do not explain.
func Check(f float64, infinite, zero bool) error {
	switch {
	case math.IsInf(f, 0) && !infinite:
		return overflow()
	case f == 0 && !zero:
		return underflow()
	}
	return nil
}

// Round4 rounds the result of an operation on two float4 to a float4. That the result
// was rounded to a float8 before makes no difference, as that has more than twice the
// digits (Figueroa, "When is double rounding innocuous?", 1995).
func Round4(f float64) float64 { return float64(float32(f)) }

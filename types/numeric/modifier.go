package numeric

import (
	"fmt"

	"github.com/cockroachdb/apd/v3"

	"zproxy/sqlerr"
)

// splitModifier splits a modifier into precision and scale; a scale may be negative.
func splitModifier(mod int32) (precision, scale int) {
	mod -= 4
	return int(mod>>16) & 0xffff, int(mod&0x7ff^1024) - 1024
}

// ModifierOf is the modifier of the numbers behind the type's name: one or two.
func ModifierOf(args []int) (int32, error) {
	bad := func(format string, a ...any) (int32, error) {
		return -1, sqlerr.New(sqlerr.InvalidParameterValue, format, a...)
	}
	if len(args) > 2 {
		return bad("invalid NUMERIC type modifier")
	}
	scale := 0
	if len(args) == 2 {
		scale = args[1]
	}
	switch {
	case args[0] < 1 || args[0] > 1000:
		return bad("NUMERIC precision %d must be between 1 and 1000", args[0])
	case scale < -1000 || scale > 1000:
		return bad("NUMERIC scale %d must be between -1000 and 1000", scale)
	}
	return Modifier(args[0], scale), nil
}

// Modifier is the modifier of numeric(precision, scale).
func Modifier(precision, scale int) int32 {
	return int32(precision<<16|scale&0x7ff) + 4
}

// ModifierText is a modifier as DDL writes it: (10,2).
func ModifierText(mod int32) string {
	precision, scale := splitModifier(mod)
	return fmt.Sprintf("(%d,%d)", precision, scale)
}

// Limit rounds to numeric(precision, scale), half away from zero.
func Limit(d *apd.Decimal, mod int32) (*apd.Decimal, error) {
	precision, scale := splitModifier(mod)
	if IsNaN(d) {
		return d, nil
	}
	if d.Form == apd.Infinite {
		return nil, fieldOverflow().WithDetail(
			"A field with precision %d, scale %d cannot hold an infinite value.", precision, scale)
	}
	rounded := Round(d, scale)
	if rounded.Coeff.Sign() != 0 && integerDigits(rounded) > precision-scale {
		limit := "1"
		if precision != scale {
			limit = fmt.Sprintf("10^%d", precision-scale)
		}
		return nil, fieldOverflow().WithDetail(
			"A field with precision %d, scale %d must round to an absolute value less than %s.",
			precision, scale, limit)
	}
	return rounded, nil
}

func fieldOverflow() *sqlerr.Error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, "numeric field overflow")
}

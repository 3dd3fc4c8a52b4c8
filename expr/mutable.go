package expr

import "zproxy/types"

// Mutable says whether an expression may have another value for the same row at another time, or
// under other settings: it calls a function that is not immutable, makes a cast that settings
// decide, or asks a query.
func Mutable(e Expr) bool {
	return Any(e, func(x Expr) bool {
		switch x := x.(type) {
		case Call:
			return x.Fn.Volatility != Immutable
		case Cast:
			return x.Fn != nil && types.CastBySettings(x.Arg.Type().OID, x.To.OID)
		case Subquery, Param, Outer:
			return true
		}
		return false
	})
}

package expr

import "zproxy/types"

// Mutable says whether an expression may have another value for the same row at another time, or
// under other settings: it calls a function that is not immutable, makes a cast that settings
// decide, or asks a query.
func Mutable(e Expr) bool {
	return Any(e, func(x Expr) bool {
		switch x := x.(type) {
		case Call:
			return x.Fn.Volatility != Immutable && !showsOnly(x)
		case Cast:
			return x.Fn != nil && types.CastBySettings(x.Arg.Type().OID, x.To.OID)
		case JSONQuery:
			return x.mutable()
		case Constrained:
			return x.Rules.mutable()
		case Subquery, Param, Outer:
			return true
		}
		return false
	})
}

// NeedsSession says whether an expression has more in it than a row and the parameters, or calls a function of users.
func NeedsSession(e Expr) bool {
	known := Rewrite(e, func(x Expr) Expr {
		if p, ok := x.(Param); ok {
			return Const{T: p.Type()}
		}
		return x
	})
	return Mutable(known) || Any(e, func(x Expr) bool {
		call, ok := x.(Call)
		_, domain := x.(Constrained) // whose checks may call any
		return domain || ok && (call.Fn.Routine != nil || call.Fn.Via != nil)
	})
}

// showsOnly says whether a call of || depends on settings only by the text of its other operand, and that does not: in
// PostgreSQL such a call is replaced with its cast to text.
func showsOnly(x Call) bool {
	if x.Fn.Operator != "||" || x.Fn.Volatility != Stable {
		return false
	}
	for _, a := range x.Args {
		if types.CastBySettings(a.Type().OID, types.OIDText) {
			return false
		}
	}
	return true
}

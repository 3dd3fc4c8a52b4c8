// Package leakproof says which expressions show nothing of the rows that they are computed of but by their values:
// whatever a row holds, they raise no error and send no notice. Row security and views that are security barriers
// depend on it: such conditions may be asked of rows that a statement must not see, and bound keys. Which functions
// are leakproof is said by pg_proc, and by CREATE FUNCTION. Read Is first.
package leakproof

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/types"
)

// Is says whether an expression shows nothing of its row.
func Is(e expr.Expr) bool { return !expr.Any(e, shows) }

// shows says whether an expression may show what its inputs are. One that reads nothing of the row shows nothing of it.
func shows(e expr.Expr) bool {
	switch x := e.(type) {
	case expr.Const, expr.Param, expr.Column, expr.Outer, expr.Compare, expr.Logic, expr.Not, expr.IsNull, expr.IsBool,
		expr.Distinct, expr.In, expr.Case, expr.Coalesce, expr.NullIf, expr.Extreme, expr.Row, expr.RowCompare:
		return false
	case expr.Quantified:
		if Is(x.Test) {
			return false
		}
	case expr.Call:
		if trusted(x.Fn) {
			return false
		}
	case expr.Cast:
		if keepsAll(x) {
			return false
		}
	}
	used := map[int]bool{}
	expr.Columns(e, used)
	return len(used) > 0
}

// trusted says whether a function is marked as leakproof.
func trusted(fn *expr.Function) bool {
	if f, ok := fn.Routine.(*catalog.Function); ok {
		return f.Leakproof
	}
	p := builtin.ProcByOID(fn.OID)
	return p != nil && p.Leakproof
}

// keepsAll says whether a cast has a value for every one that it is given.
func keepsAll(c expr.Cast) bool {
	if c.To.Mod >= 0 {
		return false
	}
	width := map[types.OID]int{types.OIDInt2: 1, types.OIDInt4: 2, types.OIDInt8: 3, types.OIDFloat4: 4,
		types.OIDFloat8: 5, types.OIDNumeric: 6}
	from, to := width[c.Arg.Type().OID], width[c.To.OID]
	return c.Fn == nil || from > 0 && from < to
}

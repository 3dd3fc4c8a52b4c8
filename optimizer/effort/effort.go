// Package effort says what it takes to compute an expression for one row, in calls of a simple function, as PostgreSQL
// counts them: functions have their COST, operators that of their functions, and what only puts values together is
// free. Conditions are checked in the order of it. What the plan of a subquery takes, the caller says. Read Of first.
package effort

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/types"
)

const (
	// unknownItems is how many elements an array is thought to have.
	unknownItems = 10
	// hashedItems is from how many values on those of a list are looked up in a hash table, which takes what hashed is.
	hashedItems = 9
	hashed      = 2
)

// Of is the effort of an expression. With subplan it is told what one run of the plan of a subquery takes.
func Of(e expr.Expr, subplan func(expr.Subquery) float64) float64 {
	total := own(e, subplan)
	for _, in := range e.Inputs() {
		total += Of(in, subplan)
	}
	return total
}

// own is that of an expression without its inputs.
func own(e expr.Expr, subplan func(expr.Subquery) float64) float64 {
	switch e := e.(type) {
	case expr.Call:
		return ofFunction(e.Fn)
	case expr.Compare, expr.Distinct, expr.NullIf, expr.Extreme, expr.Constrained, expr.JSONQuery:
		return 1
	case expr.RowCompare:
		return float64(len(e.Left))
	case expr.Cast:
		return ofCast(e)
	case expr.In:
		if len(e.List) >= hashedItems {
			return hashed
		}
		return float64(len(e.List)) / 2
	case expr.Quantified:
		return ofItems(e, Of(e.Test, subplan))
	case expr.Subquery:
		return ofSubquery(e, subplan)
	}
	return 0
}

func ofFunction(fn *expr.Function) float64 {
	if f, ok := fn.Routine.(*catalog.Function); ok {
		return f.Cost
	}
	if p := builtin.ProcByOID(fn.OID); p != nil {
		return p.Cost
	}
	return 1
}

// ofCast counts no cast between integers, or floats, which PostgreSQL compares whatever their width is.
func ofCast(c expr.Cast) float64 {
	from, to := types.InfoOf(c.Arg.Type().OID).Kind, types.InfoOf(c.To.OID).Kind
	if c.Fn == nil || from == to && c.To.Mod < 0 {
		return 0
	}
	return 1
}

// ofItems is that of comparing with the items of an array, one of which is thought to end the search half way.
func ofItems(q expr.Quantified, each float64) float64 {
	n := unknownItems
	switch a := q.Array.(type) {
	case expr.ArrayOf:
		n = len(a.Items)
	case expr.Const:
		if !a.Value.IsNull() {
			n = len(a.Value.Array().Items)
		}
		if n >= hashedItems && q.Op == "=" && !q.All {
			return hashed
		}
	}
	return each * float64(n) / 2
}

// ofSubquery is that of a run for each row, or of a look at what one run for all rows has given.
func ofSubquery(s expr.Subquery, subplan func(expr.Subquery) float64) float64 {
	looked := 0.0
	if s.Test != nil {
		looked = Of(s.Test, subplan)
	}
	if len(s.Depends) > 0 {
		return looked + subplan(s)
	}
	return looked
}

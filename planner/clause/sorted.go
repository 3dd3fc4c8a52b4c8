package clause

import (
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Sort is an expression that rows are sorted by.
type Sort[E analyze.Typed] struct {
	Expr       E
	Desc       bool
	NullsFirst bool
}

// SortBy is an expression in the order that is written behind it.
func SortBy[E analyze.Typed](e E, s ast.Sort) Sort[E] { return Sort[E]{e, s.Desc, s.NullsFirst()} }

// Sorted makes the ORDER BY of a window or an aggregate, where a number is only a number.
func Sorted[E analyze.Typed](a analyze.Analysis[E], list []ast.Sort) (out []Sort[E], err error) {
	for _, s := range list {
		e, err := a.Known(s.Expr)
		if err == nil {
			err = Sortable(e.Type(), analyze.Start(s.Expr))
		}
		if err != nil {
			return nil, err
		}
		out = append(out, SortBy(e, s))
	}
	return out, nil
}

// Sortable refuses a type whose values have no order.
func Sortable(t types.T, pos ast.Pos) error {
	if analyze.Ordered(t) {
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedFunction, "could not identify an ordering operator for type %s", t).
		WithHint("Use an explicit ordering operator or modify the query.").At(int(pos))
}

// Equatable refuses a type whose values are not told equal or different.
func Equatable(t types.T, pos ast.Pos) error {
	if analyze.Ordered(t) {
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedFunction, "could not identify an equality operator for type %s", t).At(int(pos))
}

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
	Using      string // an operator that is not the type's own, for printing; empty: it is
}

// SortBy is an expression in the order that is written behind it, which its type must have.
func SortBy[E analyze.Typed](a analyze.Analysis[E], e E, s ast.Sort) (Sort[E], error) {
	if s.Using == "" {
		return Sort[E]{Expr: e, Desc: s.Desc, NullsFirst: s.NullsFirst()}, Sortable(e.Type(), analyze.Start(s.Expr))
	}
	out := Sort[E]{Expr: e}
	sign, info := s.Using, types.InfoOf(e.Type().OID)
	if info.Category == types.CategoryString && (sign == "~<~" || sign == "~>~") {
		out.Using, sign = sign, sign[1:2] // by bytes, as every text is ordered
	}
	if err := a.HasOperator(sign, e, s.Pos); err != nil {
		return out, err
	}
	if own, ok := info.OrderSign(sign); ok {
		sign = own
	}
	if sign != "<" && sign != ">" || !analyze.Ordered(e.Type()) {
		return out, notOrdering(s)
	}
	s.Desc = sign == ">"
	out.Desc, out.NullsFirst = s.Desc, s.NullsFirst()
	return out, nil
}

func notOrdering(s ast.Sort) error {
	return sqlerr.New(sqlerr.WrongObjectType, "operator %s is not a valid ordering operator", s.Using).
		WithHint("Ordering operators must be \"<\" or \">\" members of btree operator families.").At(int(s.Pos))
}

// Sorted makes the ORDER BY of a window or an aggregate, where a number is only a number.
func Sorted[E analyze.Typed](a analyze.Analysis[E], list []ast.Sort) (out []Sort[E], err error) {
	for _, s := range list {
		e, err := a.Known(s.Expr)
		if err != nil {
			return nil, err
		}
		by, err := SortBy(a, e, s)
		if err != nil {
			return nil, err
		}
		out = append(out, by)
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

package clause

import (
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/sqlerr"
)

// Aggregate is a call of an aggregate or a window function, with the order of its rows.
type Aggregate[E analyze.Typed] struct {
	analyze.Aggregate[E]
	Order  []Sort[E]
	Within []Sort[E] // of WITHIN GROUP, whose expressions are the last arguments
}

// NewAggregate makes a call of an aggregate or a window function, but for FILTER and OVER. With DISTINCT its rows are
// sorted by arguments, as they were given.
func NewAggregate[E analyze.Typed](a analyze.Analysis[E], e *ast.Call, same func(x, y E) bool) (
	out Aggregate[E], err error) {
	given, err := a.Exprs(e.Args)
	if err != nil {
		return out, err
	}
	if e.Name == "count" && len(given) == 0 && !e.Star {
		return out, sqlerr.New(sqlerr.WrongObjectType,
			"count(*) must be used to call a parameterless aggregate function").At(int(e.Pos))
	}
	if out.Order, err = Sorted(a, e.OrderBy); err != nil {
		return out, err
	}
	if out.Within, err = Sorted(a, e.Within); err != nil {
		return out, err
	}
	for _, s := range out.Within {
		given = append(given, s.Expr)
	}
	choose := a.WindowFunction
	if a.IsAggregate(e) {
		choose = a.Aggregate
	}
	if out.Aggregate, err = choose(e, given); err != nil {
		return out, err
	}
	for i := range out.Within {
		out.Within[i].Expr = out.Args[len(e.Args)+i]
	}
	return out, out.check(e, func(x E) int { return slices.IndexFunc(given, func(y E) bool { return same(x, y) }) })
}

// check refuses an order that an aggregate cannot have, and makes that of DISTINCT one of its arguments.
func (g *Aggregate[E]) check(e *ast.Call, argument func(E) int) error {
	for i, arg := range g.Args {
		if !e.Distinct {
			break
		}
		if err := Equatable(arg.Type(), analyze.Start(e.Args[min(i, len(e.Args)-1)])); err != nil {
			return err
		}
	}
	switch ordered := g.Fn != nil && g.Fn.Ordered; {
	case ordered && e.Within == nil:
		return WithinGroup(g.Fn, e)
	case !ordered && e.Within != nil:
		return sqlerr.New(sqlerr.WrongObjectType, "%s is not an ordered-set aggregate, so it cannot have WITHIN GROUP",
			e.Name).At(int(e.Pos))
	case !e.Distinct:
		return nil
	}
	for i, s := range g.Order {
		at := argument(s.Expr)
		if at < 0 {
			return sqlerr.New(sqlerr.InvalidColumnReference,
				"in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list").
				At(int(analyze.Start(e.OrderBy[i].Expr)))
		}
		g.Order[i].Expr = g.Args[at]
	}
	return nil
}

// WithinGroup is the error for a call of an ordered-set aggregate without an order.
func WithinGroup(fn *expr.Aggregate, e *ast.Call) error {
	return sqlerr.New(sqlerr.WrongObjectType, "WITHIN GROUP is required for ordered-set aggregate %s",
		fn.Name).At(int(e.Pos))
}

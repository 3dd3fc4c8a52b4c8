package analyze

import (
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Aggregate is an aggregate or a window function that was chosen, with arguments of the types that it takes: those of
// WITHIN GROUP stand behind the others.
type Aggregate[E Typed] struct {
	Fn     *expr.Aggregate
	Window *expr.WindowFunction // instead of Fn
	Args   []E
	T      types.T
}

// IsAggregate says whether a call is one of an aggregate, also with OVER.
func IsAggregate(e *ast.Call) bool {
	return builtin.Aggregates(e.Name) != nil && (builtin.Windows(e.Name) == nil || len(e.Args) > 0 || e.Within != nil)
}

// Aggregate chooses among the overloads of an aggregate.
func (c Coercion[E]) Aggregate(e *ast.Call, args []E) (Aggregate[E], error) {
	all := builtin.Aggregates(e.Name)
	if all[0].Hypothetical && e.Within != nil {
		return c.hypothetical(e, all[0], args)
	}
	signature := func(i int) Signature { return Signature{all[i].Args, all[i].Result} }
	i, out, err := c.suited(e, args, len(all), signature, -1)
	if i >= 0 {
		out.Fn = all[i]
	}
	return out, err
}

// WindowFunction chooses among the overloads of a function that is only for windows.
func (c Coercion[E]) WindowFunction(e *ast.Call, args []E) (Aggregate[E], error) {
	all := builtin.Windows(e.Name)
	signature := func(i int) Signature { return Signature{all[i].Args, all[i].Result} }
	i, out, err := c.suited(e, args, len(all), signature, e.Pos)
	if i >= 0 {
		out.Window = all[i]
	}
	return out, err
}

// suited chooses the one of n signatures that suits the arguments, -1 for none, and coerces them. An error about a
// polymorphic type gets a position.
func (c Coercion[E]) suited(
	e *ast.Call, args []E, n int, signature func(i int) Signature, at ast.Pos,
) (best int, out Aggregate[E], err error) {
	lists := make([][]types.OID, n)
	for i := range lists {
		lists[i] = signature(i).Args
	}
	given := OIDs(args)
	best, _ = overload(given, lists)
	if best < 0 {
		return best, out, noFunction(e, args)
	}
	s, err := signature(best).Resolve(given)
	if err != nil {
		return best, out, sqlerr.From(err).At(int(at))
	}
	out.T = c.caster.Typed(s.Result)
	out.Args, err = c.Arguments(args, s.Args, e.Pos)
	return best, out, err
}

// noFunction is the error for a call that no aggregate or window function suits.
func noFunction[E Typed](e *ast.Call, args []E) error {
	return Called{Name: e.Name, Types: Types(args)}.NoFunction(e.Pos)
}

// hypothetical makes one type of each pair of a direct argument and what it is compared with.
func (c Coercion[E]) hypothetical(e *ast.Call, fn *expr.Aggregate, args []E) (Aggregate[E], error) {
	out := Aggregate[E]{Fn: fn, T: types.Of(fn.Result), Args: make([]E, len(args))}
	direct, sorted := len(e.Args), len(e.Within)
	if direct != sorted {
		return out, sqlerr.From(noFunction(e, args)).
			WithHint("To use the hypothetical-set aggregate %s, the number of hypothetical direct arguments "+
				"(here %d) must match the number of ordering columns (here %d).", e.Name, direct, sorted)
	}
	for i := range direct {
		pos := []ast.Pos{Start(e.Within[i].Expr), Start(e.Args[i])}
		pair, _, err := c.Common([]E{args[direct+i], args[i]}, "WITHIN GROUP", pos)
		if err != nil {
			return out, err
		}
		out.Args[direct+i], out.Args[i] = pair[0], pair[1]
	}
	return out, nil
}

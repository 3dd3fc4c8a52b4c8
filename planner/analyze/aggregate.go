package analyze

import (
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pg"
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
	// Collation is that of the arguments, and of the result if it is a text.
	Collation types.Collation
	// Gathered is the first of the arguments that become one array, negative if none do.
	Gathered int
}

// ofSystem says whether a call may mean what is built in.
func ofSystem(e *ast.Call) bool { return e.Schema == "" || e.Schema == pg.CatalogSchema }

// BuiltIn are the overloads of the built-in aggregate that a call means, nil when it means none.
func BuiltIn(e *ast.Call) []*expr.Aggregate {
	if !ofSystem(e) || builtin.Windows(e.Name) != nil && len(e.Args) == 0 && e.Within == nil {
		return nil
	}
	return builtin.Aggregates(e.Name)
}

// IsAggregate says whether a call is one of an aggregate, also with OVER.
func (c Coercion[E]) IsAggregate(e *ast.Call) bool {
	return BuiltIn(e) != nil || c.usersAggregates(e) != nil
}

// usersAggregates are the aggregates of the catalog which take as many arguments as a call has.
func (c Coercion[E]) usersAggregates(e *ast.Call) (out []*expr.Function) {
	for _, fn := range c.caster.Aggregates(e.Schema, e.Name) {
		if n := len(e.Args); n == len(fn.Args) || n > len(fn.Args) && fn.Variadic {
			out = append(out, fn)
		}
	}
	return out
}

// Aggregate chooses among the overloads of an aggregate: the built-in ones before those of the catalog.
func (c Coercion[E]) Aggregate(e *ast.Call, args []E) (Aggregate[E], error) {
	all := BuiltIn(e)
	if len(all) > 0 && all[0].Hypothetical && e.Within != nil {
		return c.hypothetical(e, all[0], args)
	}
	if users := c.usersAggregates(e); users != nil && e.Within == nil {
		out, found, err := c.usersAggregate(e, args, users)
		if found || err != nil || all == nil {
			return out, err
		}
	}
	signature := func(i int) Signature { return Signature{all[i].Args, all[i].Result} }
	i, out, err := c.suited(e, args, len(all), signature, -1)
	if i >= 0 {
		out.Fn = all[i]
	}
	return out, err
}

// usersAggregate chooses among aggregates of the catalog. It finds none where a built-in one suits, too.
func (c Coercion[E]) usersAggregate(e *ast.Call, args []E, all []*expr.Function) (
	out Aggregate[E], ok bool, err error,
) {
	given := Types(args)
	var builtIn [][]types.OID
	for _, a := range BuiltIn(e) {
		builtIn = append(builtIn, a.Args)
	}
	if at, _ := overload(given, builtIn); at >= 0 {
		return out, false, nil
	}
	fn, ambiguous := ChooseFunction(all, Given{Types: given, Names: e.ArgNames, Variadic: e.Variadic})
	switch {
	case ambiguous:
		return out, false, sqlerr.New(sqlerr.AmbiguousFunction, "function %s is not unique",
			Called{Schema: e.Schema, Name: e.Name, Types: Types(args), Names: e.ArgNames}).
			WithHint("Could not choose a best candidate function. You might need to add explicit type casts.").At(int(e.Pos))
	case fn == nil:
		return out, false, noFunction(e, args)
	}
	s, err := fn.Resolve(given)
	if err != nil {
		return out, false, sqlerr.From(err).At(int(e.Pos))
	}
	out.Fn = &expr.Aggregate{Name: fn.Fn.Name, Args: fn.Fn.Args, Result: fn.Fn.Result, Doc: fn.Fn.Doc,
		Routine: fn.Fn.Routine}
	if builtin.Aggregates(e.Name) != nil { // rules know them by their names
		out.Fn.Name = fn.Fn.Schema + "." + fn.Fn.Name
	}
	out.Gathered, out.T = -1, c.caster.Typed(s.Result)
	if fn.Fn.Variadic && !e.Variadic {
		out.Gathered = len(fn.Fn.Args) - 1
	}
	err = c.arguments(&out, args, s.Args, e.Pos)
	return out, true, err
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
	given := Types(args)
	best, _ = overload(given, lists)
	if best < 0 {
		return best, out, noFunction(e, args)
	}
	s, err := signature(best).Resolve(given)
	if err != nil {
		return best, out, sqlerr.From(err).At(int(at))
	}
	out.T = c.caster.Typed(s.Result)
	return best, out, c.arguments(&out, args, s.Args, e.Pos)
}

// arguments coerces the arguments of an aggregate, and gives it and them the collation that they have together.
func (c Coercion[E]) arguments(out *Aggregate[E], args []E, declared []types.OID, pos ast.Pos) (err error) {
	if out.Args, err = c.Arguments(args, declared, pos); err != nil {
		return err
	}
	out.Args, out.Collation, err = c.caster.Collate(out.Args)
	return err
}

// noFunction is the error for a call that no aggregate or window function suits.
func noFunction[E Typed](e *ast.Call, args []E) error {
	return Called{Schema: e.Schema, Name: e.Name, Types: Types(args)}.NoFunction(e.Pos)
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

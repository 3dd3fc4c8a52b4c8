package bound

import (
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/types"
)

func (a *analyzer) call(e *ast.Call) (Node, error) {
	if n, ok := valueFunctionOf(e); ok {
		return n, nil
	}
	args, err := a.exprs(e.Args)
	if err != nil {
		return nil, err
	}
	within, err := a.sorted(e.Within)
	if err != nil {
		return nil, err
	}
	given := make([]types.OID, 0, len(args)+len(within))
	for _, n := range args {
		given = append(given, n.typ().OID)
	}
	for _, s := range within {
		given = append(given, s.Expr.typ().OID)
	}
	proc, chosen, err := chooseProc(e, given)
	if err != nil {
		return nil, err
	}
	if proc == nil { // the name of a type
		to, _ := types.Lookup(e.Name)
		return a.coerceTo(args[0], types.Of(to.OID), types.Explicit, ExplicitCall)
	}
	declared := chosen.Args
	hypothetical(proc, given, declared)
	for i := range args {
		if args[i], err = a.coerce(args[i], declared[i], types.Implicit, ImplicitCast); err != nil {
			return nil, err
		}
	}
	for i := range within {
		if within[i].Expr, err = a.sortedAs(within[i].Expr, declared[len(args)+i]); err != nil {
			return nil, err
		}
	}
	if proc.Kind == 'f' {
		out := &Call{Proc: proc, Args: args, Names: e.ArgNames, t: types.Of(chosen.Result), Variadic: e.Variadic}
		if e.Syntax {
			out.Form = SQLSyntax
		}
		return out, nil
	}
	return a.aggregate(e, &Aggregate{Proc: proc, Args: args, Within: within, t: types.Of(chosen.Result),
		Variadic: e.Variadic})
}

// hypothetical gives each argument of a hypothetical set the type that it has in common with
// what the set is sorted by.
func hypothetical(proc *pgproc.Proc, given, declared []types.OID) {
	if proc.Kind != 'a' || proc.Variadic != types.OIDAny || len(given)%2 != 0 {
		return
	}
	half := len(given) / 2
	for i := range half {
		t := commonType([]Node{&CaseTest{types.Of(given[i])}, &CaseTest{types.Of(given[half+i])}})
		declared[i], declared[half+i] = t, t
	}
}

// sortedAs is what WITHIN GROUP sorts by, as the aggregate takes it.
func (s *Source) sortedAs(n Node, t types.OID) (Node, error) {
	if t == types.OIDAny {
		return s.known(n)
	}
	return s.coerce(n, t, types.Implicit, ImplicitCast)
}

func (a *analyzer) aggregate(e *ast.Call, out *Aggregate) (Node, error) {
	var err error
	out.Star, out.Distinct = e.Star, e.Distinct
	if out.Order, err = a.sorted(e.OrderBy); err != nil {
		return nil, err
	}
	if e.Filter != nil {
		if out.Filter, err = a.boolean(a.expr(e.Filter)); err != nil {
			return nil, err
		}
	}
	if e.Over != nil {
		out.Over, err = a.window(e.Over)
	}
	return out, err
}

// sorted is ORDER BY where only expressions stand.
func (a *analyzer) sorted(list []ast.Sort) ([]SortItem, error) {
	var out []SortItem
	for _, s := range list {
		n, err := a.expr(s.Expr)
		if err == nil {
			n, err = a.known(n)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, sortOf(n, s))
	}
	return out, nil
}

func sortOf(n Node, s ast.Sort) SortItem {
	return SortItem{Expr: n, Desc: s.Desc, NullsFirst: s.NullsFirst()}
}

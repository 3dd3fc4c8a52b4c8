package bound

import (
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/types"
)

// Aggregate implements analyze.Maker.
func (m maker) Aggregate(e *ast.Call) (Node, error) {
	args, err := m.analysis().Exprs(e.Args)
	if err != nil {
		return nil, err
	}
	within, err := m.sorted(e.Within)
	if err != nil {
		return nil, err
	}
	given := analyze.OIDs(args)
	for _, s := range within {
		given = append(given, s.Expr.Type().OID)
	}
	proc, chosen, err := chooseProc(e, given)
	if err != nil {
		return nil, err
	}
	declared := chosen.Args
	hypothetical(proc, given, declared)
	if args, err = m.coercion().Arguments(args, declared[:len(args)], 0); err != nil {
		return nil, err
	}
	for i := range within {
		if within[i].Expr, err = m.sortedAs(within[i].Expr, declared[len(args)+i]); err != nil {
			return nil, err
		}
	}
	return m.aggregate(e, &Aggregate{Proc: proc, Args: args, Within: within, typed: typed{types.Of(chosen.Result)},
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
		t := commonType([]Node{&CaseTest{typed{types.Of(given[i])}}, &CaseTest{typed{types.Of(given[half+i])}}})
		declared[i], declared[half+i] = t, t
	}
}

// sortedAs is what WITHIN GROUP sorts by, as the aggregate takes it.
func (s *Source) sortedAs(n Node, t types.OID) (Node, error) {
	if t == types.OIDAny {
		return s.known(n, nil)
	}
	return s.to(n, types.Of(t), types.Implicit)
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
		n, err := a.known(a.expr(s.Expr))
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

package bound

import (
	"slices"

	"zproxy/expr/builtin"
	"zproxy/expr/builtin/pgproc"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/clause"
	"zproxy/sqlerr"
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
	for _, s := range within {
		args = append(args, s.Expr)
	}
	choose := m.coercion().WindowFunction
	if analyze.IsAggregate(e) {
		choose = m.coercion().Aggregate
	}
	chosen, err := choose(e, args)
	if err != nil {
		return nil, err
	}
	proc, direct := procOf(chosen), len(e.Args)
	if proc == nil {
		return nil, sqlerr.Unsupported("printing a call of %s", e.Name)
	}
	for i := range within {
		within[i].Expr = chosen.Args[direct+i]
	}
	return m.aggregate(e, &Aggregate{Proc: proc, Args: chosen.Args[:direct], Within: within,
		typed: typed{chosen.T}, Variadic: e.Variadic})
}

// procOf is the row of pg_proc for an aggregate or a window function, nil when there is none.
func procOf(a analyze.Aggregate[Node]) *pgproc.Proc {
	kind, name, args := byte('w'), "", []types.OID(nil)
	if a.Window != nil {
		name, args = a.Window.Name, a.Window.Args
	} else {
		kind, name, args = 'a', a.Fn.Name, a.Fn.Args
	}
	for _, p := range builtin.ProcsNamed("", name) {
		if p.Kind == kind && slices.Equal(p.Args, args) {
			return p
		}
	}
	return nil
}

func (a *analyzer) aggregate(e *ast.Call, out *Aggregate) (Node, error) {
	var err error
	out.Star, out.Distinct = e.Star, e.Distinct
	if out.Order, err = a.sorted(e.OrderBy); err != nil {
		return nil, err
	}
	if e.Filter != nil {
		if out.Filter, err = a.analysis().Condition(e.Filter, "FILTER"); err != nil {
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
	all, err := clause.Sorted(a.analysis(), list)
	return sortItems(all), err
}

func sortItems(list []clause.Sort[Node]) (out []SortItem) {
	for _, s := range list {
		out = append(out, SortItem{Sort: s})
	}
	return out
}

package bound

import (
	"reflect"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/routine"
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
	same := func(x, y Node) bool { return reflect.DeepEqual(x, y) }
	made, err := clause.NewAggregate(m.analysis(), e, same)
	if err != nil {
		return nil, err
	}
	proc := procOf(made.Aggregate)
	if made.Fn != nil && made.Fn.Routine != nil {
		proc = routine.Proc(made.Fn.Routine.(*catalog.Function), types.T.String)
	}
	if proc == nil {
		return nil, sqlerr.Unsupported("printing a call of %s", e.Name)
	}
	out := &Aggregate{Proc: proc, Args: made.Args[:len(e.Args)], Star: e.Star, Distinct: e.Distinct,
		Variadic: e.Variadic, Order: sortItems(made.Order), Within: sortItems(made.Within), typed: typed{made.T}}
	if e.Filter != nil {
		if out.Filter, err = m.analysis().Condition(e.Filter, "FILTER"); err != nil {
			return nil, err
		}
	}
	if e.Over != nil {
		out.Over, err = m.window(e.Over)
	}
	return out, err
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

func sortItems(list []clause.Sort[Node]) (out []SortItem) {
	for _, s := range list {
		out = append(out, SortItem{Sort: s})
	}
	return out
}

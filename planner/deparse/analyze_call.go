package deparse

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/types"
)

func (a *analyzer) call(e *ast.Call) (node, error) {
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
		given = append(given, s.expr.typ().OID)
	}
	proc, chosen, err := chooseProc(e, given)
	if err != nil {
		return nil, err
	}
	if proc == nil { // the name of a type
		to, _ := types.Lookup(e.Name)
		return a.coerceTo(args[0], types.Of(to.OID), types.Explicit, explicitCall)
	}
	declared := chosen.Args
	hypothetical(proc, given, declared)
	for i := range args {
		if args[i], err = a.coerce(args[i], declared[i], types.Implicit, implicitCast); err != nil {
			return nil, err
		}
	}
	for i := range within {
		if within[i].expr, err = a.sortedAs(within[i].expr, declared[len(args)+i]); err != nil {
			return nil, err
		}
	}
	if proc.Kind == 'f' {
		out := &call{proc: proc, args: args, names: e.ArgNames, t: types.Of(chosen.Result), variadic: e.Variadic}
		if e.Syntax {
			out.form = sqlSyntax
		}
		return out, nil
	}
	return a.aggregate(e, &aggregate{proc: proc, args: args, within: within, t: types.Of(chosen.Result), variadic: e.Variadic})
}

// hypothetical gives each argument of a hypothetical set the type that it has in common with
// what the set is sorted by.
func hypothetical(proc *expr.Proc, given, declared []types.OID) {
	if proc.Kind != 'a' || proc.Variadic != types.OIDAny || len(given)%2 != 0 {
		return
	}
	half := len(given) / 2
	for i := range half {
		t := commonType([]node{&caseTest{types.Of(given[i])}, &caseTest{types.Of(given[half+i])}})
		declared[i], declared[half+i] = t, t
	}
}

// sortedAs is what WITHIN GROUP sorts by, as the aggregate takes it.
func (a *analyzer) sortedAs(n node, t types.OID) (node, error) {
	if t == types.OIDAny {
		return a.known(n)
	}
	return a.coerce(n, t, types.Implicit, implicitCast)
}

func (a *analyzer) aggregate(e *ast.Call, out *aggregate) (node, error) {
	var err error
	out.star, out.distinct = e.Star, e.Distinct
	if out.order, err = a.sorted(e.OrderBy); err != nil {
		return nil, err
	}
	if e.Filter != nil {
		if out.filter, err = a.boolean(a.expr(e.Filter)); err != nil {
			return nil, err
		}
	}
	if e.Over != nil {
		out.over, err = a.window(e.Over)
	}
	return out, err
}

// sorted is ORDER BY where only expressions stand.
func (a *analyzer) sorted(list []ast.Sort) ([]sortItem, error) {
	var out []sortItem
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

func sortOf(n node, s ast.Sort) sortItem {
	first := s.Nulls == ast.NullsFirst || s.Nulls == ast.NullsDefault && s.Desc
	return sortItem{expr: n, desc: s.Desc, nullsFirst: first}
}

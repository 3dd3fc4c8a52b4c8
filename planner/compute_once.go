package planner

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
)

// What is volatile has one value for each row wherever SQL takes it for one expression: a sort and a window over its
// order, the sets of GROUP BY and rows that go to files, a key of ORDER BY and its item of the select list. So it is
// computed by a projection below, and read as a column.

// callsVolatile says whether an expression calls a function whose result may differ with every call.
func callsVolatile(e expr.Expr) bool {
	return expr.Any(e, func(x expr.Expr) bool {
		c, ok := x.(expr.Call)
		return ok && c.Fn.Volatility == expr.Volatile
	})
}

// computeOnce computes those of some expressions below that are volatile, and gives what to read in their place.
func computeOnce(input plan.Node, exprs []expr.Expr) (plan.Node, []expr.Expr) {
	if !slices.ContainsFunc(exprs, callsVolatile) {
		return input, exprs
	}
	n := plan.Project{Input: input, Cols: slices.Clone(input.Columns())}
	for i, c := range n.Cols {
		n.Exprs = append(n.Exprs, expr.Column{Index: i, Name: c.Name, T: c.Type})
	}
	out := slices.Clone(exprs)
	for i, e := range exprs {
		if callsVolatile(e) {
			c := expr.Column{Index: len(n.Exprs), Name: e.String(), T: e.Type()}
			out[i], n.Exprs = c, append(n.Exprs, e)
			n.Cols = append(n.Cols, plan.Column{Name: c.Name, Type: c.T})
		}
	}
	return n, out
}

// volatiles are expressions that are computed once, each with the item of the select list that has its value; -1: none.
type volatiles struct {
	exprs   []expr.Expr
	items   []int
	columns []expr.Expr // to read in their place
}

// note adds an expression, if it is volatile.
func (v *volatiles) note(e expr.Expr, item int) {
	if callsVolatile(e) && v.find(e, item) < 0 {
		v.exprs, v.items = append(v.exprs, e), append(v.items, item)
	}
}

func (v *volatiles) find(e expr.Expr, item int) int {
	for i, x := range v.exprs {
		if v.items[i] == item && expr.Equal(x, e) {
			return i
		}
	}
	return -1
}

// read is what to read in the place of an expression.
func (v *volatiles) read(e expr.Expr, item int) expr.Expr {
	if i := v.find(e, item); i >= 0 {
		return v.columns[i]
	}
	return e
}

// readWithin is read for all that an expression is made of, whatever items there are.
func (v *volatiles) readWithin(e expr.Expr) expr.Expr {
	if i := bind.IndexOf(v.exprs, e); i >= 0 {
		return v.columns[i]
	}
	in := slices.Clone(e.Inputs())
	if len(in) == 0 {
		return e
	}
	for i := range in {
		in[i] = v.readWithin(in[i])
	}
	return e.WithInputs(in)
}

// compute computes the expressions below, and has the select list, ORDER BY and DISTINCT ON read them.
func (v *volatiles) compute(q *query, l *later) {
	q.input, v.columns = computeOnce(q.input, v.exprs)
	for i, k := range l.keys {
		l.keys[i].Expr = v.read(k.Expr, k.item)
	}
	for i, e := range l.on {
		l.on[i] = v.read(e, bind.IndexOf(q.list, e))
	}
	for i, item := range v.items {
		if item >= 0 {
			q.list[item] = v.columns[i]
		}
	}
}

// windowsOnce computes what windows are partitioned and ordered by once.
func windowsOnce(q *query, l *later) {
	var v volatiles
	for _, w := range q.Windows.Defs {
		for _, e := range w.Partition {
			v.note(e, bind.IndexOf(q.list, e))
		}
		for _, k := range w.Order {
			v.note(k.Expr, bind.IndexOf(q.list, k.Expr))
		}
	}
	if v.exprs == nil {
		return
	}
	v.compute(q, l)
	q.Windows.Each(func(list []expr.Expr) {
		for i := range list {
			list[i] = v.readWithin(list[i])
		}
	})
}

// sortOnce computes what ORDER BY and DISTINCT ON ask for once.
func sortOnce(q *query, l *later) {
	var v volatiles
	for _, k := range l.keys {
		v.note(k.Expr, k.item)
	}
	for _, e := range l.on {
		v.note(e, bind.IndexOf(q.list, e))
	}
	if v.exprs != nil {
		v.compute(q, l)
	}
}

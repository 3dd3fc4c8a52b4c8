package cardinality

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// computedOf are the expressions of which statistics of a scan's table know the values.
func computedOf(n plan.Scan) []plan.Predicate {
	var out []plan.Predicate
	for _, p := range n.Computed {
		if _, known := n.Table.Stats.Columns[p.Index]; known {
			out = append(out, p)
		}
	}
	return out
}

// withComputed are conditions in which columns behind all others stand for the expressions of which statistics know the
// values, and the rows with these columns.
func (e Estimator) withComputed(conds []expr.Expr, in profile) ([]expr.Expr, profile) {
	if !slices.ContainsFunc(in.columns, func(c column) bool { return c.of != nil && len(c.of.computed) > 0 }) {
		return conds, in
	}
	out := slices.Clone(conds)
	for i, cond := range conds {
		out[i], in = e.replaced(cond, in)
	}
	return out, in
}

// replaced is an expression with a column instead of each expression in it of which statistics know the values.
func (e Estimator) replaced(x expr.Expr, in profile) (expr.Expr, profile) {
	if c, ok := e.computedColumn(x, in); ok {
		at := slices.IndexFunc(in.columns, func(other column) bool { return other.of == c.of && other.id == c.id })
		if at < 0 {
			at = len(in.columns)
			in.columns = append(slices.Clip(in.columns), c)
		}
		return expr.Column{Index: at, Name: x.String(), T: x.Type()}, in
	}
	inputs := slices.Clone(x.Inputs())
	if len(inputs) == 0 {
		return x, in
	}
	for i := range inputs {
		inputs[i], in = e.replaced(inputs[i], in)
	}
	return x.WithInputs(inputs), in
}

// computedColumn is what statistics know of the values of an expression over columns of one table.
func (e Estimator) computedColumn(x expr.Expr, in profile) (column, bool) {
	if _, is := x.(expr.Column); is {
		return column{}, false
	}
	read := readBy(x)
	if len(read) == 0 || read[len(read)-1] >= len(in.columns) {
		return column{}, false
	}
	r := in.columns[read[0]].of
	other := func(at int) bool { return in.columns[at].of != r || r.table.Ordinal(in.columns[at].id) < 0 }
	if r == nil || len(r.computed) == 0 || slices.ContainsFunc(read, other) {
		return column{}, false
	}
	same := expr.Rewrite(x, func(x expr.Expr) expr.Expr {
		switch x := x.(type) {
		case expr.Column:
			x.Index = r.table.Ordinal(in.columns[x.Index].id)
			return x
		case expr.Param:
			if v, err := x.Eval(e.Values, nil); err == nil {
				return expr.Const{Value: v, T: x.Type()}
			}
		}
		return x
	})
	for _, p := range r.computed {
		if expr.Equal(p.Cond, same) {
			return r.column(p.Index, in.rows), true
		}
	}
	return column{}, false
}

// column is one that statistics tell of, in so many rows of the table.
func (r *relation) column(id uint32, rows float64) column {
	c := r.base(id)
	c.distinct = math.Min(c.domain, drawn(c.domain, math.Max(1, r.table.RowCount()), rows))
	return c
}

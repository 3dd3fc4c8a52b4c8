package executor

import (
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// expressions compute the columns of a table that rows do not store, since they are those of expressions which indexes
// are over. A row that was read has NULL in them; keys of indexes are made of rows only behind this.
type expressions struct {
	ordinals []int
	values   []expr.Expr
	context  *expr.Context
}

// newExpressions computes those columns of a table to which a list gives values by their IDs.
func newExpressions(t *catalog.Table, list []plan.Predicate, c *expr.Context) expressions {
	out := expressions{context: c}
	for _, e := range list {
		if at := t.Ordinal(e.Index); at >= 0 {
			out.ordinals, out.values = append(out.ordinals, at), append(out.values, e.Cond)
		}
	}
	return out
}

// compute fills in the columns of a row.
func (e *expressions) compute(row types.Row) error {
	for i, ordinal := range e.ordinals {
		v, err := e.values[i].Eval(e.context, row)
		if err != nil {
			return err
		}
		row[ordinal] = v
	}
	return nil
}

// in are those of the columns that are among some.
func (e *expressions) in(columns []int) expressions {
	out := expressions{context: e.context}
	for i, ordinal := range e.ordinals {
		if slices.Contains(columns, ordinal) {
			out.ordinals, out.values = append(out.ordinals, ordinal), append(out.values, e.values[i])
		}
	}
	return out
}

// sources are the columns that the values are computed from.
func (e *expressions) sources() []int {
	set := map[int]bool{}
	for _, v := range e.values {
		expr.Columns(v, set)
	}
	return slices.Sorted(maps.Keys(set))
}

// blanks are the places among the columns of a table of those that rows do not store.
func blanks(t *catalog.Table) (out []int) {
	for i := range t.Columns {
		if t.Columns[i].Blank(t) {
			out = append(out, i)
		}
	}
	return out
}

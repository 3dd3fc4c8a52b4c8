package executor

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// returned is what a statement that writes returns. It is computed before the statement
// writes, as far as that can be, so that subqueries in it do not see the writes.
type returned struct {
	frame
	exprs []expr.Expr
	rows  []types.Row
	kept  slab
	held  hold // until the statement is over
}

func newReturned(f frame, n plan.Node) *returned {
	r := &returned{frame: f, held: f.hold(), exprs: returningOf(n)}
	r.kept.width = len(r.exprs)
	return r
}

// returningOf is the RETURNING list of a node that writes; nil: it has none.
func returningOf(n plan.Node) []expr.Expr {
	switch n := n.(type) {
	case plan.With:
		return returningOf(n.Input)
	case plan.WriteEach:
		return returningOf(n.In[0])
	case plan.Insert:
		return n.Returning
	case plan.Update:
		return n.Returning
	case plan.Delete:
		return n.Returning
	case plan.MergeInto:
		return n.Returning
	case plan.Instead:
		return n.Returning
	}
	return nil
}

// add returns something of a row.
func (r *returned) add(row types.Row) error {
	if r.exprs == nil {
		return nil
	}
	out := r.kept.add()
	r.rows = append(r.rows, out)
	if err := evaluate(out, r.exprs, r.env.Expr, row); err != nil {
		return err
	}
	return r.held.addRow(out)
}

// readsOnce says whether all that a plan reads is the rows of one scan, each once, so that
// it can be written to while it is read.
func readsOnce(n plan.Node) bool {
	if len(plan.Subqueries(n)) > 0 {
		return false
	}
	switch n := n.(type) {
	case plan.Scan, plan.Values:
		return true
	case plan.Append: // of the partitions of a table
		return !slices.ContainsFunc(n.In, func(in plan.Node) bool { return !readsOnce(in) })
	case plan.Filter, plan.Project, plan.Limit, plan.Sort:
		return readsOnce(n.Inputs()[0])
	}
	return false
}

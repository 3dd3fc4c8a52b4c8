package access

import (
	"slices"

	"zproxy/catalog"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
)

// holdsAll says whether an index holds every row that the scan wants, which a partial one does
// where no row that it leaves out can pass the conditions: a column in which it holds no NULL is
// NOT NULL in the table, or NULL in it fails a condition. One that does not is no candidate.
func (c *chooser) holdsAll(x *catalog.Index) bool {
	for _, id := range x.NotNull {
		at := c.scan.Table.Ordinal(id)
		column := c.scan.Table.Columns[at]
		if column.NotNull || slices.ContainsFunc(c.scan.Filter, func(cond expr.Expr) bool { return c.failsNull(cond, at) }) {
			continue
		}
		c.removed = append(c.removed, plan.Candidate{Path: x.Name, Removed: true, Verdict: "holds no rows with NULL in " + expr.QuoteIdent(column.Name)})
		return false
	}
	return true
}

// failsNull says whether a condition is not true for rows with NULL in a column, which is given
// by its place in the table.
func (c *chooser) failsNull(cond expr.Expr, column int) bool {
	return expr.RejectsNull(cond, func(i int) bool { return c.scan.Reads[i] == column })
}

package access

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/proof"
)

// holdsAll says whether an index holds every row that the scan wants, which a partial one does
// where the conditions imply its own. One that does not is no candidate.
func (c *chooser) holdsAll(x *catalog.Index) bool {
	for _, cond := range c.holds(x) {
		if proof.Implies(c.wanted(), cond, c.filled) {
			continue
		}
		c.removed = append(c.removed, plan.Candidate{Path: x.Name, Removed: true, Verdict: holdsOnly(cond)})
		return false
	}
	return true
}

// holdsOnly tells of a condition of a partial index that nothing implies.
func holdsOnly(cond expr.Expr) string {
	if null, ok := cond.(expr.IsNull); ok && null.Not {
		if column, ok := null.Arg.(expr.Column); ok {
			return "holds no rows with NULL in " + expr.QuoteIdent(column.Name)
		}
	}
	return "holds only rows with " + cond.String()
}

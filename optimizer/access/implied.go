package access

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/proof"
	"zproxy/types"
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

// holds are the conditions of an index, over the columns of the table.
func (c *chooser) holds(x *catalog.Index) []expr.Expr {
	if x == nil || !x.Partial() {
		return nil
	}
	at := slices.IndexFunc(c.scan.Holds, func(p plan.Predicate) bool { return p.Index == x.ID })
	if at < 0 {
		return []expr.Expr{unknown}
	}
	return expr.Conjuncts(c.scan.Holds[at].Cond)
}

// unknown is what nothing implies.
var unknown = expr.Const{T: types.Bool}

// holdsOnly tells of a condition of a partial index that nothing implies.
func holdsOnly(cond expr.Expr) string {
	if null, ok := cond.(expr.IsNull); ok && null.Not {
		if column, ok := null.Arg.(expr.Column); ok {
			return "holds no rows with NULL in " + expr.QuoteIdent(column.Name)
		}
	}
	return "holds only rows with " + cond.String()
}

// wanted are the conditions of the scan over the columns of the table.
func (c *chooser) wanted() []expr.Expr {
	if c.filter == nil {
		c.filter = []expr.Expr{}
		for _, cond := range c.scan.Filter {
			c.filter = append(c.filter, expr.Renumber(cond, func(i int) int { return c.scan.Reads[i] }))
		}
	}
	return c.filter
}

// filled says whether no row has NULL in a column.
func (c *chooser) filled(column int) bool {
	return c.scan.Table.Columns[column].NotNull || c.scan.Table.Columns[column].Declared
}

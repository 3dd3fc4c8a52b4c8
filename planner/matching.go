package planner

import (
	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
)

// predicate is what errors call a condition that stands in a text of its own.
const predicate = "predicates"

// Matching plans how the rows of a table are found for which a condition is true.
func (p *Planner) Matching(t *catalog.Table, cond ast.Expr, hint plan.Hint) (plan.Node, error) {
	rel, scan, err := p.scanTable(t, "", nil)
	if err != nil {
		return nil, err
	}
	if scan.Holds, err = p.holds(t); err != nil {
		return nil, err
	}
	sc := &scalars{Planner: p, scope: newScope(rel), where: predicate}
	e, err := sc.condition(cond, "WHERE")
	if err != nil {
		return nil, inStored(err)
	}
	scan.Hints = []plan.Hint{hint}
	return plan.Filter{Input: scan, Cond: e}, nil
}

package planner

import (
	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
)

// Matching plans how the rows of a table are found for which a condition is true.
func (p *Planner) Matching(t *catalog.Table, cond ast.Expr, hint plan.Hint) (plan.Node, error) {
	rel, scan, err := p.scanTable(t, "", nil)
	if err != nil {
		return nil, err
	}
	if err = p.indexed(&scan); err != nil {
		return nil, err
	}
	sc := p.expressions(bind.NewScope(rel), bind.Predicate)
	e, err := sc.Condition(cond, "WHERE")
	if err != nil {
		return nil, bind.InStored(err)
	}
	scan.Hints = []plan.Hint{hint}
	return plan.Filter{Input: scan, Cond: e}, nil
}

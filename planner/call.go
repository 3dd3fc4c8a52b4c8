package planner

import (
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
)

// planCall plans CALL: one row with what the procedure gives out, as a record, or NULL where it gives out nothing.
// Behind that are the arguments for what it gives out, which may be variables.
func (p *Planner) planCall(tree *ast.Call, sc *bind.Scope) (plan.Node, error) {
	call, into, err := p.Over(sc, nil, "CALL arguments").Procedure(tree)
	if err != nil {
		return nil, err
	}
	out := plan.Project{Input: plan.Values{Rows: [][]expr.Expr{{}}}, Exprs: append([]expr.Expr{call}, into...)}
	for _, e := range out.Exprs {
		out.Cols = append(out.Cols, plan.Column{Name: tree.Name, Type: e.Type()})
	}
	return out, nil
}

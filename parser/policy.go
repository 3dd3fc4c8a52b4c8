package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// policies converts the statements about policies of row security.
type policies struct{ *converter }

func (c policies) create(n *pg.CreatePolicyStmt) ast.Statement {
	out := &ast.Policy{Name: n.PolicyName, Table: c.tableOnly(n.Table), Restrictive: !n.Permissive, Command: n.CmdName,
		Roles: c.roleNames(n.Roles)}
	c.conditions(out, n.Qual, n.WithCheck)
	return out
}

func (c policies) alter(n *pg.AlterPolicyStmt) ast.Statement {
	out := &ast.Policy{Alter: true, Name: n.PolicyName, Table: c.tableOnly(n.Table), Roles: c.roleNames(n.Roles)}
	c.conditions(out, n.Qual, n.WithCheck)
	return out
}

func (c policies) conditions(out *ast.Policy, using, check *pg.Node) {
	if using != nil {
		out.Using, out.UsingText = c.expr(using), c.deparseExpr(using)
	}
	if check != nil {
		out.Check, out.CheckText = c.expr(check), c.deparseExpr(check)
	}
}

// drop is DROP POLICY, whose one object is the name of the table with that of the policy. Nothing depends on a policy,
// so that CASCADE does not matter.
func (c policies) drop(n *pg.DropStmt) ast.Statement {
	c.refuse(n.Concurrent, n, "CONCURRENTLY")
	parts := names(n.Objects[0].GetList().GetItems())
	last := len(parts) - 1
	return &ast.DropPolicy{Name: parts[last], Table: c.nameOf(parts[:last]), IfExists: n.MissingOk}
}

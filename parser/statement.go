package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// statement converts a statement of any kind.
func (c *converter) statement(node *pg.Node) ast.Statement {
	switch n := node.GetNode().(type) {
	case *pg.Node_CopyStmt:
		return c.copy(n.CopyStmt)
	case *pg.Node_CreateStmt:
		return c.createTable(n.CreateStmt)
	case *pg.Node_IndexStmt:
		return c.createIndex(n.IndexStmt)
	case *pg.Node_DropStmt:
		return c.drop(n.DropStmt)
	case *pg.Node_VacuumStmt:
		return c.analyze(n.VacuumStmt)
	case *pg.Node_ExplainStmt:
		return &ast.Explain{Statement: c.statement(n.ExplainStmt.Query), Options: c.options(n.ExplainStmt.Options)}
	case *pg.Node_VariableSetStmt:
		return c.set(n.VariableSetStmt)
	case *pg.Node_VariableShowStmt:
		return &ast.Show{Name: n.VariableShowStmt.Name}
	case *pg.Node_TransactionStmt:
		return c.transaction(n.TransactionStmt)
	}
	return c.dml(node)
}

// dml converts a statement that may stand in WITH, too.
func (c *converter) dml(node *pg.Node) ast.Statement {
	switch n := node.GetNode().(type) {
	case *pg.Node_SelectStmt:
		return c.selectStmt(n.SelectStmt)
	case *pg.Node_InsertStmt:
		return c.insert(n.InsertStmt)
	case *pg.Node_UpdateStmt:
		return c.update(n.UpdateStmt)
	case *pg.Node_DeleteStmt:
		return c.delete(n.DeleteStmt)
	}
	c.unknown(node)
	return nil
}

package parser

import (
	"slices"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// elements converts the statements in CREATE SCHEMA.
type elements struct {
	*converter
	schema string // empty: that of the owner
}

// all are the statements in the order in which PostgreSQL runs them.
func (c elements) all(list []*pg.Node) []ast.Statement {
	var out []ast.Statement
	for _, n := range list {
		c.mayName(n)
		out = append(out, c.definition(n))
	}
	slices.SortStableFunc(out, func(a, b ast.Statement) int { return elementOrder(a) - elementOrder(b) })
	return out
}

func elementOrder(s ast.Statement) int {
	switch s.(type) {
	case *ast.CreateSequence:
		return 0
	case *ast.CreateTable:
		return 1
	case *ast.CreateView:
		return 2
	case *ast.CreateIndex:
		return 3
	}
	return 4
}

// mayName refuses an object in another schema.
func (c elements) mayName(node *pg.Node) {
	var relation *pg.RangeVar
	switch n := node.GetNode().(type) {
	case *pg.Node_CreateSeqStmt:
		relation = n.CreateSeqStmt.Sequence
	case *pg.Node_CreateStmt:
		relation = n.CreateStmt.Relation
	case *pg.Node_ViewStmt:
		relation = n.ViewStmt.View
	case *pg.Node_IndexStmt:
		relation = n.IndexStmt.Relation
	}
	if other := relation.GetSchemaname(); other != "" && other != c.schema {
		c.fail(sqlerr.New(sqlerr.InvalidSchemaDefinition,
			"CREATE specifies a schema (%s) different from the one being created (%s)", other, c.schema))
	}
}

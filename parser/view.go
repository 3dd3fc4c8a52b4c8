package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// selectInto is a SELECT, or the CREATE TABLE AS that its INTO stands for. Of a set operation
// the leftmost SELECT may have it.
func (c *converter) selectInto(n *pg.SelectStmt) ast.Statement {
	left := leftmost(n)
	if left.GetIntoClause() == nil {
		return c.selectStmt(n)
	}
	c.into = left.IntoClause
	query := c.selectStmt(n)
	c.into = nil
	out := c.tableFrom(left.IntoClause, query)
	out.Into = true
	return out
}

// leftmost is the first SELECT of a set operation.
func leftmost(n *pg.SelectStmt) *pg.SelectStmt {
	for n.GetLarg() != nil {
		n = n.Larg
	}
	return n
}

func (c *converter) createTableAs(n *pg.CreateTableAsStmt) ast.Statement {
	var query ast.Statement
	if n.Query.GetExecuteStmt() != nil {
		query = c.execute(n.Query.GetExecuteStmt())
	} else {
		query = c.query(n.Query)
	}
	out := c.tableFrom(n.Into, query)
	out.IfNotExists = n.IfNotExists
	if out.Materialized = n.Objtype == pg.ObjectType_OBJECT_MATVIEW; out.Materialized {
		out.Text = c.deparse(n.Query)
	}
	return out
}

// refresh is REFRESH MATERIALIZED VIEW.
func refresh(c *converter, n *pg.RefreshMatViewStmt) ast.Statement {
	return &ast.Refresh{View: c.tableOnly(n.Relation), Concurrently: n.Concurrent, NoData: n.SkipData}
}

// tableFrom is the table that a query fills.
func (c *converter) tableFrom(n *pg.IntoClause, query ast.Statement) *ast.CreateTableAs {
	c.accessMethod(n.GetAccessMethod(), n.GetRel())
	c.tablespace(n.GetTableSpaceName(), n.GetRel())
	return &ast.CreateTableAs{
		Table:   c.tableOnly(n.GetRel()),
		Columns: names(n.GetColNames()),
		Query:   query,
		NoData:  n.GetSkipData(),
		Options: c.storageParameters(n.GetOptions()),

		OnCommit: c.onCommit(n.GetOnCommit(), n.GetRel()),
	}
}

func (c *converter) createView(n *pg.ViewStmt) ast.Statement {
	options := c.storageParameters(n.Options)
	switch n.WithCheckOption {
	case pg.ViewCheckOption_LOCAL_CHECK_OPTION:
		options = append(options, ast.Option{Name: "check_option", Value: "local", Pos: -1})
	case pg.ViewCheckOption_CASCADED_CHECK_OPTION:
		options = append(options, ast.Option{Name: "check_option", Value: "cascaded", Pos: -1})
	}
	return &ast.CreateView{
		Name:    c.tableOnly(n.View),
		Replace: n.Replace,
		Columns: names(n.Aliases),
		Query:   c.query(n.Query),
		Text:    c.deparse(n.Query),
		Options: options,
	}
}

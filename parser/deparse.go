package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/sqlerr"
)

// deparse is the text of a query that the catalog keeps.
func (c *converter) deparse(query *pg.Node) string {
	text, err := pg.Deparse(&pg.ParseResult{Version: c.version, Stmts: []*pg.RawStmt{{Stmt: query}}})
	if err != nil {
		c.fail(sqlerr.Wrap(err, sqlerr.FeatureNotSupported, "the text of this definition cannot be kept"))
	}
	return text
}

// deparseExpr is the text of an expression that the catalog keeps.
func (c *converter) deparseExpr(e *pg.Node) string {
	target := &pg.Node{Node: &pg.Node_ResTarget{ResTarget: &pg.ResTarget{Val: e}}}
	query := &pg.SelectStmt{
		TargetList:  []*pg.Node{target},
		Op:          pg.SetOperation_SETOP_NONE,
		LimitOption: pg.LimitOption_LIMIT_OPTION_DEFAULT,
	}
	return strings.TrimPrefix(c.deparse(&pg.Node{Node: &pg.Node_SelectStmt{SelectStmt: query}}), "SELECT ")
}

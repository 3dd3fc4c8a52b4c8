package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/sqlerr"
)

// deparse is the text of a query that the catalog keeps, without its hints. It is read once
// here, so that nothing is kept that cannot be read later.
func (c *converter) deparse(query *pg.Node) string {
	text, err := pg.Deparse(&pg.ParseResult{Version: c.version, Stmts: []*pg.RawStmt{{Stmt: query}}})
	if err != nil || !readable(text) {
		c.fail(sqlerr.Unsupported("keeping the text of this definition"))
	}
	return text
}

func readable(text string) bool {
	if guard(text) != nil {
		return false
	}
	_, refused := postgres(text)
	return refused == nil
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

package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// statistics converts the statements about statistics objects.
type statistics struct{ *converter }

// create is CREATE STATISTICS. A column may stand in parentheses, as expressions do.
func (c statistics) create(n *pg.CreateStatsStmt) ast.Statement {
	out := &ast.Statistics{Exists: n.IfNotExists, Kinds: names(n.StatTypes)}
	if len(n.Defnames) > 0 {
		out.Name = c.nameOf(names(n.Defnames))
	}
	for _, e := range n.Exprs {
		column, text := e.GetStatsElem().GetName(), ""
		computed := ast.Expr(&ast.Column{Parts: []string{column}, Pos: -1})
		if of := e.GetStatsElem().GetExpr(); of != nil {
			if parts := names(of.GetColumnRef().GetFields()); len(parts) == 1 {
				column, computed = column+parts[0], &ast.Column{Parts: parts, Pos: -1}
			} else {
				computed, text = c.expr(of), c.deparseExpr(of)
			}
		}
		out.Columns, out.Exprs = append(out.Columns, column), append(out.Exprs, computed)
		out.Texts = append(out.Texts, text)
	}
	switch {
	case len(n.Relations) != 1:
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported, "only a single relation is allowed in CREATE STATISTICS"))
	case n.Relations[0].GetRangeVar() == nil:
		c.fail(sqlerr.New(sqlerr.FeatureNotSupported,
			"CREATE STATISTICS only supports relation names in the FROM clause"))
	default:
		out.Table = c.tableOnly(n.Relations[0].GetRangeVar())
	}
	return out
}

// alter is ALTER STATISTICS ... SET STATISTICS, whose number may be DEFAULT.
func (c statistics) alter(n *pg.AlterStatsStmt) ast.Statement {
	target := -1
	if n.Stxstattarget != nil {
		target = int(n.Stxstattarget.GetInteger().GetIval())
	}
	return &ast.Statistics{Name: c.nameOf(names(n.Defnames)), Exists: n.MissingOk, Target: &target}
}

package parser

import (
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// operation is an operator or one of the predicates that the grammar writes as operators.
func (c *converter) operation(n *pg.A_Expr) ast.Expr {
	pos, name := c.at(n.Location), c.operatorName(n.Name)
	switch n.Kind {
	case pg.A_Expr_Kind_AEXPR_OP:
		return &ast.Operator{Name: name, System: len(n.Name) == 2 && name != dotted(names(n.Name)),
			Left: c.maybe(n.Lexpr), Right: c.expr(n.Rexpr), Pos: pos}
	case pg.A_Expr_Kind_AEXPR_DISTINCT, pg.A_Expr_Kind_AEXPR_NOT_DISTINCT:
		not := n.Kind == pg.A_Expr_Kind_AEXPR_NOT_DISTINCT
		return &ast.Distinct{Left: c.expr(n.Lexpr), Right: c.expr(n.Rexpr), Not: not, Pos: pos}
	case pg.A_Expr_Kind_AEXPR_NULLIF:
		return &ast.NullIf{Left: c.expr(n.Lexpr), Right: c.expr(n.Rexpr), Pos: pos}
	case pg.A_Expr_Kind_AEXPR_IN:
		return &ast.In{Arg: c.expr(n.Lexpr), List: c.exprs(n.Rexpr.GetList().GetItems()), Not: name == "<>", Pos: pos}
	case pg.A_Expr_Kind_AEXPR_LIKE, pg.A_Expr_Kind_AEXPR_ILIKE:
		return c.like(n, name)
	case pg.A_Expr_Kind_AEXPR_BETWEEN, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN,
		pg.A_Expr_Kind_AEXPR_BETWEEN_SYM, pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM:
		return c.between(n)
	case pg.A_Expr_Kind_AEXPR_SIMILAR:
		return c.similar(n, name)
	case pg.A_Expr_Kind_AEXPR_OP_ANY, pg.A_Expr_Kind_AEXPR_OP_ALL:
		return c.quantified(n, name)
	default:
		c.refuse(true, n, "this operator")
	}
	return nil
}

// operatorName is the name of an operator without pg_catalog, where all are that are no extension's.
func (c *converter) operatorName(name []*pg.Node) string {
	parts := names(name)
	if len(parts) == 2 && parts[0] == "pg_catalog" {
		parts = parts[1:]
	}
	return dotted(parts)
}

// like is LIKE or ILIKE. The grammar wraps a pattern that has an ESCAPE in like_escape.
func (c *converter) like(n *pg.A_Expr, name string) ast.Expr {
	out := &ast.Like{
		Arg:         c.expr(n.Lexpr),
		Not:         strings.HasPrefix(name, "!"),
		Insensitive: n.Kind == pg.A_Expr_Kind_AEXPR_ILIKE,
		Pos:         c.at(n.Location),
	}
	out.Pattern = c.expr(n.Rexpr)
	if call, ok := out.Pattern.(*ast.Call); ok && isLikeEscape(call) {
		out.Pattern, out.Escape = call.Args[0], call.Args[1]
	}
	return out
}

// similar is SIMILAR TO: the match of a regular expression that the grammar has made a call
// turn its pattern into.
func (c *converter) similar(n *pg.A_Expr, name string) ast.Expr {
	return &ast.Operator{Name: name, Left: c.expr(n.Lexpr), Right: c.expr(n.Rexpr), Pos: c.at(n.Location)}
}

func isLikeEscape(call *ast.Call) bool {
	plain := !call.Star && !call.Distinct && !call.Variadic && call.OrderBy == nil && call.Within == nil
	return plain && call.Filter == nil && call.Over == nil && call.ArgNames == nil && call.Schema == "pg_catalog" &&
		call.Name == "like_escape" && len(call.Args) == 2
}

func (c *converter) between(n *pg.A_Expr) ast.Expr {
	bounds := n.Rexpr.GetList().GetItems()
	if len(bounds) != 2 {
		c.refuse(true, n, "BETWEEN without two bounds")
		return nil
	}
	return &ast.Between{
		Arg:       c.expr(n.Lexpr),
		Low:       c.expr(bounds[0]),
		High:      c.expr(bounds[1]),
		Not:       n.Kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN || n.Kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM,
		Symmetric: n.Kind == pg.A_Expr_Kind_AEXPR_BETWEEN_SYM || n.Kind == pg.A_Expr_Kind_AEXPR_NOT_BETWEEN_SYM,
		Pos:       c.at(n.Location),
	}
}

// dotted is a name as it was written.
func dotted(parts []string) string { return strings.Join(parts, ".") }

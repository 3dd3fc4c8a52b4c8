package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// subquery is a query in an expression. IN comes as = ANY, and NOT IN as NOT over it.
func (c *converter) subquery(n *pg.SubLink) ast.Expr {
	out := &ast.Subquery{Left: c.maybe(n.Testexpr), Operator: c.operatorName(n.OperName), Pos: c.at(n.Location)}
	out.Select = c.query(n.Subselect)
	switch n.SubLinkType {
	case pg.SubLinkType_EXPR_SUBLINK:
		out.Kind = ast.ScalarSubquery
	case pg.SubLinkType_EXISTS_SUBLINK:
		out.Kind = ast.ExistsSubquery
	case pg.SubLinkType_ARRAY_SUBLINK:
		out.Kind = ast.ArraySubquery
	case pg.SubLinkType_ANY_SUBLINK:
		out.Kind = ast.AnySubquery
		if out.Operator == "" {
			out.Operator = "="
		}
	case pg.SubLinkType_ALL_SUBLINK:
		out.Kind = ast.AllSubquery
	default:
		c.refuse(true, n, "a subquery of this kind")
	}
	return out
}

// quantified is an operator with ANY or ALL over an array.
func (c *converter) quantified(n *pg.A_Expr, operator string) ast.Expr {
	return &ast.Quantified{
		Left:     c.expr(n.Lexpr),
		Operator: operator,
		All:      n.Kind == pg.A_Expr_Kind_AEXPR_OP_ALL,
		Array:    c.expr(n.Rexpr),
		Pos:      c.at(n.Location),
	}
}

// indirection is a chain of subscripts and fields behind an expression. Adjacent subscripts
// are one node. Nothing in the chain has a position, so each has that of the expression.
func (c *converter) indirection(n *pg.A_Indirection) ast.Expr {
	out := c.expr(n.Arg)
	pos := position(out)
	var last *ast.Subscript
	for _, i := range n.Indirection {
		switch {
		case i.GetAIndices() != nil:
			if last == nil {
				last = &ast.Subscript{Arg: out, Pos: pos}
				out = last
			}
			last.Indexes = append(last.Indexes, c.index(i.GetAIndices()))
		case i.GetAStar() != nil:
			out, last = &ast.Field{Arg: out, Name: "*", Pos: pos}, nil
		default:
			out, last = &ast.Field{Arg: out, Name: i.GetString_().GetSval(), Pos: pos}, nil
		}
	}
	return out
}

func (c *converter) index(n *pg.A_Indices) ast.SubscriptIndex {
	return ast.SubscriptIndex{Slice: n.IsSlice, Low: c.maybe(n.Lidx), High: c.maybe(n.Uidx)}
}

package parser

import (
	pg "github.com/pganalyze/pg_query_go/v6"

	"zproxy/parser/ast"
)

// groupBy are the items of GROUP BY. Parentheses around several expressions make no row. An empty list beside other
// items says nothing.
func (c *converter) groupBy(list []*pg.Node) []ast.Grouping {
	var out []ast.Grouping
	var empty *ast.Grouping
	for _, n := range list {
		item := c.grouping(n)
		switch {
		case item.Kind != ast.GroupingList:
			out = append(out, item)
		case len(item.Parts) == 0:
			empty = &item
		default:
			out = append(out, item.Parts...)
		}
	}
	if len(out) == 0 && empty != nil {
		return []ast.Grouping{*empty}
	}
	return out
}

// grouping is one item of GROUP BY, or of what stands for sets.
func (c *converter) grouping(n *pg.Node) ast.Grouping {
	if set := n.GetGroupingSet(); set != nil {
		return c.groupingSet(set)
	}
	row := n.GetRowExpr()
	if row.GetRowFormat() != pg.CoercionForm_COERCE_IMPLICIT_CAST {
		e := c.expr(n)
		return ast.Grouping{Expr: e, Pos: position(e)}
	}
	out := ast.Grouping{Kind: ast.GroupingList, Pos: c.at(row.Location)}
	for _, arg := range row.Args {
		item := c.grouping(arg)
		if item.Kind == ast.GroupingList {
			out.Parts = append(out.Parts, item.Parts...)
		} else {
			out.Parts = append(out.Parts, item)
		}
	}
	return out
}

// groupingSet is what stands for sets. GROUPING SETS within GROUPING SETS are sets of the outer ones.
func (c *converter) groupingSet(n *pg.GroupingSet) ast.Grouping {
	out := ast.Grouping{Kind: groupingKind(n.Kind), Pos: c.at(n.Location)}
	for _, part := range n.Content {
		item := c.grouping(part)
		if item.Kind == ast.GroupingSets && out.Kind == ast.GroupingSets {
			out.Parts = append(out.Parts, item.Parts...)
		} else {
			out.Parts = append(out.Parts, item)
		}
	}
	return out
}

func groupingKind(k pg.GroupingSetKind) ast.GroupingKind {
	switch k {
	case pg.GroupingSetKind_GROUPING_SET_ROLLUP:
		return ast.GroupingRollup
	case pg.GroupingSetKind_GROUPING_SET_CUBE:
		return ast.GroupingCube
	case pg.GroupingSetKind_GROUPING_SET_SETS:
		return ast.GroupingSets
	}
	return ast.GroupingList
}

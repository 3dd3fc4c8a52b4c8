package deparse

import (
	"zproxy/parser/ast"
	"zproxy/planner/bound"
	"zproxy/planner/clause"
)

func (p queryPrinter) groupBy() {
	g := p.query.Group
	if g.Exprs == nil && g.Items == nil {
		return
	}
	p.keyword(" GROUP BY ", -indentStep, indentStep, 1)
	if g.Once {
		p.put("DISTINCT ")
	}
	if g.Items == nil {
		p.listed(g.Exprs)
		return
	}
	p.groupings(g.Items, false)
}

// groupings prints items of GROUP BY; parens says whether a single expression has parentheses.
func (p queryPrinter) groupings(items []clause.Grouping, parens bool) {
	for i, item := range items {
		if i > 0 {
			p.put(", ")
		}
		p.grouping(item, parens)
	}
}

func (p queryPrinter) grouping(g clause.Grouping, parens bool) {
	switch g.Kind {
	case ast.GroupingRollup:
		p.put("ROLLUP(")
	case ast.GroupingCube:
		p.put("CUBE(")
	case ast.GroupingSets:
		p.put("GROUPING SETS (")
		parens = true
	case ast.GroupingExpr, ast.GroupingList:
		list := make([]bound.Node, len(g.Of))
		for i, at := range g.Of {
			list[i] = p.query.Group.Exprs[at]
		}
		if parens = parens || len(list) != 1; parens {
			p.put("(")
		}
		p.listed(list)
		if parens {
			p.put(")")
		}
		return
	}
	p.groupings(g.Parts, g.Kind == ast.GroupingSets)
	p.put(")")
}

package deparse

import (
	"zproxy/parser/ast"
	"zproxy/planner/bound"
)

func (p queryPrinter) with() {
	q := p.query
	if q.With.Tables == nil {
		return
	}
	if p.indent {
		p.level += indentStep
		p.put(" ")
	}
	word := "WITH "
	if q.With.Recursive {
		word = "WITH RECURSIVE "
	}
	for i, t := range q.With.Tables {
		if i > 0 {
			word = ", "
		}
		p.put(word, quote(t.Name))
		if t.Columns != nil {
			p.put("(", quoted(t.Columns), ")")
		}
		p.put(" AS ", [...]string{"", "MATERIALIZED ", "NOT MATERIALIZED "}[t.Materialized], "(")
		if p.indent {
			p.keyword("", 0, 0, 0)
		}
		p.inner(t.Query).print(nil, true)
		if p.indent {
			p.keyword("", 0, 0, 0)
		}
		p.put(")")
		p.traversal(t)
	}
	if p.indent {
		p.level -= indentStep
		p.keyword("", 0, 0, 0)
	} else {
		p.put(" ")
	}
}

// traversal prints SEARCH and CYCLE.
func (p queryPrinter) traversal(t *bound.CommonTable) {
	if s := t.Search; s != nil {
		p.put(" SEARCH ", map[bool]string{true: "BREADTH", false: "DEPTH"}[s.Breadth], " FIRST BY ", quoted(s.Columns),
			" SET ", quote(s.Sequence))
	}
	if c := t.Cycle; c != nil {
		p.put(" CYCLE ", quoted(c.Columns), " SET ", quote(c.Mark))
		if !marksTrue(c) {
			p.put(" TO ")
			p.expr(t.Marks[0], false)
			p.put(" DEFAULT ")
			p.expr(t.Marks[1], false)
		}
		p.put(" USING ", quote(c.Path))
	}
}

// marksTrue says whether a mark is what one is that nothing says otherwise of.
func marksTrue(c *ast.Cycle) bool {
	is := func(e ast.Expr, text string) bool {
		l, ok := e.(*ast.Literal)
		return ok && l.Kind == ast.LiteralBool && l.Text == text
	}
	return is(c.Value, "true") && is(c.Default, "false")
}

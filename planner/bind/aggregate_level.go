package bind

import (
	"maps"
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// levelOf is the query that an aggregate belongs to: the innermost one of which it reads
// a column. 0 is the query of the scope, also when it reads none; 1 the one around it.
func (s *Scope) levelOf(call plan.AggregateCall) int {
	level := -1
	at := func(l int) {
		if level < 0 || l < level {
			level = l
		}
	}
	visit := func(e expr.Expr) {
		expr.Any(e, func(x expr.Expr) bool {
			switch x := x.(type) {
			case expr.Column:
				at(0)
			case expr.Outer:
				at(s.levelOfSlot(x.Slot))
			case expr.Subquery:
				eachOuter(x.Plan.(plan.Sub).Node, func(slot int) {
					if slices.Contains(x.Depends, slot) && !slices.Contains(x.Slots, slot) {
						at(s.levelOfSlot(slot))
					}
				})
			}
			return false
		})
	}
	for _, e := range call.Args {
		visit(e)
	}
	for _, k := range call.Order {
		visit(k.Expr)
	}
	if call.Filter != nil {
		visit(call.Filter)
	}
	return max(level, 0)
}

// eachOuter finds the slots that the expressions of a plan read. What a common table around it reads does not count: in
// PostgreSQL an aggregate does not belong to another query because of that either.
func eachOuter(n plan.Node, f func(slot int)) {
	for _, e := range plan.Exprs(n) {
		expr.Any(e, func(x expr.Expr) bool {
			switch x := x.(type) {
			case expr.Outer:
				f(x.Slot)
			case expr.Subquery:
				eachOuter(x.Plan.(plan.Sub).Node, f)
			}
			return false
		})
	}
	for _, in := range n.Inputs() {
		eachOuter(in, f)
	}
}

// levelOfSlot is how many queries further out a slot gets its value, 0 for one that a variable stands for.
func (s *Scope) levelOfSlot(slot int) int {
	level := 0
	for at := s; at.Link != nil; at = at.Outer {
		level++
		if slices.ContainsFunc(at.Link.Slots, func(x plan.Slot) bool { return x.Number == slot }) {
			return level
		}
	}
	return 0
}

// aggregateAround binds an aggregate, or GROUPING, of a query further out.
func (s aggregateBinder) aggregateAround(e ast.Expr, what string, level int) (expr.Expr, error) {
	at, crossed := s.Scope, []*Scope(nil)
	for ; level > 1; level-- {
		crossed, at = append(crossed, at), at.Outer
	}
	if at.by == nil {
		return nil, sqlerr.New(sqlerr.GroupingError, "%s are not allowed in FROM clause of their own query level",
			what).At(int(e.Position()))
	}
	out, err := maker{at.by}.Expr(e)
	if err != nil {
		return nil, err
	}
	return s.carry(out, what, append(crossed, at)), nil
}

// mark remembers what the queries up to the outermost read of those around them.
func (s *Scope) mark() (links []Link) {
	for at := s; at.Link != nil; at = at.Outer {
		links = append(links, Link{Slots: slices.Clone(at.Link.Slots), Depends: maps.Clone(at.Link.Depends)})
	}
	return links
}

// reset forgets what was read since.
func (s *Scope) reset(links []Link) {
	for at := s; at.Link != nil; at = at.Outer {
		*at.Link, links = links[0], links[1:]
	}
}

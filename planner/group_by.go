package planner

import (
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/collate"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// grouping is GROUP BY while a query is planned.
type grouping struct {
	exprs     []expr.Expr
	sets      [][]int // numbers of exprs; nil: all are one set
	groupings [][]int // what each call of GROUPING asks about
}

// groupBy plans GROUP BY. When each of its sets has the whole primary key of a table, every other column of the table
// has one value in a group and is made a group too.
func (q *query) groupBy(s *ast.Select) (*grouping, error) {
	g := &grouping{}
	plain := q.In("GROUP BY")
	plain.Sets = q.Sets
	number := func(tree ast.Expr) (int, error) {
		e, item, err := clause.Listed(plain.Analysis(), tree, clause.GroupBy, q.selected())
		if err == nil && item >= 0 {
			err = q.noAggregate(e)
		}
		if err == nil {
			err = equatable(q, e, analyze.Start(tree))
		}
		if err != nil {
			return 0, err
		}
		at := bind.IndexOf(g.exprs, e)
		if at < 0 {
			at, g.exprs = len(g.exprs), append(g.exprs, e)
		}
		return at, nil
	}
	items, err := clause.Groupings(s.GroupBy.Items, number)
	if err != nil {
		return nil, err
	}
	if g.sets, err = clause.GroupingSets(items, s.GroupBy.Once); err != nil {
		return nil, err
	}
	if len(g.sets) == 1 {
		g.sets = nil
	}
	return g, nil
}

// equatable refuses an expression whose values cannot be found equal.
func equatable(q *query, e expr.Expr, pos ast.Pos) error {
	if err := clause.Equatable(e.Type(), pos); err != nil {
		return err
	}
	return collate.Sortable(q.Catalog, e)
}

// noAggregate refuses an item of the select list that has an aggregate in it.
func (q *query) noAggregate(e expr.Expr) error {
	var err error
	expr.Any(e, func(x expr.Expr) bool {
		c, ok := x.(expr.Column)
		at := ast.Pos(-1)
		switch {
		case !ok || c.Index < bind.AggregateColumn || c.Index >= bind.SetColumn:
			return false
		case c.Index >= bind.WindowColumn:
			err = sqlerr.New(sqlerr.WindowingError, "window functions are not allowed in GROUP BY").
				At(int(q.Windows.Pos[c.Index-bind.WindowColumn]))
			return true
		case c.Index >= bind.GroupingColumn:
			at = q.Aggs.Groupings[c.Index-bind.GroupingColumn].At
		default:
			at = q.Aggs.Pos[c.Index-bind.AggregateColumn]
		}
		err = sqlerr.New(sqlerr.GroupingError, "aggregate functions are not allowed in GROUP BY").At(int(at))
		return true
	})
	return err
}

// dependent adds the columns that a primary key among the groups of every set decides.
func (q *query) dependent(g *grouping) {
	common := g.exprs
	if g.sets != nil {
		common = nil
		for i, e := range g.exprs {
			if !slices.ContainsFunc(g.sets, func(set []int) bool { return !slices.Contains(set, i) }) {
				common = append(common, e)
			}
		}
	}
	if len(common) == 0 {
		return
	}
	for k := range q.Scope.Relations {
		r := &q.Scope.Relations[k]
		if r.Table == nil || r.Exprs != nil || !keyGrouped(r, common) {
			continue
		}
		for i := range r.Cols {
			if !r.Is(bind.Hidden, i) && bind.IndexOf(g.exprs, r.At(i)) < 0 {
				g.add(r.At(i))
			}
		}
	}
}

// add adds an expression to every set.
func (g *grouping) add(e expr.Expr) {
	for i, set := range g.sets {
		g.sets[i] = append(set, len(g.exprs))
	}
	g.exprs = append(g.exprs, e)
}

// keyGrouped says whether the whole primary key of a table is among the groups.
func keyGrouped(r *bind.Relation, groups []expr.Expr) bool {
	if r.Table.PrimaryKey == "" {
		return false
	}
	for _, id := range r.Table.Primary.Columns() {
		if bind.IndexOf(groups, r.At(r.Table.Ordinal(id))) < 0 {
			return false
		}
	}
	return true
}

// ask notes what calls of GROUPING ask about, which must be expressions of GROUP BY.
func (g *grouping) ask(calls []bind.Grouping) error {
	for _, call := range calls {
		list := make([]int, len(call.Args))
		for i, arg := range call.Args {
			_, around := arg.(expr.Outer) // which PostgreSQL finds only where it compares expressions
			if list[i] = bind.IndexOf(g.exprs, arg); list[i] < 0 || around && g.plain() {
				return clause.NoGroup(call.Pos[i])
			}
		}
		g.groupings = append(g.groupings, list)
	}
	return nil
}

// plain says whether the expressions are nothing but columns, of the query or of one around it.
func (g *grouping) plain() bool {
	return !slices.ContainsFunc(g.exprs, func(e expr.Expr) bool {
		_, column := e.(expr.Column)
		_, around := e.(expr.Outer)
		return !column && !around
	})
}

// asked is what a call of GROUPING says, over the rows of the groups. Where there is one set, nothing is left out.
func (g *grouping) asked(c expr.Column, calls int) expr.Expr {
	if g.sets == nil {
		return expr.Const{Value: types.NewInt(0), T: types.Int4}
	}
	c.Index = len(g.exprs) + calls + c.Index - bind.GroupingColumn
	return c
}

// grouped is the input in groups.
func (q *query) grouped(g *grouping) plan.Node {
	var cols []plan.Column
	for _, e := range g.exprs {
		cols = append(cols, q.Scope.Origin(e, columnOf(e)))
	}
	for _, c := range q.Aggs.Calls {
		cols = append(cols, plan.Column{Name: c.Fn.Name, Type: c.Type})
	}
	input, groups := computeOnce(q.input, g.exprs)
	if g.sets == nil {
		return plan.Aggregate{Input: input, Groups: groups, Calls: q.Aggs.Calls, Cols: cols}
	}
	for range g.groupings {
		cols = append(cols, plan.Column{Name: "grouping", Type: types.Int4})
	}
	return plan.GroupingSets{Input: input, Groups: groups, Sets: g.sets, Calls: q.Aggs.Calls, Asked: g.groupings,
		Cols: cols}
}

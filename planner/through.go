package planner

import (
	"errors"
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// notSimple says why rows cannot be written through a view.
type notSimple struct{ reason string }

// Error implements error.
func (e notSimple) Error() string { return e.reason }

// through is the goal of a statement that writes to a view: that of its FROM, under the names of the view.
func (p writer) through(v *catalog.View, item *ast.FromTable, e event, cascaded bool) (*goal, error) {
	needs := p.Need(v, e.privilege)
	rel := p.Named(v, item.Alias)
	g, cols, err := p.under(v, e, cascaded)
	var not notSimple
	if errors.As(err, &not) {
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "cannot %s view %q", e.verb, v.Name).
			WithDetail("%s", not.reason).
			WithHint("To enable %s the view, provide an INSTEAD OF %s trigger or an unconditional ON %s DO INSTEAD rule.",
				e.gerund, e.word, e.word)
	}
	if err != nil {
		return nil, err
	}
	for i := range cols {
		cols[i].Name, cols[i].Table, cols[i].Attribute = v.Columns[i].Name, v.ID, int16(i+1)
	}
	if cols, err = renamed(cols, item.Columns, rel.Name); err != nil {
		return nil, err
	}
	rel.Cols, rel.Exprs, rel.Needs = cols, g.rel.Exprs, append(needs, g.rel.Needs...)
	g.rel = rel
	return g, nil
}

// under is the goal that the query of a view reads, with the columns and conditions of the view.
func (p writer) under(v *catalog.View, e event, cascaded bool) (*goal, []plan.Column, error) {
	if err := p.Nesting.EnterView(v); err != nil {
		return nil, nil, err
	}
	defer p.Nesting.LeaveView()
	tree, err := parser.Query(v.Query)
	if err != nil {
		return nil, nil, err
	}
	if reason := shape(tree); reason != "" {
		return nil, nil, notSimple{reason}
	}
	defer p.AsOf(v, nil)()
	end, err := p.Reading(v.Read)
	defer end()
	if err != nil {
		return nil, nil, err
	}
	option := v.Option(catalog.CheckOption)
	cascaded = cascaded || option == "cascaded"
	item := tree.From[0].(*ast.FromTable)
	if r, err := p.Relation(item.Name); err == nil && fills(r) {
		return nil, nil, notSimple{manySources}
	}
	g, err := p.goalOf(item, e, cascaded)
	if err != nil {
		return nil, nil, err
	}
	q, where, err := p.overGoal(g, tree)
	if err != nil {
		return nil, nil, bind.InStored(err)
	}
	if reason := noRows(q); reason != "" {
		return nil, nil, notSimple{reason}
	}
	n := min(len(v.Columns), len(q.list))
	if e != deleting && !g.maps(v, q.list[:n]) {
		return nil, nil, notSimple{noColumns}
	}
	g.addView(v, q.list[:n], where, option != "" || cascaded)
	return g, q.cols[:n:n], nil
}

// fills says whether the rows of a relation are not those of statements that write.
func fills(r catalog.Relation) bool {
	switch r := r.(type) {
	case *catalog.Sequence:
		return true
	case *catalog.Table:
		return r.Materialized != nil
	}
	return false
}

// overGoal binds the select list and WHERE of a view over what it reads. Columns stay columns, also those that another
// view computes.
func (p writer) overGoal(g *goal, tree *ast.Select) (*query, expr.Expr, error) {
	plain, seen := g.rel, bind.Need{Relation: g.rel.Needs[0].Relation}
	plain.Needs, plain.Exprs, plain.First = []*bind.Need{&seen}, nil, 0
	defer func() { g.rel.Needs[0].Read = seen.Read }() // where a statement reads, it reads them all
	q := p.newQuery(bind.NewScope())
	q.Scope = bind.NewScope(plain)
	q.Windows.Named = tree.Windows
	if err := clause.Targets(q.Analysis(), tree.Targets, false, q.selected()); err != nil || tree.Where == nil {
		return q, nil, err
	}
	where, err := q.In("WHERE").Condition(tree.Where, "WHERE")
	return q, where, err
}

const noColumns = "Views that have no updatable columns are not automatically updatable."

const manySources = "Views that do not select from a single table or view are not automatically updatable."

// shape is what in the form of its query forbids to write through a view.
func shape(s *ast.Select) string {
	reasons := []struct {
		is   bool
		what string
	}{
		{s.Distinct, "Views containing DISTINCT"},
		{len(s.GroupBy.Items) > 0, "Views containing GROUP BY"},
		{s.Having != nil, "Views containing HAVING"},
		{s.SetOp != nil, "Views containing UNION, INTERSECT, or EXCEPT"},
		{s.With != nil, "Views containing WITH"},
		{s.Limit != nil || s.Offset != nil, "Views containing LIMIT or OFFSET"},
	}
	for _, r := range reasons {
		if r.is {
			return r.what + " are not automatically updatable."
		}
	}
	if len(s.From) == 1 && s.Values == nil {
		if t, ok := s.From[0].(*ast.FromTable); ok && t.Sample != nil {
			return "Views containing TABLESAMPLE are not automatically updatable."
		} else if ok {
			return ""
		}
	}
	return manySources
}

// noRows is what in its select list forbids to write through a view.
func noRows(q *query) string {
	switch {
	case len(q.Aggs.Calls) > 0:
		return "Views that return aggregate functions are not automatically updatable."
	case len(q.Windows.Calls) > 0:
		return "Views that return window functions are not automatically updatable."
	case len(q.Sets.Calls) > 0:
		return "Views that return set-returning functions are not automatically updatable."
	}
	return ""
}

// maps says whether a view has a column that is one of what it reads.
func (g *goal) maps(v *catalog.View, list []expr.Expr) bool {
	for i := range v.Columns {
		if _, reason := g.mapped(list[i]); reason == "" {
			return true
		}
	}
	return false
}

// mapped is the column of what a view reads that an expression is, or why it is none.
func (g *goal) mapped(e expr.Expr) (int, string) {
	c, ok := e.(expr.Column)
	switch {
	case !ok || !c.T.Same(g.rel.Cols[c.Index].Type):
		return -1, "View columns that are not columns of their base relation are not updatable."
	case g.rel.Is(bind.Hidden, c.Index):
		return -1, "View columns that refer to system columns are not updatable."
	}
	return c.Index, ""
}

// addView makes the goal that of a view over it.
func (g *goal) addView(v *catalog.View, list []expr.Expr, where expr.Expr, checked bool) {
	columns, of, defaults := make([]viewColumn, len(list)), make([]uint32, len(list)), maps.Clone(g.defaults)
	if defaults == nil {
		defaults = map[int]catalog.Column{}
	}
	for i, e := range list {
		c := viewColumn{-1, "", v.Name, v.Columns[i].Name}
		at, reason := g.mapped(e)
		switch {
		case at < 0:
			c.fixed = reason
		case g.view != nil:
			c, of[i] = g.columns[at], uint32(at+1)
		default:
			c.ordinal, of[i] = at, g.table.Columns[at].ID
		}
		if columns[i] = c; c.ordinal >= 0 && v.Columns[i].Default != "" {
			defaults[c.ordinal] = v.Columns[i].AsColumn()
		}
	}
	exprs := make([]expr.Expr, len(list))
	for i, e := range list {
		exprs[i] = g.lowered(e)
	}
	if where != nil {
		where = g.lowered(where)
		g.where = append(g.where, restriction{where, v.On(catalog.SecurityBarrier)})
		if checked {
			g.checks = append(g.checks, plan.Check{Name: v.Name, Cond: where, Of: plan.ViewCheck})
		}
	}
	if g.base = g.table.ID; g.view != nil {
		g.base = g.view.ID
	}
	g.view, g.columns, g.defaults, g.rel.Exprs = v, columns, defaults, exprs
	g.of = append(g.of, of)
}

// lowered is an expression over the columns of what a view reads, over the row of the table.
func (g *goal) lowered(e expr.Expr) expr.Expr {
	if g.rel.Exprs == nil {
		return e
	}
	return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
		if c, ok := x.(expr.Column); ok {
			return g.rel.Exprs[c.Index]
		}
		return x
	})
}

// Through says how rows that are written to a view reach a relation under it: which one that is, 0 if none can be, and
// the columns there of those of the view. The reason is why rows cannot be written.
func (p *Planner) Through(v *catalog.View) (base uint32, of []uint32, reason string, err error) {
	needs := len(p.Needs)
	w := writer{p}
	g, _, err := w.under(v, deleting, false)
	p.Needs = p.Needs[:needs]
	var not notSimple
	switch {
	case errors.As(err, &not):
		return 0, nil, not.reason, nil
	case err != nil: // what it reads cannot be written
		return 0, nil, "", nil
	}
	of = g.of[len(g.of)-1]
	if !slices.ContainsFunc(of, func(of uint32) bool { return of != 0 }) {
		reason = noColumns
	}
	return g.base, of, reason, nil
}

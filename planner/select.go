package planner

import (
	"slices"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// query is one SELECT while it is planned: its select list over the columns of input.
type query struct {
	bind.Scalars
	planner *Planner
	around  *bind.Scope // what names mean around the query
	input   plan.Node
	list    []expr.Expr
	pos     []ast.Pos // of the select list
	cols    []plan.Column
	// open leaves literals and parameters of the select list without a type, for an
	// INSERT or a set operation to give them those of its columns.
	open bool
	// appended says that the query is a branch of a set operation.
	appended bool
	rowLocks
	current *identities // of the query of a cursor; nil: it is none
}

// newQuery is a query in the scope of its surroundings.
func (p *Planner) newQuery(around *bind.Scope) *query {
	q := &query{planner: p, around: around, Scalars: *p.expressions(nil, "")}
	q.Aggs, q.Windows, q.Sets = &bind.Aggregates{}, &bind.Windows{}, &bind.Sets{}
	return q
}

// plan plans a SELECT, VALUES or set operation. The steps are those of SQL: FROM, WHERE,
// groups, HAVING, windows, the select list, DISTINCT, ORDER BY, LIMIT.
func (q *query) plan(s *ast.Select) (plan.Node, error) {
	defer q.Nesting.LeaveQuery()
	if err := q.Nesting.EnterQuery(); err != nil {
		return nil, err
	}
	if s.With != nil {
		return q.with(s.With, func() (plan.Node, error) { return q.body(s) })
	}
	return q.body(s)
}

func (q *query) body(s *ast.Select) (plan.Node, error) {
	switch {
	case s.SetOp != nil:
		return q.planSetOp(s)
	case s.Values != nil:
		return q.planValues(s)
	}
	q.locking.clauses = s.Locking
	f := from{Planner: q.planner, scope: q.around, hints: s.Hints, tree: s, outer: hasOuterJoin(s.From),
		declared: q.appended, locking: q.locking}
	q.around.Listed = nil // of the query before, in a set operation
	src, err := f.list(s.From)
	if err != nil {
		return nil, err
	}
	if !f.ranged {
		if err := timesOfNone(s.Hints); err != nil {
			return nil, err
		}
	}
	q.planner.missed(s.Hints)
	q.input, q.Scope, q.items = src.node, q.around.Sibling(src.rels), src.items
	q.Windows.Named = s.Windows
	if err := clause.Targets(q.Analysis(), s.Targets, q.open, q.selected()); err != nil {
		return nil, err
	}
	if s.Where != nil {
		where, err := q.In("WHERE").Condition(s.Where, "WHERE")
		if err != nil {
			return nil, err
		}
		q.input = plan.Filter{Input: q.input, Cond: where}
	}
	keys, err := q.orderBy(s)
	if err != nil {
		return nil, err
	}
	on, err := q.distinctOn(s, &keys)
	if err != nil {
		return nil, err
	}
	steps := &later{keys: keys, on: on}
	if err := q.group(s, steps); err != nil {
		return nil, err
	}
	if err := q.overWindows(steps); err != nil {
		return nil, err
	}
	q.overSets(steps, allSets, nil)
	if err := q.lock(s); err != nil {
		return nil, err
	}
	sortOnce(q, steps)
	if err := collated(q, steps.keys); err != nil {
		return nil, err
	}
	if q.lifted = q.locking.lift && q.simple(s); q.lifted {
		return q.input, nil
	}
	if s.Distinct && s.DistinctOn == nil {
		for i, e := range q.list {
			if err := equatable(q, e, q.pos[i]); err != nil {
				return nil, err
			}
		}
	}
	q.current.add(q, s)
	return q.limit(q.shape(s, steps), s, steps)
}

// later is what is computed above the groups, beside the select list, and so is rewritten
// with it.
type later struct {
	keys []sortKey
	on   []expr.Expr // DISTINCT ON
}

// rewrite changes all expressions above the groups.
func (q *query) rewrite(l *later, f func(expr.Expr) (expr.Expr, error)) (err error) {
	each := func(list []expr.Expr) {
		for i := range list {
			if err == nil {
				list[i], err = f(list[i])
			}
		}
	}
	each(q.list)
	each(l.on)
	if q.Windows != nil {
		q.Windows.Each(each)
	}
	for i, c := range q.Sets.Calls {
		if !q.Sets.Projected[i] {
			each(c.Args)
		}
	}
	for i := range l.keys {
		if err == nil {
			l.keys[i].Expr, err = f(l.keys[i].Expr)
		}
	}
	return err
}

// selectList is the select list of a query that is planned.
type selectList struct{ *query }

func (q *query) selected() clause.SelectList[expr.Expr] { return selectList{q} }

// Star implements clause.SelectList.
func (l selectList) Star(e *ast.Star) error {
	exprs, cols, err := l.Scope.Star(l.Binder, e)
	l.list, l.cols = append(l.list, exprs...), append(l.cols, cols...)
	l.pos = append(l.pos, slices.Repeat([]ast.Pos{e.Pos}, len(cols))...)
	return err
}

// Add implements clause.SelectList.
func (l selectList) Add(e expr.Expr, name string, pos ast.Pos) {
	l.list, l.cols, l.pos = append(l.list, e), append(l.cols, l.column(e, name)), append(l.pos, pos)
}

// Len implements clause.SelectList.
func (l selectList) Len() int { return len(l.list) }

// Item implements clause.SelectList.
func (l selectList) Item(i int) (expr.Expr, string) { return l.list[i], l.cols[i].Name }

// Same implements clause.SelectList.
func (l selectList) Same(i, k int) bool { return expr.Equal(l.list[i], l.list[k]) }

// Reads implements clause.SelectList.
func (l selectList) Reads(e *ast.Column) bool { return l.Scope.Has(e) }

// column is the column that an expression of the select list makes.
func (q *query) column(e expr.Expr, name string) plan.Column {
	c := q.Scope.Origin(e, name)
	if c.Type.OID == types.OIDRecord {
		if names, ts := q.RecordFields(e); names != nil {
			c.Fields = &plan.Fields{Names: names, Types: ts}
		}
	}
	return c
}

// shape puts the select list, DISTINCT and ORDER BY above the input. Rows are sorted
// before the select list is computed, so that an index may bring the order; after
// DISTINCT only the select list is left to sort by.
func (q *query) shape(s *ast.Select, l *later) plan.Node {
	distinct := s.Distinct && s.DistinctOn == nil
	var sorts []plan.SortKey
	for _, k := range l.keys {
		if distinct {
			k.Expr = expr.Column{Index: k.item, Name: q.cols[k.item].Name, T: q.list[k.item].Type()}
		}
		sorts = append(sorts, k.SortKey)
	}
	n := q.input
	if len(sorts) > 0 && !distinct {
		n = plan.Sort{Input: n, Keys: sorts}
	}
	n = q.above(n, q.input)
	if l.on != nil {
		n = plan.Distinct{Input: n, On: l.on}
	}
	n = plan.Project{Input: n, Exprs: q.list, Cols: q.cols}
	if distinct {
		n = plan.Distinct{Input: n}
		if len(sorts) > 0 {
			n = plan.Sort{Input: n, Keys: sorts}
		}
	}
	return n
}

// limit puts LIMIT and OFFSET on top. With ties it must see what rows are sorted by, so
// it goes below the select list.
func (q *query) limit(n plan.Node, s *ast.Select, l *later) (plan.Node, error) {
	if s.Limit == nil && s.Offset == nil {
		return n, nil
	}
	count, err := q.rowCount(s.Limit, "LIMIT")
	if err != nil {
		return nil, err
	}
	offset, err := q.rowCount(s.Offset, "OFFSET")
	if err != nil || !s.WithTies {
		return plan.Limit{Input: n, Count: count, Offset: offset}, err
	}
	if len(l.keys) == 0 {
		return nil, sqlerr.New(sqlerr.SyntaxError, "WITH TIES cannot be specified without ORDER BY clause").
			At(int(s.Pos))
	}
	limit := plan.Limit{Count: count, Offset: offset}
	if sorted, ok := n.(plan.Sort); ok {
		limit.Input, limit.Ties = sorted, sorted.Keys
		return limit, nil
	}
	top := n.Inputs()[0]
	for _, k := range l.keys {
		limit.Ties = append(limit.Ties, k.SortKey)
	}
	limit.Input = top
	return n.WithInputs([]plan.Node{limit}), nil
}

// rowCount plans the argument of LIMIT or OFFSET, which no row may decide.
func (q *query) rowCount(e ast.Expr, where string) (expr.Expr, error) {
	if e == nil {
		return nil, nil
	}
	out, err := clause.RowCount(q.In(where).Analysis(), e, where)
	if err != nil {
		return nil, err
	}
	expr.Any(out, func(x expr.Expr) bool {
		c, ok := x.(expr.Column)
		if ok {
			err = sqlerr.New(sqlerr.InvalidColumnReference, "argument of %s must not contain variables",
				where).At(c.Pos - 1)
		}
		return ok
	})
	return out, err
}

// planValues plans VALUES rows, with ORDER BY and LIMIT.
func (q *query) planValues(s *ast.Select) (plan.Node, error) {
	if len(s.Locking) > 0 {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "%s cannot be applied to VALUES",
			lockOf(s.Locking[0]).Strength)
	}
	sc := q.planner.expressions(q.around, "VALUES")
	rows, cols, err := clause.Values(sc.Analysis(), s.Values)
	if err != nil {
		return nil, err
	}
	v := plan.Values{Rows: rows}
	for _, c := range cols {
		v.Cols = append(v.Cols, plan.Column{Name: c.Name, Type: c.Type})
	}
	q.over(v, "*VALUES*", "VALUES")
	keys, err := q.orderBy(s)
	if err != nil {
		return nil, err
	}
	return q.ordered(v, keys, s)
}

// over makes the columns of a node the select list, for ORDER BY to name.
func (q *query) over(n plan.Node, name, where string) {
	q.input, q.cols = n, n.Columns()
	q.Scope = q.around.Sibling([]bind.Relation{{Name: name, Cols: q.cols}})
	q.Aggs, q.Windows, q.Sets, q.Where = nil, nil, nil, where
	for i, c := range q.cols {
		q.list, q.pos = append(q.list, expr.Column{Index: i, Name: c.Name, T: c.Type}), append(q.pos, -1)
	}
}

// ordered puts ORDER BY and LIMIT above a node whose columns are the select list.
func (q *query) ordered(n plan.Node, keys []sortKey, s *ast.Select) (plan.Node, error) {
	l := &later{keys: keys}
	if err := collated(q, keys); err != nil {
		return nil, err
	}
	if len(keys) > 0 {
		sorts := make([]plan.SortKey, len(keys))
		for i, k := range keys {
			sorts[i] = k.SortKey
		}
		n = plan.Sort{Input: n, Keys: sorts}
	}
	return q.limit(n, s, l)
}

package planner

import (
	"cmp"
	"maps"

	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// common plans the use of a common table.
func (f *from) common(c *bind.CommonTables, item *ast.FromTable) (source, error) {
	if c.Within != nil {
		return source{}, c.Within.At(int(item.Name.Pos))
	}
	for s := f.scope; len(c.Depends) > 0 && s != nil; s = s.Outer {
		maps.Copy(s.Link.Depends, c.Depends)
		if s.Outer == c.Outer {
			break
		}
	}
	if *c.Used++; c.Once && *c.Used > 1 {
		return source{}, sqlerr.New(sqlerr.InvalidRecursion,
			"recursive reference to query %q must not appear more than once", c.Name).At(int(item.Name.Pos))
	}
	n := plan.Ref{Number: c.Number, Name: c.Name, Alias: cmp.Or(item.Alias, c.Name), Cols: c.Cols}
	out, err := named(n, n.Alias, item.Columns)
	if err == nil && c.Added > 0 {
		out.rels[0].Mark(bind.Hidden|bind.System, func(i int) bool { return i >= len(c.Cols)-c.Added })
	}
	out.rels[0].Recursive = c.Once
	return out, err
}

// with plans the queries of a WITH around a body.
func (q *query) with(w *ast.With, body func() (plan.Node, error)) (plan.Node, error) {
	defer q.Nesting.Leave(len(w.Queries))
	if err := q.Nesting.Enter(len(w.Queries)); err != nil {
		return nil, err
	}
	var all []plan.With
	seen := map[string]bool{}
	before := q.around.Tables
	for i, c := range w.Queries {
		if seen[c.Name] {
			return nil, sqlerr.New(sqlerr.DuplicateAlias, "WITH query name %q specified more than once", c.Name).
				At(int(c.Pos))
		}
		seen[c.Name] = true
		visible := q.around.Tables
		for _, l := range w.Queries[i:] {
			q.around.Tables = &bind.CommonTables{Name: l.Name, Later: true, Next: q.around.Tables}
		}
		n, err := q.linkedTable(w, c, visible)
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	out, err := body()
	q.around.Tables = before
	if err != nil {
		return nil, err
	}
	for i := len(all) - 1; i >= 0; i-- {
		all[i].Input = out
		out = all[i]
	}
	return out, nil
}

// linkedTable plans one query and notes what it reads of the queries around it.
func (q *query) linkedTable(w *ast.With, c ast.CommonTable, visible *bind.CommonTables) (plan.With, error) {
	around := q.around.Link
	if around == nil { // there are none
		return q.commonTable(w, c, visible)
	}
	own := &bind.Link{Depends: map[int]bool{}}
	if around != nil { // the outermost query has no one to read of
		q.around.Link = own
	}
	n, err := q.commonTable(w, c, visible)
	q.around.Link = around
	if err != nil {
		return n, err
	}
	around.Slots = append(around.Slots, own.Slots...)
	maps.Copy(around.Depends, own.Depends)
	q.around.Tables.Depends, q.around.Tables.Outer = own.Depends, q.around.Outer
	return n, nil
}

// commonTable plans one query and makes its name known to what follows.
func (q *query) commonTable(w *ast.With, c ast.CommonTable, visible *bind.CommonTables) (plan.With, error) {
	q.Numbers++
	n := plan.With{Number: q.Numbers, Name: c.Name, Always: c.Materialized == ast.MaterializedAlways}
	s, ok := c.Statement.(*ast.Select)
	if !ok {
		return q.writingTable(n, c, visible)
	}
	err := clause.Traversed(c, bind.Recursive(w, c))
	if err != nil {
		return n, err
	}
	if bind.Recursive(w, c) != nil {
		n.Query, err = q.recursiveTable(n.Number, c, s)
	} else {
		around := *q.around
		if w.Recursive {
			around.Tables = &bind.CommonTables{Name: c.Name, Next: around.Tables,
				Within: sqlerr.New(sqlerr.InvalidRecursion,
					"recursive query %q does not have the form non-recursive-term UNION [ALL] recursive-term", c.Name).
					At(int(c.Pos))}
		}
		n.Query, err = q.planner.newQuery(&around).plan(s)
	}
	if err != nil {
		return n, err
	}
	tables, err := visible.With(c, n.Number, n.Query.Columns())
	if err == nil {
		q.around.Tables = tables
	}
	return n, err
}

// writingTable plans a query of WITH that writes. Its rows are what it returns.
func (q *query) writingTable(n plan.With, c ast.CommonTable, visible *bind.CommonTables) (plan.With, error) {
	if q.around.Outer != nil {
		return n, sqlerr.New(sqlerr.FeatureNotSupported,
			"WITH clause containing a data-modifying statement must be at the top level").At(int(c.Pos))
	}
	around := *q.around
	around.Tables = visible
	var err error
	if n.Query, err = q.planner.planWrite(c.Statement, &around); err != nil {
		return n, err
	}
	table, err := visible.With(c, n.Number, n.Query.Columns())
	if err != nil {
		return n, err
	}
	if len(table.Cols) == 0 {
		table.Within = sqlerr.New(sqlerr.FeatureNotSupported, "WITH query %q does not have a RETURNING clause", c.Name)
	}
	q.around.Tables = table
	return n, nil
}

// recursiveTable plans a query of WITH RECURSIVE, inside the WITH of its own.
func (q *query) recursiveTable(number int, c ast.CommonTable, s *ast.Select) (plan.Node, error) {
	if s.With == nil {
		return q.recursion(number, c, s)
	}
	around, body := *q.around, *s
	in := q.planner.newQuery(&around)
	body.With = nil
	return in.with(s.With, func() (plan.Node, error) { return in.recursion(number, c, &body) })
}

// recursion plans a query of WITH RECURSIVE whose right side may name itself. One that
// does not is a UNION like others.
func (q *query) recursion(number int, c ast.CommonTable, s *ast.Select) (plan.Node, error) {
	around := *q.around
	outer := around.Tables
	around.Tables = &bind.CommonTables{Name: c.Name, Next: outer,
		Within: sqlerr.New(sqlerr.InvalidRecursion,
			"recursive reference to query %q must not appear within its non-recursive term", c.Name)}
	in := q.planner.newQuery(&around)
	base, err := in.branch(s.SetOp.Left)
	if err != nil {
		return nil, err
	}
	if err := base.known(in); err != nil {
		return nil, err
	}
	own, err := outer.With(c, number, base.cols)
	if err != nil {
		return nil, err
	}
	own.Once = true
	around.Tables = own
	t, right, err := newTraversal(q, c, own, s.SetOp)
	if err != nil {
		return nil, err
	}
	step, err := in.branch(right)
	if err != nil {
		return nil, err
	}
	if *own.Used == 0 && t != nil {
		return nil, clause.NotRecursive(c)
	}
	if *own.Used == 0 {
		around.Tables = outer
		return q.planner.newQuery(&around).plan(s)
	}
	if err := unsorted(s); err != nil {
		return nil, err
	}
	if t != nil {
		return t.recursion(number, s.SetOp, base, step)
	}
	if err := q.sameTypes(c.Name, s.SetOp, &base, &step); err != nil {
		return nil, err
	}
	return plan.Recursion{Number: number, Name: c.Name, Base: base.node, Step: step.node, Distinct: !s.SetOp.All,
		Cols: own.Cols}, nil
}

// unsorted refuses the clauses that act on all rows of a query, which a recursive one has when it ends.
func unsorted(s *ast.Select) error {
	refuse := func(what string, pos ast.Pos) error {
		return sqlerr.New(sqlerr.FeatureNotSupported, "%s in a recursive query is not implemented", what).At(int(pos))
	}
	switch {
	case s.OrderBy != nil:
		return refuse("ORDER BY", analyze.Start(s.OrderBy[0].Expr))
	case s.Offset != nil:
		return refuse("OFFSET", analyze.Start(s.Offset))
	case s.Limit != nil:
		return refuse("LIMIT", analyze.Start(s.Limit))
	case s.Locking != nil:
		return refuse("FOR UPDATE/SHARE", -1)
	}
	return nil
}

// known makes texts of the literals of a branch that have no type.
func (b *branch) known(q *query) error {
	list := make([]expr.Expr, len(b.cols))
	cols := append([]plan.Column(nil), b.cols...)
	for i := range list {
		var err error
		if list[i], err = q.KnownType(b.value(i), b.pos[i]); err != nil {
			return err
		}
		cols[i].Type = list[i].Type()
	}
	b.project(list, cols)
	b.cols = cols
	return nil
}

// sameTypes wants the rows of the step to have the types of those of the base.
func (q *query) sameTypes(name string, union *ast.SetOp, base, step *branch) error {
	cols, err := q.matched(union, base, step)
	if err != nil {
		return err
	}
	for i, c := range cols {
		if err := overall(name, i, *base, c.Type); err != nil {
			return err
		}
	}
	return nil
}

// overall wants a column of the base to have the type that it has in the whole query.
func overall(name string, i int, base branch, t types.T) error {
	if t.OID == base.cols[i].Type.OID {
		return nil
	}
	return sqlerr.New(sqlerr.DatatypeMismatch,
		"recursive query %q column %d has type %s in non-recursive term but type %s overall", name, i+1,
		base.cols[i].Type, t).
		WithHint("Cast the output of the non-recursive term to the correct type.").At(int(base.pos[i]))
}

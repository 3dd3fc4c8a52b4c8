package planner

import (
	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// planInsert plans an INSERT: the rows of its source, made whole and of the types of
// the table's columns.
func (p *Planner) planInsert(s *ast.Insert) (plan.Node, error) {
	if s.Returning != nil {
		return nil, sqlerr.Unsupported("RETURNING")
	}
	t, err := p.from(s.Table)
	if err != nil {
		return nil, err
	}
	targets, err := p.insertTargets(t, s.Columns)
	if err != nil {
		return nil, err
	}
	n := plan.Insert{Table: t, Overwrite: s.Replace}
	if n.Input, err = p.insertSource(s, t, targets); err != nil {
		return nil, err
	}
	if s.OnConflict != nil {
		err = onConflict(&n, s.OnConflict)
	}
	return n, err
}

// insertTargets are the places of the columns that values are given for.
func (p *Planner) insertTargets(t *catalog.Table, names []ast.ColumnName) ([]int, error) {
	var out []int
	if len(names) == 0 {
		for i, c := range t.Columns {
			if !c.Hidden {
				out = append(out, i)
			}
		}
		return out, nil
	}
	seen := map[int]bool{}
	for _, n := range names {
		i, err := tableColumn(t, n)
		if err != nil {
			return nil, err
		}
		if seen[i] {
			return nil, sqlerr.New(sqlerr.DuplicateColumn, "column %q specified more than once", n.Name).At(int(n.Pos))
		}
		seen[i] = true
		out = append(out, i)
	}
	return out, nil
}

func tableColumn(t *catalog.Table, n ast.ColumnName) (int, error) {
	i := t.Column(n.Name)
	if i < 0 || t.Columns[i].Hidden {
		return -1, sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", n.Name, t.Name).At(int(n.Pos))
	}
	return i, nil
}

// insertSource plans where the rows come from.
func (p *Planner) insertSource(s *ast.Insert, t *catalog.Table, targets []int) (plan.Node, error) {
	if s.Select == nil {
		return p.insertValues([][]ast.Expr{{}}, t, nil)
	}
	simple := s.Select.OrderBy == nil && s.Select.Limit == nil && s.Select.Offset == nil
	if s.Select.Values != nil && simple {
		for _, row := range s.Select.Values {
			if len(row) != len(s.Select.Values[0]) {
				return nil, unequalRows(row)
			}
			if err := sameLength(s, len(row), len(targets), func(i int) ast.Pos { return start(row[i]) }); err != nil {
				return nil, err
			}
		}
		return p.insertValues(s.Select.Values, t, targets)
	}
	return p.insertSelect(s, t, targets)
}

// insertSelect plans the rows of a query. A literal or parameter that the query gives no
// type to is taken as if it stood in VALUES.
func (p *Planner) insertSelect(s *ast.Insert, t *catalog.Table, targets []int) (plan.Node, error) {
	q := &query{scalars: scalars{Planner: p, aggs: &aggregates{}}, open: !s.Select.Distinct}
	n, err := q.plan(s.Select)
	if err != nil {
		return nil, err
	}
	if err := sameLength(s, len(q.cols), len(targets), func(i int) ast.Pos { return q.pos[i] }); err != nil {
		return nil, err
	}
	given := make([]expr.Expr, len(q.cols))
	for i, c := range q.cols {
		given[i] = expr.Column{Index: i, Name: c.Name, T: c.Type}
		if c.Type.OID == types.OIDUnknown {
			given[i] = q.list[i]
		}
	}
	row, err := p.wholeRow(t, targets, given, q.pos)
	return plan.Project{Input: n, Exprs: row, Cols: allColumns(t)}, err
}

// sameLength wants as many expressions as columns that are named for them, or as most
// there are.
func sameLength(s *ast.Insert, given, targets int, pos func(i int) ast.Pos) error {
	switch {
	case given > targets:
		return sqlerr.New(sqlerr.SyntaxError, "INSERT has more expressions than target columns").At(int(pos(targets)))
	case given < len(s.Columns):
		return sqlerr.New(sqlerr.SyntaxError, "INSERT has more target columns than expressions").At(int(s.Columns[given].Pos))
	}
	return nil
}

// insertValues plans rows of VALUES, each expression by the column that it is for.
func (p *Planner) insertValues(rows [][]ast.Expr, t *catalog.Table, targets []int) (plan.Node, error) {
	v := plan.Values{Cols: allColumns(t)}
	sc := &scalars{Planner: p, scope: newScope(), where: "VALUES"}
	sc.scope.target = t
	for _, row := range rows {
		var given []expr.Expr
		var pos []ast.Pos
		var to []int
		for i, e := range row {
			if _, ok := e.(*ast.Default); ok {
				continue
			}
			x, err := sc.expr(e)
			if err != nil {
				return nil, err
			}
			given, pos, to = append(given, x), append(pos, start(e)), append(to, targets[i])
		}
		whole, err := p.wholeRow(t, to, given, pos)
		if err != nil {
			return nil, err
		}
		v.Rows = append(v.Rows, whole)
	}
	return v, nil
}

// wholeRow is a row of all columns of the table: the given values, coerced, and the
// defaults of the others.
func (p *Planner) wholeRow(t *catalog.Table, targets []int, given []expr.Expr, pos []ast.Pos) ([]expr.Expr, error) {
	row := make([]expr.Expr, len(t.Columns))
	for i, place := range targets {
		if i >= len(given) {
			break
		}
		c := t.Columns[place]
		e, err := p.assign(given[i], c.Name, c.Type, pos[i])
		if err != nil {
			return nil, err
		}
		row[place] = e
	}
	for i := range row {
		if row[i] != nil {
			continue
		}
		e, err := p.defaultOf(t.Columns[i])
		if err != nil {
			return nil, err
		}
		row[i] = e
	}
	return row, nil
}

// defaultOf is the value of a column that none is given for.
func (p *Planner) defaultOf(c catalog.Column) (expr.Expr, error) {
	if c.Default == "" {
		return expr.Const{T: c.Type}, nil
	}
	tree, err := p.ParseExpr(c.Default)
	if err != nil {
		return nil, err
	}
	return p.Default(tree, c)
}

// Default plans the default of a column.
func (p *Planner) Default(tree ast.Expr, c catalog.Column) (expr.Expr, error) {
	none := newScope()
	none.refusal = "cannot use column reference in DEFAULT expression"
	e, err := (&scalars{Planner: p, scope: none, where: "DEFAULT expressions"}).expr(tree)
	if err != nil {
		return nil, err
	}
	out, ok, err := p.coerce(e, c.Type, types.Assignment, start(tree))
	if err == nil && !ok {
		err = sqlerr.New(sqlerr.DatatypeMismatch, "column %q is of type %s but default expression is of type %s", c.Name, types.Of(c.Type.OID), types.Of(e.Type().OID)).
			WithHint("You will need to rewrite or cast the expression.")
	}
	return out, err
}

func allColumns(t *catalog.Table) []plan.Column { return plan.TableColumns(t, t.StoredOrdinals(nil)) }

// onConflict finds the unique key that ON CONFLICT names.
func onConflict(n *plan.Insert, c *ast.OnConflict) error {
	if c.Update != nil {
		return sqlerr.Unsupported("ON CONFLICT DO UPDATE").At(int(c.Pos))
	}
	n.Conflict = plan.ConflictNothing
	switch {
	case c.Constraint != "":
		if n.Primary = n.Table.PrimaryKey == c.Constraint; n.Primary {
			return nil
		}
		if n.Arbiter = n.Table.Index(c.Constraint); n.Arbiter == nil || !n.Arbiter.Unique {
			return sqlerr.New(sqlerr.UndefinedObject, "constraint %q for table %q does not exist", c.Constraint, n.Table.Name)
		}
	case len(c.Columns) > 0:
		return arbiterOf(n, c)
	}
	return nil
}

// arbiterOf finds the unique key over exactly the named columns.
func arbiterOf(n *plan.Insert, c *ast.OnConflict) error {
	want := map[uint32]bool{}
	for _, name := range c.Columns {
		i, err := tableColumn(n.Table, name)
		if err != nil {
			return sqlerr.New(sqlerr.UndefinedColumn, "column %q does not exist", name.Name).At(int(name.Pos))
		}
		want[n.Table.Columns[i].ID] = true
	}
	same := func(ids []uint32) bool {
		for _, id := range ids {
			if !want[id] {
				return false
			}
		}
		return len(ids) == len(want)
	}
	if n.Primary = n.Table.PrimaryKey != "" && same(n.Table.Primary.Columns()); n.Primary {
		return nil
	}
	for i := range n.Table.Indexes {
		if x := &n.Table.Indexes[i]; x.Unique && same(x.Layout.Columns()) {
			n.Arbiter = x
			return nil
		}
	}
	return sqlerr.New(sqlerr.InvalidColumnReference, "there is no unique or exclusion constraint matching the ON CONFLICT specification")
}

// planUpdate plans an UPDATE over the rows that WHERE keeps.
func (p *Planner) planUpdate(s *ast.Update) (plan.Node, error) {
	if s.Returning != nil {
		return nil, sqlerr.Unsupported("RETURNING")
	}
	t, err := p.from(s.Table)
	if err != nil {
		return nil, err
	}
	sc, input, err := p.writeSource(t, s.Alias, s.Where, s.Hints)
	if err != nil {
		return nil, err
	}
	n := plan.Update{Table: t, Input: input}
	seen := map[int]bool{}
	for _, a := range s.Set {
		i, err := tableColumn(t, a.Column)
		if err != nil {
			return nil, err
		}
		if seen[i] {
			return nil, sqlerr.New(sqlerr.SyntaxError, "multiple assignments to same column %q", a.Column.Name)
		}
		seen[i] = true
		value, err := p.newValue(sc, t.Columns[i], a)
		if err != nil {
			return nil, err
		}
		n.Set = append(n.Set, plan.Assignment{Column: i, Value: value})
	}
	return n, nil
}

func (p *Planner) newValue(sc *scalars, c catalog.Column, a ast.Assignment) (expr.Expr, error) {
	if _, ok := a.Value.(*ast.Default); ok {
		return p.defaultOf(c)
	}
	e, err := sc.expr(a.Value)
	if err != nil {
		return nil, err
	}
	return p.assign(e, c.Name, c.Type, start(a.Value))
}

func (p *Planner) planDelete(s *ast.Delete) (plan.Node, error) {
	if s.Returning != nil {
		return nil, sqlerr.Unsupported("RETURNING")
	}
	t, err := p.from(s.Table)
	if err != nil {
		return nil, err
	}
	_, input, err := p.writeSource(t, s.Alias, s.Where, s.Hints)
	return plan.Delete{Table: t, Input: input}, err
}

// writeSource is the rows that an UPDATE or DELETE writes.
func (p *Planner) writeSource(t *catalog.Table, alias string, where ast.Expr, hints []ast.Hint) (*scalars, plan.Node, error) {
	rel, scan, err := p.scanTable(t, alias, nil)
	if err != nil {
		return nil, nil, err
	}
	scan.Write = true
	scan.Hints = hintsFor(hints, t, rel.name)
	sc := &scalars{Planner: p, scope: newScope(rel), where: "WHERE"}
	if where == nil {
		sc.where = "UPDATE"
		return sc, scan, nil
	}
	cond, err := sc.condition(where, "WHERE")
	if err != nil {
		return nil, nil, err
	}
	sc.where = "UPDATE"
	return sc, plan.Filter{Input: scan, Cond: cond}, nil
}

// planCopy plans COPY FROM: rows of the named columns that the session reads from the
// client, made whole.
func (p *Planner) planCopy(s *ast.Copy) (plan.Node, error) {
	if s.To {
		return nil, sqlerr.Unsupported("COPY TO")
	}
	if s.Where != nil {
		return nil, sqlerr.Unsupported("COPY FROM ... WHERE")
	}
	t, err := p.Table(s.Table)
	if err != nil {
		return nil, err
	}
	targets, err := p.insertTargets(t, s.Columns)
	if err != nil {
		return nil, err
	}
	stream := plan.Stream{Cols: plan.TableColumns(t, targets)}
	given := make([]expr.Expr, len(targets))
	for i, c := range stream.Cols {
		given[i] = expr.Column{Index: i, Name: c.Name, T: c.Type}
	}
	row, err := p.wholeRow(t, targets, given, make([]ast.Pos, len(given)))
	if err != nil {
		return nil, err
	}
	return plan.Insert{Table: t, Input: plan.Project{Input: stream, Exprs: row, Cols: allColumns(t)}}, nil
}

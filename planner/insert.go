package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/clause"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// planInsert plans an INSERT: the rows of its source, made whole and of the types of
// the table's columns.
func (p writer) planInsert(s *ast.Insert, around *bind.Scope) (plan.Node, error) {
	return p.within(s.With, around, func() (plan.Node, error) {
		g, err := p.goal(s.Table, s.Alias, inserting)
		if err != nil {
			return nil, err
		}
		if g.instead != 0 {
			return insteads{p}.insert(s, g, around)
		}
		t := g.table
		if g.view != nil && (s.Replace || s.Upsert) {
			return nil, sqlerr.Unsupported("writing to view %q", g.view.Name).At(int(s.Table.Pos))
		}
		if err := foreignAllows(t, "inserts"); err != nil {
			return nil, err
		}
		if s.Replace && g.security != nil {
			return nil, sqlerr.Unsupported("REPLACE into a table with row security").At(int(s.Table.Pos))
		}
		if err := mayReplace(t, s); err != nil {
			return nil, err
		}
		if err := mayUpsert(t, s); err != nil {
			return nil, err
		}
		targets, err := p.insertTargets(p.expressions(around.Sibling(nil), "INSERT"), g, s.Columns)
		if err != nil {
			return nil, err
		}
		if s.Replace {
			bind.Also(g.rel.Needs, catalog.MayDelete)
		}
		n := plan.Insert{Table: t, Overwrite: s.Replace}
		if n.Written, err = p.written(t); err != nil {
			return nil, err
		}
		var given int
		if n.Input, given, err = p.insertSource(s, g, targets, around); err != nil {
			return nil, err
		}
		g.inserts(targets[:given]...)
		if n.Stamp, err = stamp(t, s.Table, s.Hints); err != nil {
			return nil, err
		}
		if n.Stamp != nil {
			n.Stamp.Columns = writes(t, s, ordinals(targets[:given]))
		}
		if action := conflictAction(s, t, ordinals(targets[:given])); action != nil {
			if err := p.onConflict(&n, action, g, around); err != nil {
				return nil, err
			}
			n.Overwrite = s.Upsert && n.Conflict == plan.ConflictUpdate
		}
		row := writtenRow(g, s.Returning, n.Partitions)
		n.Returning, n.Cols, err = p.returning(s.Returning, around.Sibling([]bind.Relation{row}))
		if err != nil {
			return nil, err
		}
		n.Checks, err = g.checked(n.Checks, n.Partitions, insertRules(n.Conflict == plan.ConflictUpdate)...)
		n.Blind = mayInsertBlindly(n)
		return n, err
	})
}

// within plans a statement that may have a WITH, which adds to its scope.
func (p writer) within(w *ast.With, around *bind.Scope, f func() (plan.Node, error)) (plan.Node, error) {
	if w == nil {
		return f()
	}
	return p.newQuery(around).with(w, f)
}

// returning plans a RETURNING list.
func (p writer) returning(list []ast.Target, sc *bind.Scope) ([]expr.Expr, []plan.Column, error) {
	if list == nil {
		return nil, nil, nil
	}
	q := &query{planner: p.Planner, Scalars: *p.expressions(sc, "RETURNING")}
	err := clause.Targets(q.Analysis(), list, false, q.selected())
	return q.list, q.cols, err
}

// insertTargets are the columns that values are given for.
func (p writer) insertTargets(sc *bind.Scalars, g *goal, names []ast.ColumnName) ([]target, error) {
	var out []target
	switch {
	case len(names) > 0:
	case g.view != nil:
		for i, c := range g.columns {
			out = append(out, target{ordinal: c.ordinal, through: i + 1})
		}
		return out, nil
	default:
		for i, c := range g.table.Columns {
			if !c.Hidden {
				out = append(out, target{ordinal: i})
			}
		}
		return out, nil
	}
	for _, n := range names {
		next, err := p.target(g, n)
		if err == nil {
			next.at, err = pathOf(sc, g, next, n)
		}
		if err == nil {
			err = specified(g, out, n, next)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, next)
	}
	return out, nil
}

// TableColumn is the ordinal of a column of a table that a statement writes.
func TableColumn(t *catalog.Table, n ast.ColumnName) (int, error) {
	i := t.Column(n.Name)
	if i < 0 || t.Columns[i].Hidden {
		return -1, sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", n.Name, t.Name).
			At(int(n.Pos))
	}
	return i, nil
}

// insertSource plans where the rows come from, and says for how many of the targets they have values.
func (p writer) insertSource(s *ast.Insert, g *goal, targets []target, around *bind.Scope) (n plan.Node,
	given int, err error) {
	if s.Select == nil {
		n, err = p.insertValues(s, [][]ast.Expr{{}}, g, nil, around)
		return n, 0, err
	}
	simple := s.Select.With == nil && s.Select.OrderBy == nil && s.Select.Limit == nil && s.Select.Offset == nil
	if s.Select.Values != nil && simple {
		rows, err := p.expressions(around.Sibling(nil), "VALUES").Unstarred(s.Select.Values)
		if err != nil {
			return nil, 0, err
		}
		for _, row := range rows {
			if len(row) != len(rows[0]) {
				return nil, 0, clause.UnequalRows(row)
			}
			if err := sameLength(s, len(row), len(targets),
				func(i int) ast.Pos { return analyze.Start(row[i]) }); err != nil {
				return nil, 0, err
			}
		}
		n, err = p.insertValues(s, rows, g, targets, around)
		return n, len(rows[0]), err
	}
	return p.insertSelect(s, g, targets, around)
}

// insertSelect plans the rows of a query. A literal or parameter that the query gives no
// type to is taken as if it stood in VALUES.
func (p writer) insertSelect(s *ast.Insert, g *goal, targets []target, around *bind.Scope) (
	plan.Node, int, error) {
	q := p.newQuery(around)
	q.open = clause.Open(s.Select)
	n, err := q.plan(s.Select)
	if err != nil {
		return nil, 0, err
	}
	if err := sameLength(s, len(q.cols), len(targets), func(i int) ast.Pos { return q.pos[i] }); err != nil {
		return nil, 0, err
	}
	given := make([]expr.Expr, len(q.cols))
	for i, c := range q.cols {
		given[i] = expr.Column{Index: i, Name: c.Name, T: c.Type}
		if c.Type.OID == types.OIDUnknown {
			given[i] = q.list[i]
		}
	}
	to := slices.Clone(targets)
	for i := range given {
		if err := g.takes(to[i], inserting); err != nil {
			return nil, 0, err
		}
		ignored, err := overridden(g.table.Columns[to[i].ordinal], s.Overriding)
		if err != nil {
			return nil, 0, err
		}
		if ignored {
			to[i].ordinal = -1
		}
	}
	row, err := p.wholeRow(g, to, given, q.pos)
	return plan.Project{Input: n, Exprs: row, Cols: allColumns(g.table)}, len(given), err
}

// sameLength wants as many expressions as columns that are named for them, or as most
// there are.
func sameLength(s *ast.Insert, given, targets int, pos func(i int) ast.Pos) error {
	switch {
	case given > targets:
		return sqlerr.New(sqlerr.SyntaxError, "INSERT has more expressions than target columns").At(int(pos(targets)))
	case given < len(s.Columns):
		return sqlerr.New(sqlerr.SyntaxError, "INSERT has more target columns than expressions").
			At(int(s.Columns[given].Pos))
	}
	return nil
}

// insertValues plans rows of VALUES, each expression by the column that it is for.
func (p writer) insertValues(s *ast.Insert, rows [][]ast.Expr, g *goal, targets []target, around *bind.Scope) (
	plan.Node, error) {
	v := plan.Values{Cols: allColumns(g.table)}
	sc := p.expressions(around.Sibling(nil), "VALUES")
	sc.Scope.Target = g.table
	for _, row := range rows {
		whole, err := p.givenRow(sc, s.Overriding, g, targets, row)
		if err != nil {
			return nil, err
		}
		v.Rows = append(v.Rows, whole)
	}
	return v, nil
}

// givenRow is a whole row of the values that are written for some of its columns.
func (p writer) givenRow(sc *bind.Scalars, overriding string, g *goal, targets []target, row []ast.Expr) (
	[]expr.Expr, error) {
	var given []expr.Expr
	var pos []ast.Pos
	var to []target
	for i, e := range row {
		if _, ok := e.(*ast.Default); ok {
			if targets[i].at != nil {
				return nil, noDefault(targets[i].at)
			}
			continue
		}
		x, err := sc.Expr(e)
		if err != nil {
			return nil, err
		}
		if err := g.takes(targets[i], inserting); err != nil {
			return nil, err
		}
		if ignored, err := overridden(g.table.Columns[targets[i].ordinal], overriding); err != nil {
			return nil, err
		} else if ignored {
			continue
		}
		given, pos, to = append(given, x), append(pos, analyze.Start(e)), append(to, targets[i])
	}
	return p.wholeRow(g, to, given, pos)
}

// wholeRow is a row of all columns of the table: the given values, coerced, and the
// defaults of the others.
func (p writer) wholeRow(g *goal, targets []target, given []expr.Expr, pos []ast.Pos) ([]expr.Expr, error) {
	t := g.table
	row := make([]expr.Expr, len(t.Columns))
	var members []expr.Expr
	for i, to := range targets[:min(len(targets), len(given))] {
		switch {
		case to.ordinal < 0:
			continue
		case to.dynamic != "":
			member, err := p.members(t, to.dynamic, given[i], pos[i])
			if err == nil {
				members = append(members, member...)
				row[to.ordinal], err = p.Call("jsonb_build_object", members...)
			}
			if err != nil {
				return nil, err
			}
			continue
		}
		if err := p.into(row, g, to, given[i], pos[i]); err != nil {
			return nil, err
		}
	}
	for i := range row {
		if row[i] != nil {
			continue
		}
		e, err := p.unnamed(g, i)
		if err != nil {
			return nil, err
		}
		row[i] = e
	}
	return row, nil
}

// into puts the value of a target into a new row. One at the end of a path joins those that were put there before.
func (p writer) into(row []expr.Expr, g *goal, to target, value expr.Expr, pos ast.Pos) (err error) {
	c := g.column(to)
	if to.at == nil {
		row[to.ordinal], err = p.Assign(value, c.Name, c.Type, pos)
		return err
	}
	if row[to.ordinal] == nil {
		row[to.ordinal] = expr.Const{T: c.Type}
	}
	row[to.ordinal], err = p.inColumn(row[to.ordinal], to.at, c, value, pos)
	return err
}

func allColumns(t *catalog.Table) []plan.Column { return plan.TableColumns(t, t.StoredOrdinals(nil)) }

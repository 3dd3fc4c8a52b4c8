package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/encoding/cells"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// planCopy plans COPY FROM: rows of the named columns that the session reads from the
// client, made whole, of which WHERE may drop some.
func (p writer) planCopy(s *ast.Copy) (plan.Node, error) {
	g, err := insteads{p}.copied(s)
	if err != nil {
		return nil, err
	}
	t := g.table
	targets, err := p.insertTargets(nil, g, s.Columns)
	if err != nil {
		return nil, err
	}
	if targets, err = copied(t, targets, s.Columns != nil); err != nil {
		return nil, err
	}
	g.inserts(targets...)
	stream := plan.Stream{Cols: columnsOf(t, targets)}
	given := make([]expr.Expr, len(targets))
	for i, c := range stream.Cols {
		if given[i], err = p.Constrained(expr.Column{Index: i, Name: c.Name, T: c.Type.Base()}, c.Type); err != nil {
			return nil, err
		}
	}
	row, err := p.wholeRow(g, targets, given, make([]ast.Pos, len(given)))
	if err != nil {
		return nil, err
	}
	rows := plan.Node(plan.Project{Input: stream, Exprs: row, Cols: allColumns(t)})
	if s.Where != nil {
		cond, err := p.copyCondition(g, s.Where)
		if err != nil {
			return nil, err
		}
		rows = plan.Filter{Input: rows, Cond: cond}
	}
	if g.instead != 0 {
		return insteads{p}.node(g, rows, nil, nil)
	}
	out := plan.Insert{Table: t, Input: rows}
	if out.Written, err = p.written(t); err != nil {
		return nil, err
	}
	if celltime.Has(t) {
		out.Stamp = &cells.Stamp{Columns: writes(t, &ast.Insert{Select: &ast.Select{}}, ordinals(targets))}
	}
	return out, nil
}

// copied is what COPY FROM writes to.
func (p insteads) copied(s *ast.Copy) (*goal, error) {
	if r, err := p.Relation(s.Table); err == nil {
		if v, ok := r.(*catalog.View); ok && v.FiresInstead(inserting.on) {
			return p.goal(v, &ast.FromTable{Name: s.Table}, inserting)
		}
	}
	t, err := p.copyTable(s)
	if err != nil {
		return nil, err
	}
	if s, err := p.securityOf(t); err != nil {
		return nil, err
	} else if s != nil {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "COPY FROM not supported with row-level security").
			WithHint("Use INSERT statements instead.")
	}
	return &goal{table: t, rel: bind.Relation{Needs: p.Need(t, catalog.MayInsert)}}, nil
}

// copyTable finds the table that COPY FROM writes.
func (p writer) copyTable(s *ast.Copy) (*catalog.Table, error) {
	r, err := p.Relation(s.Table)
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case *catalog.Table:
		if r.Materialized != nil {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot copy to materialized view %q", s.Table.Name)
		}
		if err := foreignAllows(r, "inserts"); err != nil {
			return nil, err
		}
	case *catalog.View:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot copy to view %q", s.Table.Name).
			WithHint("To enable copying to a view, provide an INSTEAD OF INSERT trigger.")
	case *catalog.Sequence:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot copy to sequence %q", s.Table.Name)
	}
	return p.Table(s.Table)
}

func (p writer) copyCondition(g *goal, where ast.Expr) (expr.Expr, error) {
	rel := g.rel
	if g.instead == 0 {
		var err error
		if rel, _, err = p.scanTable(g.table, "", nil); err != nil {
			return nil, err
		}
		rel.Needs = g.rel.Needs
	}
	sc := p.expressions(bind.NewScope(rel), "COPY FROM WHERE conditions")
	return sc.Condition(where, "WHERE")
}

// CopyQuery is the query whose rows a COPY TO sends.
func (p *Planner) CopyQuery(s *ast.Copy) (ast.Statement, error) {
	switch q := s.Query.(type) {
	case nil:
		return p.copyTableQuery(s)
	case *ast.Insert:
		return q, wantReturning(q.Returning)
	case *ast.Update:
		return q, wantReturning(q.Returning)
	case *ast.Delete:
		return q, wantReturning(q.Returning)
	case *ast.Merge:
		return q, wantReturning(q.Returning)
	}
	return s.Query, nil
}

func wantReturning(list []ast.Target) error {
	if list != nil {
		return nil
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "COPY query must have a RETURNING clause")
}

// copyTableQuery reads the named columns of a table.
func (p *Planner) copyTableQuery(s *ast.Copy) (ast.Statement, error) {
	r, err := p.Relation(s.Table)
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case *catalog.View:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot copy from view %q", s.Table.Name).
			WithHint("Try the COPY (SELECT ...) TO variant.")
	case *catalog.Sequence:
		return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot copy from sequence %q", s.Table.Name)
	case *catalog.Table:
		kind := ""
		switch {
		case r.Foreign != nil:
			kind = "foreign table"
		case r.Materialized != nil:
			kind = "materialized view"
		case r.Partitioning != nil:
			kind = "partitioned table"
		}
		if kind != "" {
			return nil, sqlerr.New(sqlerr.WrongObjectType, "cannot copy from %s %q", kind, s.Table.Name).
				WithHint("Try the COPY (SELECT ...) TO variant.")
		}
		targets, err := (writer{p}).insertTargets(nil, &goal{table: r}, s.Columns)
		if err != nil {
			return nil, err
		}
		if _, err := copied(r, targets, s.Columns != nil); err != nil {
			return nil, err
		}
		return copyOf(s, r), nil
	case nil:
		return nil, bind.NoRelation(s.Table)
	}
	return copyOf(s, nil), nil
}

// copied are the columns of which COPY has values: not the generated ones, which it must not name.
func copied(t *catalog.Table, targets []target, named bool) ([]target, error) {
	var out []target
	for _, to := range targets {
		c := &t.Columns[to.ordinal]
		switch {
		case c.Generated == nil:
			out = append(out, to)
		case named:
			return nil, sqlerr.New(sqlerr.InvalidColumnReference, "column %q is a generated column", c.Name).
				WithDetail("Generated columns cannot be used in COPY.")
		}
	}
	return out, nil
}

// copyOf is the query of a COPY TO from a table, or from another relation.
func copyOf(s *ast.Copy, t *catalog.Table) *ast.Select {
	q := &ast.Select{From: []ast.From{&ast.FromTable{Name: s.Table}}, Pos: -1}
	column := func(name string) {
		q.Targets = append(q.Targets, ast.Target{Expr: &ast.Column{Parts: []string{name}, Pos: -1}, Pos: -1})
	}
	if t != nil && s.Columns == nil &&
		slices.ContainsFunc(t.Columns, func(c catalog.Column) bool { return c.Generated != nil }) {
		for i := range t.Columns {
			if c := &t.Columns[i]; !c.Hidden && c.Generated == nil {
				column(c.Name)
			}
		}
		return q
	}
	for _, c := range s.Columns {
		column(c.Name)
	}
	if s.Columns == nil {
		q.Targets = []ast.Target{{Expr: &ast.Star{Pos: -1}, Pos: -1}}
	}
	return q
}

package planner

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/policy"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/analyze"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/planner/tableoid"
	"zproxy/sqlerr"
	"zproxy/types"
)

// planUpdate plans an UPDATE over the rows that WHERE keeps.
func (p writer) planUpdate(s *ast.Update, around *bind.Scope) (plan.Node, error) {
	return p.within(s.With, around, func() (plan.Node, error) {
		g, err := p.goal(s.Table, s.Alias, updating)
		if err != nil {
			return nil, err
		}
		if g.instead != 0 {
			return insteads{p}.update(s, g, around)
		}
		w := heirWriter{p}
		return w.overHeirs(g, func(g *goal) (plan.Node, error) { return w.updateOf(s, g, around) })
	})
}

// updateOf is an UPDATE of the rows of one table.
func (p heirWriter) updateOf(s *ast.Update, g *goal, around *bind.Scope) (plan.Node, error) {
	t := g.table
	if err := foreignAllows(t, "updates"); err != nil {
		return nil, err
	}
	if err := mayUpdate(t, s.Table, "UPDATE"); err != nil {
		return nil, err
	}
	w := writeSource{goal: g, tree: s, from: s.From, where: s.Where, hints: s.Hints}
	sc, input, err := p.writeSource(w, around)
	if err != nil {
		return nil, err
	}
	n := plan.Update{Table: t}
	if n.Written, err = p.written(t); err != nil {
		return nil, err
	}
	if n.Set, err = p.assignments(p.expressions(sc, "UPDATE"), g, s.Set); err != nil {
		return nil, err
	}
	if n.Stamp, err = stamp(t, s.Table, s.Hints); err != nil {
		return nil, err
	}
	if n.Returning, n.Cols, err = p.returning(s.Returning, sc); err != nil {
		return nil, err
	}
	if n.Input, err = g.secured(input, policy.Update); err != nil {
		return nil, err
	}
	n.Recheck = recheck(n.Input)
	n.Checks, err = g.checked(n.Checks, n.Partitions, rule{plan.UpdateCheck, policy.Update, checking})
	return n, err
}

// assignments plans SET.
func (p writer) assignments(sc *bind.Scalars, g *goal, list []ast.Assignment) ([]plan.Assignment, error) {
	t := g.table
	var out []plan.Assignment
	var targets []target
	var members []expr.Expr
	for _, a := range list {
		to, err := p.assigned(sc, g, targets, a.Column)
		if err != nil {
			return nil, err
		}
		targets = append(targets, to)
		if to.dynamic != "" {
			member, err := p.newMember(sc, t, to.dynamic, a)
			if err != nil {
				return nil, err
			}
			members = append(members, member...)
			continue
		}
		if to.at != nil {
			if out, err = p.newElement(sc, g, out, to, a); err != nil {
				return nil, err
			}
			continue
		}
		value, err := p.newValue(sc, g, to, a)
		if err != nil {
			return nil, err
		}
		out = append(out, plan.Assignment{Column: to.ordinal, Value: value})
	}
	if members == nil {
		return out, nil
	}
	all, err := p.changed(&sc.Scope.Relations[0], bind.DynamicAt(t), members)
	return append(out, all), err
}

// assigned finds the column that SET gives a value, besides others that it gives values.
func (p writer) assigned(sc *bind.Scalars, g *goal, others []target, n ast.ColumnName) (target, error) {
	to, err := p.target(g, n)
	if err != nil {
		if tableoid.IsSystem(n.Name) && g.view == nil {
			err = sqlerr.New(sqlerr.FeatureNotSupported, "cannot assign to system column %q", n.Name).At(int(n.Pos))
		}
		return to, err
	}
	if err := g.takes(to, updating); err != nil {
		return to, err
	}
	g.updates(to)
	if to.at, err = pathOf(sc, g, to, n); err != nil {
		return to, err
	}
	again := specified(g, others, n, to)
	switch {
	case sqlerr.Has(again, sqlerr.SyntaxError):
		return to, again
	case again != nil:
		return to, sqlerr.New(sqlerr.SyntaxError, "multiple assignments to same column %q", n.Name)
	}
	return to, keepsKey(g.table, to, n)
}

// newElement adds what SET gives a part of a column to the assignments before it: to the value that the column
// has, or got.
func (p writer) newElement(sc *bind.Scalars, g *goal, before []plan.Assignment, to target, a ast.Assignment) (
	[]plan.Assignment, error) {
	if _, ok := a.Value.(*ast.Default); ok {
		return nil, noDefault(to.at)
	}
	value, err := assigned(sc, a)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(before, func(b plan.Assignment) bool { return b.Column == to.ordinal })
	if at < 0 {
		at = len(before)
		base := g.at(to.ordinal)
		before = append(before, plan.Assignment{Column: to.ordinal, Value: base})
	}
	c := g.column(to)
	before[at].Value, err = p.inColumn(before[at].Value, to.at, c, value, analyze.Start(a.Value))
	return before, err
}

// newMember is the value that SET gives a dynamic column.
func (p writer) newMember(sc *bind.Scalars, t *catalog.Table, name string, a ast.Assignment) ([]expr.Expr, error) {
	var value expr.Expr = expr.Const{T: types.Unknown}
	if _, ok := a.Value.(*ast.Default); !ok {
		var err error
		if value, err = assigned(sc, a); err != nil {
			return nil, err
		}
	}
	return p.members(t, name, value, analyze.Start(a.Value))
}

func (p writer) newValue(sc *bind.Scalars, g *goal, to target, a ast.Assignment) (expr.Expr, error) {
	if _, ok := a.Value.(*ast.Default); ok {
		return p.reset(g, to)
	}
	c := g.column(to)
	if err := updatable(c); err != nil {
		return nil, err
	}
	e, err := assigned(sc, a)
	if err != nil {
		return nil, err
	}
	return p.Assign(e, c.Name, c.Type, analyze.Start(a.Value))
}

// assigned is what stands behind = in SET.
func assigned(sc *bind.Scalars, a ast.Assignment) (expr.Expr, error) {
	if v, ok := a.Value.(*ast.SubqueryColumn); ok {
		return subqueryColumn(sc, v)
	}
	return sc.Expr(a.Value)
}

// subqueryColumn is one column of the row that SET (a, b) = (SELECT ...) assigns.
func subqueryColumn(s *bind.Scalars, e *ast.SubqueryColumn) (expr.Expr, error) {
	out, cols, err := s.Inner(e.Select)
	if err != nil {
		return nil, err
	}
	if len(cols) != e.Of {
		return nil, sqlerr.New(sqlerr.SyntaxError, "number of columns does not match number of values").At(int(e.Pos))
	}
	c := cols[e.Column]
	one := plan.Project{Input: out.Plan.(plan.Sub).Node, Cols: []plan.Column{c}}
	one.Exprs = []expr.Expr{expr.Column{Index: e.Column, Name: c.Name, T: c.Type}}
	out.Plan, out.T = plan.Sub{Node: one}, c.Type
	return out, nil
}

func (p writer) planDelete(s *ast.Delete, around *bind.Scope) (plan.Node, error) {
	return p.within(s.With, around, func() (plan.Node, error) {
		g, err := p.goal(s.Table, s.Alias, deleting)
		if err != nil {
			return nil, err
		}
		if g.instead != 0 {
			return insteads{p}.delete(s, g, around)
		}
		w := heirWriter{p}
		return w.overHeirs(g, func(g *goal) (plan.Node, error) { return w.deleteOf(s, g, around) })
	})
}

// deleteOf is a DELETE of the rows of one table.
func (p heirWriter) deleteOf(s *ast.Delete, g *goal, around *bind.Scope) (plan.Node, error) {
	t := g.table
	if err := foreignAllows(t, "deletes"); err != nil {
		return nil, err
	}
	if err := mayDelete(t, s.Table); err != nil {
		return nil, err
	}
	w := writeSource{goal: g, tree: s, from: s.Using, where: s.Where, hints: s.Hints}
	sc, input, err := p.writeSource(w, around)
	if err != nil {
		return nil, err
	}
	n := plan.Delete{Table: t}
	if n.Written, err = p.written(t); err != nil {
		return nil, err
	}
	if n.Stamp, err = stamp(t, s.Table, s.Hints); err != nil {
		return nil, err
	}
	if n.Returning, n.Cols, err = p.returning(s.Returning, sc); err != nil {
		return nil, err
	}
	if n.Input, err = g.secured(input, policy.Delete); err != nil {
		return nil, err
	}
	n.Recheck = recheck(n.Input)
	n.Key = wholeKey(t, n.Input)
	if n.Blind = mayDeleteBlindly(n); !n.Blind && n.Stamp == nil {
		n.Key = nil
	}
	return n, err
}

// writeSource says which rows an UPDATE or DELETE writes.
type writeSource struct {
	goal  *goal
	from  []ast.From
	where ast.Expr
	hints []ast.Hint
	tree  ast.Statement
}

// goalRows are the rows of a goal.
func goalRows(p writer, f *from, g *goal) (plan.Node, error) {
	if g.rows != nil {
		return g.rows, nil
	}
	scan := g.scan
	scan.Write = true
	scan.Hints = p.hintsFor(f.hints, g.table, g.rel.Name)
	if err := p.indexed(&scan); err != nil {
		return nil, err
	}
	numbered := g.view == nil && g.rel.Exprs == nil && f.numbered(g.table)
	if numbered {
		g.rel.AddTableOID(g.table.ID)
	}
	if g.table.Partitioning == nil && !numbered {
		return scan, nil
	}
	only := ast.Name{Only: g.table.Partitioning == nil || g.name.Only}
	return p.leaves(scan, only, numbered)
}

// writeSource is the rows that an UPDATE or DELETE writes, beside those of FROM.
func (p writer) writeSource(w writeSource, around *bind.Scope) (*bind.Scope, plan.Node, error) {
	g := w.goal
	f := &from{Planner: p.Planner, scope: around, hints: w.hints, tree: w.tree, outer: hasOuterJoin(w.from)}
	rows, err := goalRows(p, f, g)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range g.where {
		rows = r.of(rows)
	}
	all := source{node: rows, rels: []bind.Relation{g.rel}}
	for _, item := range w.from {
		if all, err = f.join(&ast.FromJoin{Right: item}, all, around); err != nil {
			return nil, nil, err
		}
	}
	p.missed(w.hints)
	sc := around.Sibling(all.rels)
	if w.where == nil {
		return sc, all.node, nil
	}
	var cond expr.Expr
	if at, ok := w.where.(*ast.CurrentOf); ok {
		cond, err = currentOf(p.expressions(sc, "WHERE"), g, at.Cursor)
	} else {
		cond, err = p.expressions(sc, "WHERE").Condition(w.where, "WHERE")
	}
	return sc, plan.Filter{Input: all.node, Cond: cond}, err
}

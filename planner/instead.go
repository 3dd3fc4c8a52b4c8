package planner

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
)

// insteads plans statements that write to a view whose triggers fire in their place: the view is then a goal as a table
// is, whose rows are those of its query.
type insteads struct{ writer }

// goal is that of a view itself.
func (p insteads) goal(v *catalog.View, item *ast.FromTable, e event) (*goal, error) {
	g := &goal{table: v.AsTable(), name: item.Name, instead: e.on}
	if e == inserting {
		g.rel = p.Named(v, item.Alias)
		g.rel.Needs = p.Need(v, e.privilege)
		g.rel.Cols = allColumns(g.table)
		for i := range g.rel.Cols {
			g.rel.Cols[i].Table, g.rel.Cols[i].Attribute = v.ID, int16(i+1)
		}
		return g, nil
	}
	f := &from{Planner: p.Planner, scope: bind.NewScope()}
	src, err := f.viewFor(v, item, e.privilege)
	if err != nil {
		return nil, err
	}
	g.rel = src.rels[0]
	exprs := make([]expr.Expr, len(g.rel.Cols))
	for i := range exprs {
		exprs[i] = g.rel.At(i)
	}
	g.rows = plan.Project{Input: src.node, Exprs: exprs, Cols: g.rel.Cols}
	g.rel.Exprs, g.rel.First = nil, 0
	return g, nil
}

// node is what fires the triggers.
func (p insteads) node(g *goal, input plan.Node, returning []ast.Target, sc *bind.Scope) (n plan.Instead, err error) {
	n = plan.Instead{Input: input, Event: g.instead, Table: g.table}
	if n.Fires, err = p.Stored().Triggers(g.table); err != nil {
		return n, err
	}
	n.Returning, n.Cols, err = p.returning(returning, sc)
	return n, err
}

// insert is an INSERT.
func (p insteads) insert(s *ast.Insert, g *goal, around *bind.Scope) (plan.Node, error) {
	switch {
	case s.Replace || s.Upsert:
		return nil, sqlerr.Unsupported("writing to view %q", g.table.Name).At(int(s.Table.Pos))
	case s.OnConflict != nil && (len(s.OnConflict.Update) > 0 || len(s.OnConflict.Columns) > 0):
		return nil, sqlerr.New(sqlerr.InvalidColumnReference,
			"there is no unique or exclusion constraint matching the ON CONFLICT specification")
	}
	targets, err := p.insertTargets(p.expressions(around.Sibling(nil), "INSERT"), g, s.Columns)
	if err != nil {
		return nil, err
	}
	input, given, err := p.insertSource(s, g, targets, around)
	if err != nil {
		return nil, err
	}
	g.inserts(targets[:given]...)
	return p.node(g, input, s.Returning, around.Sibling([]bind.Relation{g.rel}))
}

// update is an UPDATE.
func (p insteads) update(s *ast.Update, g *goal, around *bind.Scope) (plan.Node, error) {
	w := writeSource{goal: g, tree: s, from: s.From, where: s.Where, hints: s.Hints}
	sc, input, err := p.writeSource(w, around)
	if err != nil {
		return nil, err
	}
	set, err := p.assignments(p.expressions(sc, "UPDATE"), g, s.Set)
	if err != nil {
		return nil, err
	}
	n, err := p.node(g, input, s.Returning, sc)
	n.Set = set
	return n, err
}

// delete is a DELETE.
func (p insteads) delete(s *ast.Delete, g *goal, around *bind.Scope) (plan.Node, error) {
	w := writeSource{goal: g, tree: s, from: s.Using, where: s.Where, hints: s.Hints}
	sc, input, err := p.writeSource(w, around)
	if err != nil {
		return nil, err
	}
	return p.node(g, input, s.Returning, sc)
}

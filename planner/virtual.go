package planner

import (
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/planner/plan"
	"zproxy/planner/tableoid"
)

// virtual plans a relation of the system in FROM.
func (f *from) virtual(v *catalog.Virtual, item *ast.FromTable) (source, error) {
	needs := f.Need(v, catalog.MaySelect)
	if v.Query != "" {
		return f.virtualQuery(v, item)
	}
	rel := f.Named(v, item.Alias)
	rel.Needs = needs
	n := plan.Virtual{Relation: v, Alias: rel.Name}
	for i, c := range v.Columns {
		n.Reads = append(n.Reads, i)
		n.Cols = append(n.Cols, plan.Column{Name: c.Name, Type: c.Type, Table: v.ID, Attribute: int16(i + 1)})
	}
	cols, err := renamed(n.Cols, item.Columns, rel.Name)
	n.Reads = append(n.Reads, plan.TableOID)
	n.Cols = append(n.Cols, tableoid.Column(v.ID))
	rel.Cols = cols
	rel.AddTableOID(v.ID)
	return source{node: n, rels: []bind.Relation{rel}}, err
}

// virtualQuery plans the query that makes the rows of a relation. Its columns are found by
// name and get the types of the relation's; those that the query does not make are NULL.
func (f *from) virtualQuery(v *catalog.Virtual, item *ast.FromTable) (source, error) {
	q := f.newQuery(bind.NewScope())
	n, err := f.viewQuery(q, &catalog.View{Query: v.Query, Path: []string{catalog.PgCatalogName}})
	if err != nil {
		return source{}, fmt.Errorf("%s.%s: %w", v.Schema, v.Name, err)
	}
	made := n.Columns()
	out := plan.Project{Input: n}
	for i, c := range v.Columns {
		e := expr.Expr(expr.Const{T: c.Type})
		if at := slices.IndexFunc(made, func(m plan.Column) bool { return m.Name == c.Name }); at >= 0 {
			if e, err = f.Explicit(expr.Column{Index: at, Name: c.Name, T: made[at].Type}, c.Type, -1); err != nil {
				return source{}, fmt.Errorf("%s.%s.%s: %w", v.Schema, v.Name, c.Name, err)
			}
		}
		out.Exprs = append(out.Exprs, e)
		out.Cols = append(out.Cols, plan.Column{Name: c.Name, Type: c.Type, Table: v.ID, Attribute: int16(i + 1)})
	}
	rel := f.Named(v, item.Alias)
	rel.Cols, err = renamed(out.Cols, item.Columns, rel.Name)
	return source{node: out, rels: []bind.Relation{rel}}, err
}

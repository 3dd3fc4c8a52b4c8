package rowfilter

import (
	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/planner"
	"zproxy/planner/bind"
	"zproxy/planner/bound"
)

// Condition is which rows of a table a publication has, as its WHERE says.
func Condition(p *planner.Planner, t *catalog.Table, tree ast.Expr, text string) (*catalog.Condition, error) {
	cond, err := p.Over(bind.NewScope(p.OfTable(t, "")), p, "WHERE").Condition(tree, "PUBLICATION WHERE")
	if err != nil {
		return nil, err
	}
	src := bound.Source{Names: bind.Names{Catalog: p.Catalog, SearchPath: p.SearchPath},
		Constants: bind.Constants{Env: p.Env}, Now: p.Catalog}
	if err := check(src, t, tree); err != nil {
		return nil, err
	}
	named := map[int]bool{}
	expr.Columns(cond, named)
	c := &catalog.Condition{Text: text, Literals: catalog.LiteralsOf(p.Env, p.Now())}
	c.Over = catalog.Use{ID: t.ID, Schema: t.Schema, Name: t.Name}
	for i, column := range t.Columns {
		if named[i] {
			c.Over.Columns = append(c.Over.Columns, catalog.Bound{ID: column.ID, Name: column.Name})
		}
	}
	return c, nil
}

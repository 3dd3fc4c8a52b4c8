package define

import (
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
)

// Materialize notes the query that fills a table, which makes it a materialized view.
func Materialize(b Builder, t *catalog.Table, s *ast.CreateTableAs) error {
	query, ok := s.Query.(*ast.Select)
	if !ok {
		return nil // the grammar has no other
	}
	v := catalog.View{Query: s.Text, Path: slices.Clone(b.SearchPath), Read: b.Written()}
	t.Materialized = &catalog.Materialized{Empty: s.NoData}
	err := bind.Noted(&b.Binder, v.Read, func() error {
		return b.viewColumns(&v, &ast.CreateView{Query: query, Columns: s.Columns})
	})
	t.Materialized.Query = v
	return err
}

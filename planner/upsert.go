package planner

import (
	"cmp"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/celltime"
	"zproxy/parser/ast"
	"zproxy/planner/bind"
	"zproxy/sqlerr"
)

// mayUpsert wants a table of UPSERT to have a key by which a row is found.
func mayUpsert(t *catalog.Table, s *ast.Insert) error {
	if !s.Upsert || t.KeyName() != "" {
		return nil
	}
	return sqlerr.New(sqlerr.WrongObjectType, "UPSERT into table %q, which has no primary key", t.Name).
		At(int(s.Table.Pos)).
		WithHint("Use INSERT: there is nothing by which a row would be found.")
}

// conflictAction is what an INSERT does with a row whose key is taken. UPSERT gives the columns that it names
// their new values. Where rows are never updated, it is an INSERT.
func conflictAction(s *ast.Insert, t *catalog.Table, targets []int) *ast.OnConflict {
	if !s.Upsert || !t.Mutability().Updates() {
		return s.OnConflict
	}
	out := &ast.OnConflict{Constraint: t.KeyName(), Pos: s.Table.Pos}
	if celltime.Has(t) {
		out.Update = []ast.Assignment{} // the row itself has a timestamp
	}
	key := t.Primary.Columns()
	for _, i := range targets {
		c := t.Columns[i]
		if slices.Contains(key, c.ID) || updatable(c) != nil {
			continue
		}
		a := ast.Assignment{
			Column: ast.ColumnName{Name: c.Name, Pos: -1},
			Value:  &ast.Column{Parts: []string{"excluded", c.Name}, Pos: -1},
		}
		if i == bind.DynamicAt(t) {
			a.Value = merged(cmp.Or(s.Alias, t.Name))
		}
		out.Update = append(out.Update, a)
	}
	return out
}

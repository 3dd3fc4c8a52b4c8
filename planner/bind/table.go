package bind

import (
	"cmp"

	"zproxy/catalog"
	"zproxy/planner/plan"
)

// OfTable is a table as a relation of a scope, under its own name or an alias. Its row has all columns.
func (n *Names) OfTable(t *catalog.Table, alias string) Relation {
	rel := Relation{Schema: t.Schema, Name: cmp.Or(alias, t.Name), Table: t, RowType: n.RowOf(t)}
	if rel.Name != t.Name {
		rel.Behind = t.Name
	}
	if alias != "" {
		rel.Schema = ""
	}
	rel.Cols = plan.TableColumns(t, t.StoredOrdinals(nil))
	now, ok := n.Catalog.Present(t.ID).(*catalog.Table)
	rel.Mark(Hidden, func(i int) bool { return t.Columns[i].Hidden })
	later := ok && len(now.Columns) == len(t.Columns)
	rel.Mark(Later, func(i int) bool { return later && t.Columns[i].Hidden && !now.Columns[i].Hidden })
	return rel
}

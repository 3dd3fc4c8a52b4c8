package bind

import (
	"cmp"

	"zproxy/catalog"
	"zproxy/planner/plan"
)

// Named is a relation of the catalog as one of a scope, under its own name or an alias.
func (n *Names) Named(r catalog.Relation, alias string) Relation {
	ref := r.Ref()
	rel := Relation{Schema: ref.Schema, Name: cmp.Or(alias, ref.Name), RowType: n.RowOf(r)}
	if rel.Name != ref.Name {
		rel.Behind = ref.Name
	}
	if alias != "" {
		rel.Schema = ""
	}
	return rel
}

// OfTable is a table as a relation of a scope. Its row has all columns.
func (n *Names) OfTable(t *catalog.Table, alias string) Relation {
	rel := n.Named(t, alias)
	rel.Table = t
	rel.Cols = plan.TableColumns(t, t.StoredOrdinals(nil))
	now, ok := n.Catalog.Present(t.ID).(*catalog.Table)
	rel.Mark(Hidden, func(i int) bool { return t.Columns[i].Hidden })
	rel.MarkDynamic(t)
	later := ok && len(now.Columns) == len(t.Columns)
	rel.Mark(Later, func(i int) bool { return later && t.Columns[i].Hidden && !now.Columns[i].Hidden })
	return rel
}

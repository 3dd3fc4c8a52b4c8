package bind

import (
	"zproxy/catalog"
	"zproxy/types"
)

// isTyped says whether one type is that of the rows of a table that has its columns from the other one, which is a
// composite type.
func isTyped(n *Names, from, to types.OID) bool {
	if !from.IsRow() || !to.IsRow() || n.Catalog == nil {
		return false
	}
	relation, _ := from.Relation()
	t, ok := n.Catalog.Present(relation).(*catalog.Table)
	of, _ := to.Relation()
	return ok && t.OfType != 0 && t.OfType == of
}

// asComposite makes the row of a table one of the type that the table is of.
func asComposite(v types.Value, to types.T, _ *types.Env) (types.Value, error) {
	row := *v.Record()
	row.Names, row.Types, row.Numbers = to.Def.Names, to.Def.Types, to.Def.Numbers
	return types.NewRecord(&row), nil
}

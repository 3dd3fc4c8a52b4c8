package names

import (
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/reference"
)

// foreignKey is the clause that makes a foreign key.
func (v *View) foreignKey(t *catalog.Table, k *reference.Key) string {
	var b strings.Builder
	b.WriteString("FOREIGN KEY (" + columnList(t, k.Columns) + ") REFERENCES " + v.relationName(k.Table))
	if parent, ok := v.Catalog.ByID(k.Table).(*catalog.Table); ok {
		b.WriteString("(" + columnList(parent, k.Refers) + ")")
	}
	if k.Full {
		b.WriteString(" MATCH FULL")
	}
	if k.OnUpdate != reference.NoAction {
		b.WriteString(" ON UPDATE " + string(k.OnUpdate))
	}
	if k.OnDelete != reference.NoAction {
		b.WriteString(" ON DELETE " + string(k.OnDelete))
	}
	if k.Sets != nil {
		b.WriteString(" (" + columnList(t, k.Sets) + ")")
	}
	b.WriteString(k.Clauses() + k.Clause(v.Portable))
	return b.String()
}

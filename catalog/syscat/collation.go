package syscat

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/locale"
	"zproxy/types"
	"zproxy/types/collation"
)

// collations are the rows of pg_collation. Those by bytes are recorded.
func collations(r *rows) {
	for _, row := range r.recorded {
		if r.wants(uint32(row[0].Int())) {
			r.add(slices.Concat(row, []types.Value{types.Null, types.Null})...)
		}
	}
	for _, n := range collation.Builtin() {
		if n.Locale != "" && r.wants(n.OID) {
			r.add(number(n.OID), text(n.Name), number(pgCatalog), number(superuser), text(locale.ICU), boolean(true),
				number(-1), types.Null, types.Null, text(n.Locale), text(collation.Version))
		}
	}
	for _, p := range r.Catalog.Plains(catalog.CollationKind) {
		schema := r.Catalog.Schema(p.Schema)
		if d := p.Collation; r.wants(p.ID) && schema != nil {
			encoding := int64(-1)
			if d.Provider == locale.Libc {
				encoding = utf8
			}
			r.add(number(p.ID), text(p.Name), number(schema.ID), number(p.OwnerID()), text(d.Provider),
				boolean(!d.Nondeterministic), number(encoding), textOrNull(d.Collate), textOrNull(d.Ctype),
				textOrNull(d.Locale), textOrNull(d.Version))
		}
	}
}

// utf8 is the number of the encoding of all databases.
const utf8 = 6

// collationOf is the collation of columns of a type, 0 where it has none.
func (r *Relations) collationOf(t types.T) uint32 {
	switch t.Collation {
	case types.Collation{}:
		return r.formOf(t.OID).collation
	case types.Mixed:
		return 0
	}
	return t.Collation.OID
}

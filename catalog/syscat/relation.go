package syscat

import (
	"zproxy/catalog"
	"zproxy/types"
)

// relationCatalogs are those that every relation is in.
func relationCatalogs() []definition {
	return []definition{
		{name: "pg_namespace", key: "oid", columns: "oid nspname nspowner", rows: namespaces},
		{
			name: "pg_class", key: "oid", rows: classes,
			columns: "oid relname relnamespace relowner relam reltuples relhasindex relkind relnatts relchecks relhasrules",
			fixed: map[string]types.Value{
				"relpersistence": letter('p'), "relispopulated": boolean(true), "relreplident": letter('d'),
				"relhassubclass": boolean(false),
			},
		},
	}
}

// superuser is the OID of the role that the system belongs to.
const superuser = 10

func namespaces(r *rows) {
	for _, s := range r.Catalog.Schemas() {
		if r.wants(s.ID) {
			r.add(number(s.ID), text(s.Name), number(superuser))
		}
	}
}

func classes(r *rows) {
	for _, v := range r.Catalog.Virtuals() {
		if r.wants(v.ID) {
			r.class(v.Ref(), class{columns: len(v.Columns), rows: -1})
		}
	}
	for _, t := range r.Catalog.Tables() {
		if r.wants(t.ID) {
			r.class(t.Ref(), class{columns: len(t.Columns), checks: len(t.Checks), indexed: len(t.Indexes) > 0 || t.PrimaryKey != "", rows: t.RowCount()})
		}
	}
}

// class is what pg_class says of a relation besides its name.
type class struct {
	columns, checks int
	indexed         bool
	rows            float64
}

func (r *rows) class(ref catalog.Ref, c class) {
	kinds := map[catalog.Kind]byte{catalog.TableKind: 'r', catalog.ViewKind: 'v', catalog.SequenceKind: 'S', catalog.IndexKind: 'i'}
	schema := r.Catalog.Schema(ref.Schema)
	if schema == nil {
		return
	}
	access := 0
	if ref.Kind == catalog.TableKind {
		access = heapMethod
	}
	r.add(number(ref.ID), text(ref.Name), number(schema.ID), number(superuser), number(access), types.NewFloat(c.rows),
		boolean(c.indexed), letter(kinds[ref.Kind]), number(c.columns), number(c.checks), boolean(ref.Kind == catalog.ViewKind))
}

// The OIDs of access methods.
const (
	heapMethod  = 2
	btreeMethod = 403
)

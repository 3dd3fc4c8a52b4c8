package syscat

import (
	"zproxy/catalog"
	"zproxy/expr/builtin/system"
	"zproxy/types"
)

// publicationCatalogs are those that tell of publications.
func publicationCatalogs() []definition {
	return []definition{
		{
			name: "pg_publication", key: "oid", rows: publications,
			columns: "oid pubname pubowner puballtables pubinsert pubupdate pubdelete pubtruncate pubviaroot",
		},
		{name: "pg_publication_rel", columns: "oid prpubid prrelid prqual prattrs", rows: publishedTables},
		{name: "pg_publication_namespace", columns: "oid pnpubid pnnspid", rows: publishedSchemas},
	}
}

func publications(r *rows) {
	for _, p := range r.Catalog.Plains(catalog.PublicationKind) {
		if d := p.Publication; r.wants(p.ID) {
			r.add(number(p.ID), text(p.Name), number(p.OwnerID()), boolean(d.AllTables), boolean(d.Insert),
				boolean(d.Update), boolean(d.Delete), boolean(d.Truncate), boolean(d.ViaRoot))
		}
	}
}

func publishedTables(r *rows) {
	for _, p := range r.Catalog.Plains(catalog.PublicationKind) {
		filters := make([]string, len(p.Publication.Tables))
		if o := r.object("pg_publication", p.ID); o != nil && o.Expressions != nil {
			filters = o.Expressions(system.Layout{})
		}
		for i, t := range p.Publication.Tables {
			of, ok := r.Catalog.ByID(t.ID).(*catalog.Table)
			if !ok {
				continue
			}
			columns := types.Null
			if t.Columns != nil {
				var list []int16
				for _, id := range t.Columns {
					if of.Ordinal(id) >= 0 {
						list = append(list, int16(id))
					}
				}
				columns = vector(types.OIDInt2, list)
			}
			r.add(number(derived(p.ID, t.ID)), number(p.ID), number(t.ID), textOrNull(filters[i]), columns)
		}
	}
}

func publishedSchemas(r *rows) {
	for _, p := range r.Catalog.Plains(catalog.PublicationKind) {
		for _, id := range p.Publication.Schemas {
			if r.Catalog.SchemaByID(id) != nil {
				r.add(number(derived(p.ID, id)), number(p.ID), number(id))
			}
		}
	}
}

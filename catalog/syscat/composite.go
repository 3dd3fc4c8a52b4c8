package syscat

const compositeLetter = 'c'

// compositeClasses are the rows of pg_class for composite types.
func compositeClasses(r *rows) {
	for _, t := range r.Catalog.Types() {
		if t.Composite {
			r.class(t.Ref(), class{owner: t.OwnerID(), kind: compositeLetter, columns: len(t.Fields)})
		}
	}
}

// compositeAttributes are the rows of pg_attribute for composite types.
func compositeAttributes(r *rows) {
	for _, t := range r.Catalog.Types() {
		if !t.Composite || !r.wants(t.ID) {
			continue
		}
		for _, f := range t.Fields {
			r.attribute(t.ID, attribute{name: f.Name, typ: r.Catalog.Defined(f.Type), number: int(f.ID)})
		}
	}
}

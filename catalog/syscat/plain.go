package syscat

import "zproxy/catalog"

// plainDependencies are what operators and the like need.
func plainDependencies(r *rows) {
	for _, p := range r.Catalog.Plains("") {
		if p.Amendment != nil {
			continue
		}
		own := part{p.Class(), p.ID, 0}
		if schema := r.Catalog.Schema(p.Schema); schema != nil {
			r.depends(own, part{classSchemas, schema.ID, 0}, dependsNormal)
		}
		for _, id := range p.Functions() {
			if r.Catalog.FunctionByID(id) != nil {
				r.depends(own, part{classFunctions, id, 0}, dependsNormal)
			}
		}
		for _, t := range p.Types() {
			if of, _ := r.Catalog.TypeOf(t); of != nil {
				r.depends(own, part{classTypes, uint32(t), 0}, dependsNormal)
			}
		}
	}
}

func plainComments(r *rows) {
	for _, p := range r.Catalog.Plains("") {
		r.comment(part{p.Class(), p.OID(), 0}, p.Comment)
	}
}

// usedPlains are the operators that the query of a view has.
func usedPlains(r *rows, rule part, uses []catalog.Use) {
	for _, u := range uses {
		if p := r.Catalog.PlainByID(u.ID); p != nil {
			r.depends(rule, part{p.Class(), p.ID, 0}, dependsNormal)
		}
	}
}

package syscat

import (
	"zproxy/catalog"
)

// The OIDs of the catalogs that dependencies and comments name.
const (
	classDefaults    = 2604
	classRelations   = 1259
	classConstraints = 2606
	classRules       = 2618
	classSchemas     = 2615
	classLarge       = 2613
	classRoles       = 1260
	classDatabases   = 1262
	classFunctions   = 1255
	classOperators   = 2617
	classPolicies    = 3256
)

// dependCatalogs are those that tell what belongs to what, and what is said of it.
func dependCatalogs() []definition {
	return []definition{
		{name: "pg_depend", columns: "classid objid objsubid refclassid refobjid refobjsubid deptype", rows: dependencies},
		{name: "pg_description", key: "objoid", rows: comments},
		{name: "pg_shdescription", key: "objoid", columns: "objoid classoid description", rows: sharedComments},
	}
}

// part is an object, or a column of a relation.
type part struct{ class, id, column uint32 }

// The kinds of dependencies.
const (
	dependsNormal   = 'n'
	dependsAuto     = 'a'
	dependsInternal = 'i'
)

func (r *rows) depends(what, on part, how byte) {
	r.add(number(what.class), number(what.id), number(what.column), number(on.class), number(on.id), number(on.column),
		letter(how))
}

func dependencies(r *rows) {
	within := func(ref catalog.Ref) {
		if schema := r.Catalog.Schema(ref.Schema); schema != nil {
			r.depends(part{classRelations, ref.ID, 0}, part{classSchemas, schema.ID, 0}, dependsNormal)
		}
	}
	r.extensionDependencies()
	for _, t := range r.Catalog.Tables() {
		within(t.Ref())
		r.tableDependencies(t)
	}
	r.statisticsDependencies()
	triggerDependencies(r)
	userTypes{r}.dependencies()
	plainDependencies(r)
	for _, q := range r.Catalog.Sequences() {
		within(q.Ref())
		if q.OwnerTable == 0 {
			continue
		}
		how := byte(dependsAuto)
		if q.Identity {
			how = dependsInternal
		}
		r.depends(part{classRelations, q.ID, 0}, part{classRelations, q.OwnerTable, q.OwnerColumn}, how)
	}
	for _, v := range r.Catalog.Views() {
		within(v.Ref())
	}
	_, queries := catalog.Queries(r.Catalog)
	for _, v := range queries {
		rule, view := part{classRules, RuleOf(v.ID), 0}, part{classRelations, v.ID, 0}
		r.depends(rule, view, dependsInternal)
		r.depends(rule, view, dependsNormal)
		usedPlains(r, rule, v.Uses)
		for _, u := range v.Uses {
			for _, c := range u.Columns {
				r.depends(rule, part{classRelations, u.ID, c.ID}, dependsNormal)
			}
		}
	}
}

func (r *rows) tableDependencies(t *catalog.Table) {
	for i := range t.Columns {
		c := &t.Columns[i]
		if !hasDefault(c) {
			continue
		}
		own := part{classDefaults, derived(t.ID, c.ID), 0}
		r.depends(own, part{classRelations, t.ID, c.ID}, dependsAuto)
		for _, b := range c.DefaultUses {
			r.depends(own, part{classRelations, b.ID, 0}, dependsNormal)
		}
	}
	for _, c := range constraintsOf(t) {
		for _, id := range c.columns {
			on := part{classRelations, t.ID, id}
			r.depends(part{classConstraints, c.id, 0}, on, dependsAuto)
			if c.kind == 'c' { // its expression, too
				r.depends(part{classConstraints, c.id, 0}, on, dependsNormal)
			}
		}
		if k := c.foreign; k != nil {
			for _, id := range k.Refers {
				r.depends(part{classConstraints, c.id, 0}, part{classRelations, k.Table, id}, dependsNormal)
			}
			r.depends(part{classConstraints, c.id, 0}, part{classRelations, c.index, 0}, dependsNormal)
			continue
		}
		if c.index != 0 {
			r.depends(part{classRelations, c.index, 0}, part{classConstraints, c.id, 0}, dependsInternal)
		}
	}
	for _, x := range t.TableIndexes() {
		if x.Index == nil || x.Index.Constraint {
			continue
		}
		for _, c := range x.Columns() {
			r.depends(part{classRelations, x.Index.ID, 0}, part{classRelations, t.ID, c.ID}, dependsAuto)
		}
		if x.Index.Partial() {
			for _, c := range x.Index.Where.Over.Columns {
				r.depends(part{classRelations, x.Index.ID, 0}, part{classRelations, t.ID, c.ID}, dependsAuto)
			}
		}
	}
}

func (r *rows) comment(on part, comment string) {
	if comment != "" && r.wants(on.id) {
		r.add(number(on.id), number(on.class), number(on.column), text(comment))
	}
}

func comments(r *rows) {
	for _, row := range r.recorded {
		oid, class := uint32(row[0].Int()), r.relations.className(uint32(row[1].Int()))
		if r.wants(oid) && r.Catalog.Amended(class, oid) == nil {
			r.add(row...)
		}
	}
	for _, s := range r.Catalog.Schemas() {
		r.comment(part{classSchemas, s.ID, 0}, s.Comment)
	}
	for _, t := range r.Catalog.Tables() {
		r.tableComments(t)
	}
	for _, v := range r.Catalog.Views() {
		r.comment(part{classRelations, v.ID, 0}, v.Comment)
		for i, c := range v.Columns {
			r.comment(part{classRelations, v.ID, uint32(i + 1)}, c.Comment)
		}
	}
	for _, q := range r.Catalog.Sequences() {
		r.comment(part{classRelations, q.ID, 0}, q.Comment)
	}
	r.statisticsComments()
	extensionComments(r)
	userTypes{r}.comments()
	r.functionComments()
	triggerComments(r)
	largeComments(r)
	plainComments(r)
}

func (r *rows) tableComments(t *catalog.Table) {
	r.comment(part{classRelations, t.ID, 0}, t.Comment)
	for _, c := range t.Columns {
		r.comment(part{classRelations, t.ID, c.ID}, c.Comment)
	}
	r.comment(part{classConstraints, t.KeyID, 0}, t.KeyComment)
	r.comment(part{classRelations, t.KeyID, 0}, t.IndexComment)
	for _, x := range t.Indexes {
		r.comment(part{classRelations, x.ID, 0}, x.Comment)
		r.comment(part{classConstraints, x.ID, 0}, x.ConstraintComment)
	}
	for _, k := range t.Checks {
		r.comment(part{classConstraints, CheckID(t, &k), 0}, k.Comment)
	}
	for _, k := range t.ForeignKeys {
		r.comment(part{classConstraints, k.ID, 0}, k.Comment)
	}
	for _, p := range t.Policies {
		r.comment(part{classPolicies, p.ID, 0}, p.Comment)
	}
}

func sharedComments(r *rows) {
	add := func(class, id uint32, comment string) {
		if comment != "" && r.wants(id) {
			r.add(number(id), number(class), text(comment))
		}
	}
	for _, role := range r.Catalog.Roles() {
		add(classRoles, role.ID, role.Comment)
	}
	for _, d := range r.Catalog.Databases() {
		add(classDatabases, d.ID, d.Comment)
	}
}

// Comment is what PostgreSQL says of an object that is always there, empty for nothing.
// Class is the name of the catalog that has it.
func (r *Relations) Comment(class string, oid uint32) string {
	return r.comments[part{class: r.classes[class], id: oid}]
}

// className is the name of the catalog with a number.
func (r *Relations) className(oid uint32) string {
	if f := r.sources[oid]; f != nil {
		return f.name
	}
	return ""
}

// recordedComments reads the comments of the rows of pg_description.
func recordedComments(f *filled) map[part]string {
	out := map[part]string{}
	for _, row := range f.recorded {
		out[part{class: uint32(row[1].Int()), id: uint32(row[0].Int())}] = row[3].Text()
	}
	return out
}

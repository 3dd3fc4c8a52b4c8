package syscat

import (
	"zproxy/catalog"
	"zproxy/expr/builtin"
	"zproxy/types"
)

// ownExtension is the extension that owns what zproxy tells of itself, as plpgsql owns what it has: it is part of every
// database, so pg_dump leaves it and what belongs to it out.
const ownExtension = 9002

const (
	classExtensions   = 3079
	classWrappers     = 2328
	classServers      = 1417
	dependsExtension  = 'e'
	privilegesInitial = 'i'
)

func extensionCatalogs() []definition {
	return []definition{
		{
			name: "pg_extension", key: "oid", columns: "oid extname", rows: extensions,
			fixed: map[string]types.Value{
				"extowner": number(superuser), "extnamespace": number(ownSchemaID), "extversion": text("1.0"),
			},
		},
		{
			name: "pg_init_privs", columns: "objoid classoid initprivs", rows: initialRights,
			fixed: map[string]types.Value{"privtype": letter(privilegesInitial)},
		},
	}
}

func extensions(r *rows) {
	if r.wants(ownExtension) {
		r.add(number(ownExtension), text(ownSchema))
	}
}

// ownMembers are the objects that the extension owns.
func (r *rows) ownMembers(each func(part)) {
	each(part{classSchemas, ownSchemaID, 0})
	if r.Server != "" {
		each(part{classWrappers, WrapperID, 0})
		each(part{classServers, ServerID, 0})
	}
	for _, v := range r.Catalog.Virtuals() {
		if v.Schema == ownSchema {
			each(part{classRelations, v.ID, 0})
		}
	}
	for _, p := range builtin.Procs() {
		if p.Schema == ownSchema {
			each(part{classFunctions, p.OID, 0})
		}
	}
}

func (r *rows) extensionDependencies() {
	r.ownMembers(func(member part) {
		r.depends(member, part{classExtensions, ownExtension, 0}, dependsExtension)
	})
}

// initialRights are those on what every database has, which pg_dump compares with those of now.
func initialRights(r *rows) {
	for _, name := range []string{catalog.PgCatalogName, "information_schema", ownSchema} {
		if schema := r.Catalog.Schema(name); schema != nil {
			r.add(number(schema.ID), number(classSchemas), r.acl(schema.ACL))
		}
	}
	for _, v := range r.Catalog.Virtuals() {
		r.add(number(v.ID), number(classRelations), r.acl(ACL(v)))
	}
}

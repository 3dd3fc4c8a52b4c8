package syscat

import (
	"zproxy/catalog"
	"zproxy/expr/builtin"
	"zproxy/expr/builtin/extension"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/builtin/pgproc"
	"zproxy/types"
)

const (
	classExtensions   = 3079
	classWrappers     = 2328
	classServers      = 1417
	dependsExtension  = 'e'
	dependsMember     = 'x'
	privilegesInitial = 'i'
)

func extensionCatalogs() []definition {
	return []definition{
		{
			name: "pg_extension", key: "oid", rows: extensions,
			columns: "oid extname extowner extnamespace extrelocatable extversion",
		},
		{
			name: "pg_available_extensions", columns: "name default_version installed_version comment",
			rows: availableExtensions,
		},
		{
			name: "pg_available_extension_versions", rows: availableVersions,
			columns: "name version installed superuser trusted relocatable schema comment",
		},
		{
			name: "pg_init_privs", columns: "objoid classoid initprivs", rows: initialRights,
			fixed: map[string]types.Value{"privtype": letter(privilegesInitial)},
		},
	}
}

func extensions(r *rows) {
	for _, x := range r.Catalog.Extensions() {
		if schema := r.Catalog.Schema(x.Schema); schema != nil && r.wants(x.ID) {
			r.add(number(x.ID), text(x.Name), number(x.OwnerID()), number(schema.ID), boolean(!x.BuiltIn()),
				text(x.Release))
		}
	}
}

// availableExtensions are those that CREATE EXTENSION knows.
func availableExtensions(r *rows) {
	for _, of := range extension.All() {
		installed := types.Null
		if x := r.Catalog.Extension(of.Name); x != nil {
			installed = text(x.Release)
		}
		r.add(text(of.Name), text(of.Version), installed, text(of.Comment))
	}
}

// availableVersions are their versions, of which each has one.
func availableVersions(r *rows) {
	for _, of := range extension.All() {
		x := r.Catalog.Extension(of.Name)
		builtIn, schema := x != nil && x.BuiltIn(), types.Null
		if builtIn {
			schema = text(x.Schema)
		}
		r.add(text(of.Name), text(of.Version), boolean(x != nil), boolean(true),
			boolean(!of.Untrusted), boolean(!builtIn), schema, text(of.Comment))
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
	extensionMembers(r)
	for _, p := range builtin.Procs() {
		if p.Schema == ownSchema {
			each(part{classFunctions, p.OID, 0})
		}
	}
}

func (r *rows) extensionDependencies() {
	for _, x := range r.Catalog.Extensions() {
		if schema := r.Catalog.Schema(x.Schema); schema != nil {
			r.depends(part{classExtensions, x.ID, 0}, part{classSchemas, schema.ID, 0}, dependsNormal)
		}
	}
	for _, p := range builtin.Procs() {
		if name, ok := pg.ExtensionOf(p.Schema); ok && r.Catalog.Extension(name) != nil {
			r.depends(part{classFunctions, p.OID, 0}, part{classExtensions, r.Catalog.Extension(name).ID, 0},
				dependsExtension)
		}
	}
	extensionTypeDependencies(r)
	own := r.Catalog.Extension(ownSchema).ID
	r.ownMembers(func(member part) {
		r.depends(member, part{classExtensions, own, 0}, dependsExtension)
	})
}

// extensionMembers are the objects that go with extensions because statements said so.
func extensionMembers(r *rows) {
	triggers := map[uint32]bool{}
	for _, t := range catalog.AllTriggers(r.Catalog) {
		triggers[t.ID] = true
	}
	for _, x := range r.Catalog.Extensions() {
		for _, id := range x.Dependents {
			member := part{classRelations, id, 0}
			switch {
			case r.Catalog.FunctionByID(id) != nil:
				member.class = classFunctions
			case triggers[id]:
				member.class = classTriggers
			case r.Catalog.Numbered(id) == nil:
				continue // it is dropped
			}
			r.depends(member, part{classExtensions, x.ID, 0}, dependsMember)
		}
	}
}

// initialRights are those on what every database has, which pg_dump compares with those of now.
func initialRights(r *rows) {
	for _, name := range []string{catalog.PgCatalogName, "information_schema", ownSchema} {
		if schema := r.Catalog.Schema(name); schema != nil {
			r.add(number(schema.ID), number(classSchemas), r.acl(schema.ACL))
		}
	}
	for _, v := range r.Catalog.Virtuals() {
		r.add(number(v.ID), number(classRelations), r.acl(InitialACL(v)))
	}
}

// ProcSchema is the schema of a function; empty: there is none, since its extension is not there.
func ProcSchema(snap *catalog.Snapshot, p *pgproc.Proc) string {
	name, ok := pg.ExtensionOf(p.Schema)
	if !ok {
		return p.Schema
	}
	if x := snap.Extension(name); x != nil {
		return x.Schema
	}
	return ""
}

func extensionComments(r *rows) {
	for _, x := range r.Catalog.Extensions() {
		r.comment(part{classExtensions, x.ID, 0}, x.Comment)
	}
}

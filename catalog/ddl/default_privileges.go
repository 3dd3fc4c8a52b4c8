package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/privilege"
	"zproxy/parser/ast"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// defaultKind is a kind of objects that ALTER DEFAULT PRIVILEGES is about.
type defaultKind struct {
	letter       byte   // of acldefault
	word, plural string // in errors and in descriptions
}

var defaultKinds = map[ast.ObjectKind]defaultKind{
	ast.TableObject: {'r', "relation", "relations"}, ast.SequenceObject: {'s', "sequence", "sequences"},
	ast.FunctionObject: {'f', "function", "functions"}, ast.TypeObject: {'T', "type", "types"},
	ast.SchemaObject: {'n', "schema", "schemas"},
}

// alterDefaults runs ALTER DEFAULT PRIVILEGES.
func (d owners) alterDefaults(ctx context.Context, tree *ast.DefaultPrivileges) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	snap := d.Txn.Changed().Snap
	g := defaulting{tree: tree.Grant, kind: defaultKinds[tree.Grant.Kind]}
	var err error
	if g.grantees, err = d.grantees(snap, g.tree); err != nil {
		return err
	}
	if g.wanted, err = g.privileges(); err != nil {
		return err
	}
	roles := []uint32{d.Role}
	for i, n := range tree.Roles {
		r, err := d.RoleOf(snap, n)
		switch {
		case err != nil:
			return err
		case !snap.Member(d.Role, r.ID):
			return statement.Denied("must be member of role \"%s\"", d.RoleName(snap, r.ID))
		}
		roles = append(roles[:i], r.ID)
	}
	for _, g.role = range roles {
		if err := d.alterDefaultsIn(ctx, g, tree.Schemas); err != nil {
			return err
		}
	}
	return nil
}

// alterDefaultsIn changes the default grants of one role in schemas, or in the database where none is named.
func (d owners) alterDefaultsIn(ctx context.Context, g defaulting, schemas []string) error {
	snap := d.Txn.Changed().Snap
	if schemas == nil {
		database := *snap.Database()
		var err error
		database.Defaults, err = d.defaults(ctx, g, database.Defaults, catalog.DefaultACL(g.kind.letter, g.role))
		if err != nil {
			return err
		}
		return d.Txn.Put(ctx, &database)
	}
	for _, name := range schemas {
		o, err := d.schemaNamed(snap, name)
		switch {
		case err != nil:
			return err
		case g.kind.letter == 'n':
			return sqlerr.New(sqlerr.InvalidGrantOperation,
				"cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS")
		}
		schema := *d.Txn.Changed().Snap.SchemaByID(o.ID)
		if schema.Defaults, err = d.defaults(ctx, g, schema.Defaults, nil); err != nil {
			return err
		}
		if err := d.Txn.Put(ctx, &schema); err != nil {
			return err
		}
	}
	return nil
}

// defaulting is an ALTER DEFAULT PRIVILEGES for one role.
type defaulting struct {
	tree     *ast.Grant
	kind     defaultKind
	grantees []uint32
	wanted   catalog.Privileges
	role     uint32
}

// privileges are those that the statement names.
func (g defaulting) privileges() (p catalog.Privileges, err error) {
	may := catalog.AllPrivileges(g.kind.letter)
	if g.tree.Privileges == nil {
		return may, nil
	}
	for _, named := range g.tree.Privileges {
		if named.Columns != nil {
			return 0, sqlerr.New(sqlerr.InvalidGrantOperation, "default privileges cannot be set for columns")
		}
		one, err := onePrivilege(named.Word, g.kind.word, may)
		if err != nil {
			return 0, err
		}
		p |= one
	}
	return p, nil
}

// defaults are default grants after a change. Those that are as they would be without are none.
func (d owners) defaults(ctx context.Context, g defaulting, list []catalog.DefaultGrants, without catalog.ACL) (
	[]catalog.DefaultGrants, error) {
	acl, there := privilege.Defaults(list, g.role, g.kind.letter)
	if !there {
		acl = without
	}
	change := granting{snap: d.Txn.Changed().Snap, tree: g.tree, grantees: g.grantees}
	acl, err := d.given(change, acl, catalog.Giving{Grant: catalog.Grant{Grantor: g.role}, Owner: g.role}, g.wanted)
	if err != nil {
		return nil, err
	}
	next := catalog.DefaultGrants{Role: g.role, Kind: g.kind.letter, ACL: privilege.Sorted(acl)}
	same := func(x catalog.DefaultGrants) bool { return x.Role == next.Role && x.Kind == next.Kind }
	at := slices.IndexFunc(list, same)
	none := slices.Equal(next.ACL, privilege.Sorted(without))
	out := slices.Clone(list)
	switch {
	case at >= 0 && none:
		return slices.Delete(out, at, at+1), nil
	case none:
		return out, nil
	case at >= 0:
		out[at].ACL = next.ACL
		return out, nil
	}
	next.ID, err = userTypes(d).newID(ctx)
	return append(out, next), err
}

// describeDefaults describes default grants as PostgreSQL does.
func (d owners) describeDefaults(snap *catalog.Snapshot, schema *catalog.Schema, g catalog.DefaultGrants) string {
	out := ""
	for _, kind := range defaultKinds {
		if kind.letter == g.Kind {
			out = "default privileges on new " + kind.plural + " belonging to role " + d.RoleName(snap, g.Role)
		}
	}
	if schema != nil {
		out += " in schema " + schema.Name
	}
	return out
}

// defaultsWith are the default grants because of which a role cannot go.
func (d owners) defaultsWith(snap *catalog.Snapshot, role uint32) (lines []string) {
	for schema, g := range privilege.AllDefaults(snap) {
		what := d.describeDefaults(snap, schema, g)
		if g.Role == role {
			lines = append(lines, "owner of "+what)
		} else if slices.Contains(slices.Collect(g.ACL.Named()), role) {
			lines = append(lines, "privileges for "+what)
		}
	}
	return lines
}

// forgetDefaults takes the default grants of a role away, and what others grant it by default.
func (d owners) forgetDefaults(ctx context.Context, role uint32) error {
	snap := d.Txn.Changed().Snap
	if d.defaultsWith(snap, role) == nil {
		return nil
	}
	without := func(list []catalog.DefaultGrants) (out []catalog.DefaultGrants) {
		for _, g := range list {
			if g.Role == role {
				continue
			}
			for _, x := range g.ACL {
				if x.Grantee == role {
					g.ACL, _ = snap.Take(g.ACL, catalog.Giving{Grant: x, Owner: g.Role, Cascade: true})
				}
			}
			out = append(out, g)
		}
		return out
	}
	database := *snap.Database()
	database.Defaults = without(database.Defaults)
	objects := []catalog.Object{&database}
	for _, o := range snap.Schemas() {
		if o.Defaults != nil {
			schema := *o
			schema.Defaults = without(schema.Defaults)
			objects = append(objects, &schema)
		}
	}
	return d.Txn.Put(ctx, objects...)
}

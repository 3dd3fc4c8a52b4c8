package syscat

import (
	"cmp"
	"maps"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/privilege"
	"zproxy/types"
)

// roleCatalogs are those that tell of roles and of the database.
func roleCatalogs() []definition {
	return []definition{
		{
			name: "pg_authid", key: "oid", rows: roles,
			columns: "oid rolname rolsuper rolinherit rolcreaterole rolcreatedb rolcanlogin rolreplication rolbypassrls rolconnlimit rolpassword rolvaliduntil",
		},
		{name: "pg_default_acl", columns: "oid defaclrole defaclnamespace defaclobjtype defaclacl", rows: defaultGrants},
		{name: "pg_auth_members", columns: "roleid member grantor admin_option", rows: members},
		{name: "pg_db_role_setting", columns: "setdatabase setrole setconfig", rows: roleSettings},
		{
			name: "pg_database", key: "oid", rows: databases,
			columns: "oid datname datdba datistemplate datallowconn datconnlimit datacl",
			fixed: map[string]types.Value{
				"encoding": number(utf8Encoding), "datlocprovider": letter('c'),
				"dattablespace": number(defaultTablespace), "datcollate": text("C"), "datctype": text("C.UTF-8"),
			},
		},
	}
}

const (
	utf8Encoding      = 6
	defaultTablespace = 1663
)

func roles(r *rows) {
	for _, role := range r.Catalog.Roles() {
		if !r.wants(role.ID) {
			continue
		}
		until := types.Null
		if role.ValidUntil != nil {
			until = types.NewTimestamp(*role.ValidUntil)
		}
		r.add(number(role.ID), text(r.roleName(role)), boolean(role.Superuser), boolean(role.Inherit),
			boolean(role.CreateRole),
			boolean(role.CreateDB), boolean(role.Login), boolean(role.Replication), boolean(role.BypassRLS),
			number(role.ConnLimit),
			textOrNull(role.Verifier), until)
	}
}

// roleName is the name of a role. The bootstrap superuser before it was named is called as
// the session calls it.
func (s *Source) roleName(role *catalog.Role) string { return cmp.Or(role.Name, s.Bootstrap) }

func defaultGrants(r *rows) {
	for schema, g := range privilege.AllDefaults(r.Catalog) {
		in, kind := uint32(0), g.Kind
		if schema != nil {
			in = schema.ID
		}
		if kind == 's' {
			kind = 'S'
		}
		r.add(number(g.ID), number(g.Role), number(in), letter(kind), r.acl(g.ACL))
	}
}

func members(r *rows) {
	for _, role := range r.Catalog.Roles() {
		for _, m := range role.MemberOf {
			r.add(number(m.Role), number(role.ID), number(m.Grantor), boolean(m.Admin))
		}
	}
}

func roleSettings(r *rows) {
	for _, role := range r.Catalog.Roles() {
		if len(role.Config) == 0 {
			continue
		}
		r.add(number(0), number(role.ID), texts(types.OIDText, role.Config))
	}
	if all := r.Catalog.DefaultDatabase().Config; len(all) > 0 {
		r.add(number(0), number(0), texts(types.OIDText, all))
	}
	for _, d := range r.Catalog.Databases() {
		for _, role := range slices.Sorted(maps.Keys(d.RoleConfig)) {
			r.add(number(d.ID), number(role), texts(types.OIDText, d.RoleConfig[role]))
		}
	}
}

func databases(r *rows) {
	for _, d := range r.Catalog.Databases() {
		limit := -1
		if d.ConnLimit != nil {
			limit = *d.ConnLimit
		}
		if r.wants(d.ID) {
			r.add(number(d.ID), text(r.DatabaseNames.Of(r.Catalog, d)), number(d.OwnerID()), boolean(d.Template),
				boolean(!d.Closed), number(limit), r.acl(d.ACL))
		}
	}
}

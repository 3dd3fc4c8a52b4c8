package ddl

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/names"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/types"
)

// roles runs the statements about roles.
type roles struct{ *Definer }

// roleStatement runs the statements about roles.
func (d roles) roleStatement(ctx context.Context, tree ast.Statement) error {
	if _, err := d.Txn.Changes(ctx); err != nil {
		return err
	}
	switch tree := tree.(type) {
	case *ast.CreateRole:
		return d.createRole(ctx, tree)
	case *ast.AlterRole:
		return d.alterRole(ctx, tree)
	case *ast.AlterRoleSet:
		return d.alterRoleSet(ctx, tree)
	case *ast.DropRole:
		return d.dropRoles(ctx, tree)
	case *ast.GrantRole:
		return d.grantRoles(ctx, tree)
	}
	return sqlerr.Unsupported("this statement")
}

// may are the attributes of the present role, all of them for a superuser.
func (d roles) may(attribute func(*catalog.Role) bool) bool {
	r := d.Schema().RoleByID(d.Role)
	return r != nil && (r.Superuser || attribute(r))
}

func (d roles) mayCreateRoles() bool {
	return d.may(func(r *catalog.Role) bool { return r.CreateRole })
}

// reservedRole is the error about a name that is PostgreSQL's, nil for others.
func reservedRole(name, detail string) error {
	if !strings.HasPrefix(name, "pg_") {
		return nil
	}
	return sqlerr.New(sqlerr.ReservedName, "role name \"%s\" is reserved", name).WithDetail("%s", detail)
}

const reservedPrefix = "Role names starting with \"pg_\" are reserved."

func (d roles) createRole(ctx context.Context, tree *ast.CreateRole) error {
	snap := d.Txn.Changed().Snap
	r := &catalog.Role{Name: tree.Name, Inherit: true, Login: tree.Kind == "user", ConnLimit: -1}
	if err := d.mayCreate(tree.Options); err != nil {
		return err
	}
	if err := reservedRole(r.Name, reservedPrefix); err != nil {
		return err
	}
	if d.RoleNamed(snap, r.Name) != nil {
		return sqlerr.New(sqlerr.DuplicateObject, "role \"%s\" already exists", r.Name)
	}
	if err := d.applyOptions(r, tree.Options); err != nil {
		return err
	}
	id, err := d.NextID(ctx)()
	if err != nil {
		return err
	}
	r.ID = uint32(id)
	if err := d.putRole(ctx, r); err != nil {
		return err
	}
	own := []ast.RoleName{{Name: r.Name}}
	for _, o := range tree.Options {
		switch o.Name {
		case "addroleto":
			for _, of := range o.Roles {
				if err := d.addMembers(ctx, membership{role: of, members: own, grantor: d.Role}); err != nil {
					return err
				}
			}
		case "rolemembers", "adminmembers":
			m := membership{role: own[0], members: o.Roles, grantor: d.Role}
			if o.Name == "adminmembers" {
				m.options.admin = new(bool)
				*m.options.admin = true
			}
			if err := d.addMembers(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayCreate checks that the present role may make one with some options.
func (d roles) mayCreate(options []ast.RoleOption) error {
	has := func(name string) bool {
		return slices.ContainsFunc(options, func(o ast.RoleOption) bool { return o.Name == name && o.Value == "true" })
	}
	for _, o := range []struct{ option, message string }{
		{"superuser", "must be superuser to create superusers"},
		{"isreplication", "must be superuser to create replication users"},
		{"bypassrls", "must be superuser to create bypassrls users"},
	} {
		if !has(o.option) {
			continue
		}
		if !d.Superuser() {
			return statement.Denied("%s", o.message)
		}
		return nil
	}
	if !d.mayCreateRoles() {
		return statement.Denied("permission denied to create role")
	}
	return nil
}

// applyOptions gives a role the attributes that a statement names.
func (d roles) applyOptions(r *catalog.Role, options []ast.RoleOption) error {
	flags := map[string]*bool{
		"superuser": &r.Superuser, "inherit": &r.Inherit, "createrole": &r.CreateRole, "createdb": &r.CreateDB,
		"canlogin": &r.Login, "isreplication": &r.Replication, "bypassrls": &r.BypassRLS,
	}
	for _, o := range options {
		if flag := flags[o.Name]; flag != nil {
			*flag = o.Value == "true"
			continue
		}
		var err error
		switch o.Name {
		case "connectionlimit":
			if r.ConnLimit, err = strconv.Atoi(o.Value); err != nil || r.ConnLimit < -1 {
				err = sqlerr.New(sqlerr.InvalidParameterValue, "invalid connection limit: %s", o.Value)
			}
		case "validuntil":
			r.ValidUntil, err = d.validUntil(o.Value)
		case "password":
			err = d.setPassword(r, o)
		case "sysid":
			err = d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "SYSID can no longer be specified"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d roles) validUntil(text string) (*int64, error) {
	v, err := types.ParseText(text, types.Of(types.OIDTimestamptz), d.Env)
	if err != nil {
		return nil, err
	}
	micros := v.Micros()
	return &micros, nil
}

// putRole keeps a role. The bootstrap superuser gets its name for good when a statement
// changes it.
func (d roles) putRole(ctx context.Context, r *catalog.Role) error {
	if r.ID == catalog.BootstrapID && r.Name == "" {
		r.Name = d.Bootstrap(d.Txn.Changed().Snap)
	}
	if err := d.Txn.Put(ctx, r); err != nil {
		return err
	}
	if err := d.refuseLockout(); err != nil {
		return err
	}
	return d.PutSecret(ctx)
}

// refuseLockout wants a superuser to be able to log in: once a role has a password,
// everybody needs one.
func (d roles) refuseLockout() error {
	snap := d.Txn.Changed().Snap
	if !snap.AnyPassword() {
		return nil
	}
	for _, r := range snap.Roles() {
		if r.Superuser && r.Login && r.Verifier != "" {
			return nil
		}
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "no superuser has a password").
		WithDetail("Once a role has a password, clients cannot connect without one.").
		WithHint("Run ALTER ROLE %s PASSWORD '...' first.", d.QuotedRole(snap, catalog.BootstrapID))
}

func (d roles) alterRole(ctx context.Context, tree *ast.AlterRole) error {
	snap := d.Txn.Changed().Snap
	if tree.Role.Kind == ast.NamedRole {
		if err := reservedRole(tree.Role.Name, "Cannot alter reserved roles."); err != nil {
			return err
		}
	}
	r, err := d.RoleOf(snap, tree.Role)
	if err != nil {
		return err
	}
	if err := d.mayAlter(r, tree.Options); err != nil {
		return err
	}
	altered := *r
	if err := d.applyOptions(&altered, tree.Options); err != nil {
		return err
	}
	if r.ID == catalog.BootstrapID && !altered.Superuser {
		return statement.Denied("permission denied to alter role").WithDetail("The bootstrap user must be a superuser.")
	}
	if err := d.putRole(ctx, &altered); err != nil {
		return err
	}
	for _, o := range tree.Options {
		if o.Name != "rolemembers" {
			continue
		}
		m := membership{role: ast.RoleName{Name: d.RoleName(snap, r.ID)}, members: o.Roles, grantor: d.Role}
		if tree.Take {
			return d.takeMembers(ctx, m)
		}
		return d.addMembers(ctx, m)
	}
	return nil
}

// mayAlter checks that the present role may change another one: a superuser everybody, one
// that makes roles all but superusers, and everybody its own password.
func (d roles) mayAlter(r *catalog.Role, options []ast.RoleOption) error {
	named := func(name string) bool {
		return slices.ContainsFunc(options, func(o ast.RoleOption) bool { return o.Name == name })
	}
	switch {
	case d.Superuser():
		return nil
	case r.Superuser || named("superuser"):
		return statement.Denied("must be superuser to alter superuser roles or change superuser attribute")
	case r.Replication || named("isreplication"):
		return statement.Denied("must be superuser to alter replication roles or change replication attribute")
	case named("bypassrls"):
		return statement.Denied("must be superuser to change bypassrls attribute")
	case d.mayCreateRoles() || r.ID == d.Role && len(options) == 1 && options[0].Name == "password":
		return nil
	}
	return statement.Denied("permission denied")
}

// alterRoleSet keeps settings that the sessions of a role, or of all, begin with.
func (d roles) alterRoleSet(ctx context.Context, tree *ast.AlterRoleSet) error {
	snap := d.Txn.Changed().Snap
	if tree.System {
		return d.alterSystem(ctx, snap, tree.Set)
	}
	if tree.Role == nil && tree.Database != "" {
		return d.setInDatabase(ctx, tree, nil)
	}
	if tree.Role == nil {
		if !d.Superuser() {
			return statement.Denied("must be superuser to alter settings globally")
		}
		return d.setForAll(ctx, snap, tree.Set, func(db *catalog.Database) *[]string { return &db.Config })
	}
	if err := reservedRole(tree.Role.Name, "Cannot alter reserved roles."); err != nil {
		return err
	}
	r, err := d.RoleOf(snap, *tree.Role)
	switch {
	case err != nil:
		return err
	case r.Superuser && !d.Superuser():
		return statement.Denied("must be superuser to alter superusers")
	case !d.mayCreateRoles() && r.ID != d.Role:
		return statement.Denied("permission denied")
	}
	if tree.Database != "" {
		return d.setInDatabase(ctx, tree, r)
	}
	altered := *r
	if altered.Config, err = d.Configure(r.Config, tree.Set); err != nil {
		return err
	}
	return d.putRole(ctx, &altered)
}

// alterSystem keeps settings that all sessions begin with, unless their roles or databases say something else.
func (d roles) alterSystem(ctx context.Context, snap *catalog.Snapshot, set *ast.Set) error {
	if !d.Superuser() {
		if set.Name == "all" && set.Default {
			return statement.Denied("permission denied to perform ALTER SYSTEM RESET ALL")
		}
		return statement.Denied("permission denied to set parameter \"%s\"", set.Name)
	}
	return d.setForAll(ctx, snap, set, func(db *catalog.Database) *[]string { return &db.System })
}

// setForAll changes a list of settings that is of all databases.
func (d roles) setForAll(ctx context.Context, snap *catalog.Snapshot, set *ast.Set,
	of func(*catalog.Database) *[]string) (err error) {
	db := *snap.DefaultDatabase()
	list := of(&db)
	if *list, err = d.Configure(*list, set); err != nil {
		return err
	}
	return d.Txn.Put(ctx, &db)
}

func (d roles) dropRoles(ctx context.Context, tree *ast.DropRole) error {
	if !d.mayCreateRoles() {
		return statement.Denied("permission denied to drop role")
	}
	for _, n := range tree.Roles {
		if n.Kind != ast.NamedRole {
			return sqlerr.New(sqlerr.InvalidParameterValue, "cannot use special role specifier in DROP ROLE")
		}
		snap := d.Txn.Changed().Snap
		r := d.RoleNamed(snap, n.Name)
		if r == nil {
			if !tree.IfExists {
				return names.NoRole(n.Name)
			}
			if err := d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "role \"%s\" does not exist, skipping",
				n.Name)); err != nil {
				return err
			}
			continue
		}
		if err := d.mayDrop(snap, r); err != nil {
			return err
		}
		if err := d.Txn.Remove(ctx, r); err != nil {
			return err
		}
		if err := d.forgetMembers(ctx, r.ID); err != nil {
			return err
		}
		if err := d.forgetSettings(ctx, r.ID); err != nil {
			return err
		}
	}
	return d.refuseLockout()
}

// mayDrop checks that a role can be dropped, and that the present one may do it.
func (d roles) mayDrop(snap *catalog.Snapshot, r *catalog.Role) error {
	switch {
	case r.ID == d.Role:
		return sqlerr.New(sqlerr.ObjectInUse, "current user cannot be dropped")
	case r.ID == d.SessionRole:
		return sqlerr.New(sqlerr.ObjectInUse, "session user cannot be dropped")
	case r.Superuser && !d.Superuser():
		return statement.Denied("must be superuser to drop superusers")
	case r.BuiltIn():
		return sqlerr.New(sqlerr.DependentObjectsStillExist,
			"cannot drop role %s because it is required by the database system", d.QuotedRole(snap, r.ID))
	}
	if lines := owners(d).dependsOnRole(snap, r.ID); len(lines) > 0 {
		return sqlerr.New(sqlerr.DependentObjectsStillExist,
			"role \"%s\" cannot be dropped because some objects depend on it", r.Name).
			WithDetail("%s", strings.Join(lines, "\n"))
	}
	return nil
}

// forgetMembers takes a role that is no more out of those that were its members.
func (d roles) forgetMembers(ctx context.Context, id uint32) error {
	for _, r := range d.Txn.Changed().Snap.Roles() {
		left := *r
		left.MemberOf = slices.DeleteFunc(slices.Clone(r.MemberOf),
			func(m catalog.Membership) bool { return m.Role == id })
		if len(left.MemberOf) == len(r.MemberOf) {
			continue
		}
		if err := d.Txn.Put(ctx, &left); err != nil {
			return err
		}
	}
	return nil
}

// renameRole runs ALTER ROLE ... RENAME TO.
func (d roles) renameRole(ctx context.Context, old, to string) error {
	snap := d.Txn.Changed().Snap
	r := d.RoleNamed(snap, old)
	if r == nil {
		return names.NoRole(old)
	}
	switch {
	case r.ID == d.SessionRole:
		return sqlerr.New(sqlerr.FeatureNotSupported, "session user cannot be renamed")
	case r.ID == d.Role:
		return sqlerr.New(sqlerr.FeatureNotSupported, "current user cannot be renamed")
	}
	if err := cmp.Or(reservedRole(old, reservedPrefix), reservedRole(to, reservedPrefix)); err != nil {
		return err
	}
	switch {
	case d.RoleNamed(snap, to) != nil:
		return sqlerr.New(sqlerr.DuplicateObject, "role \"%s\" already exists", to)
	case r.Superuser && !d.Superuser():
		return statement.Denied("must be superuser to rename superusers")
	case !d.mayCreateRoles():
		return statement.Denied("permission denied to rename role")
	}
	renamed := *r
	renamed.Name = to
	return d.Txn.Put(ctx, &renamed)
}

// commentRole runs COMMENT ON ROLE.
func (d roles) commentRole(ctx context.Context, name, text string) error {
	r := d.RoleNamed(d.Txn.Changed().Snap, name)
	switch {
	case r == nil:
		return names.NoRole(name)
	case r.Superuser && !d.Superuser():
		return statement.Denied("must be superuser")
	case !d.mayCreateRoles():
		return statement.Denied("must have CREATEROLE privilege")
	}
	c := *r
	c.Comment = text
	return d.putRole(ctx, &c)
}

// describeRole names a role as messages do.
func describeRole(name string) string { return "role " + expr.QuoteIdent(name) }

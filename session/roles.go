package session

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/names"
	"zproxy/expr"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// roleStatement runs the statements about roles.
func (s *Session) roleStatement(ctx context.Context, tree ast.Statement, c Client) error {
	if _, err := s.txn.Changes(ctx); err != nil {
		return err
	}
	switch tree := tree.(type) {
	case *ast.CreateRole:
		return s.createRole(ctx, tree, c)
	case *ast.AlterRole:
		return s.alterRole(ctx, tree, c)
	case *ast.AlterRoleSet:
		return s.alterRoleSet(ctx, tree)
	case *ast.DropRole:
		return s.dropRoles(ctx, tree, c)
	case *ast.GrantRole:
		return s.grantRoles(ctx, tree, c)
	}
	return sqlerr.Unsupported("this statement")
}

func denied(message string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InsufficientPrivilege, message, args...)
}

// may are the attributes of the present role, all of them for a superuser.
func (s *Session) may(attribute func(*catalog.Role) bool) bool {
	r := s.schema().RoleByID(s.role())
	return r != nil && (r.Superuser || attribute(r))
}

func (s *Session) mayCreateRoles() bool {
	return s.may(func(r *catalog.Role) bool { return r.CreateRole })
}

// reservedRole is the error about a name that is PostgreSQL's, nil for others.
func reservedRole(name, detail string) error {
	if !strings.HasPrefix(name, "pg_") {
		return nil
	}
	return sqlerr.New(sqlerr.ReservedName, "role name \"%s\" is reserved", name).WithDetail("%s", detail)
}

const reservedPrefix = "Role names starting with \"pg_\" are reserved."

func (s *Session) createRole(ctx context.Context, tree *ast.CreateRole, c Client) error {
	snap := s.txn.Changed().Snap
	r := &catalog.Role{Name: tree.Name, Inherit: true, Login: tree.Kind == "user", ConnLimit: -1}
	if err := s.mayCreate(tree.Options); err != nil {
		return err
	}
	if err := reservedRole(r.Name, reservedPrefix); err != nil {
		return err
	}
	if s.roleNamed(snap, r.Name) != nil {
		return sqlerr.New(sqlerr.DuplicateObject, "role \"%s\" already exists", r.Name)
	}
	if err := s.applyOptions(r, tree.Options, c); err != nil {
		return err
	}
	id, err := s.nextID(ctx)()
	if err != nil {
		return err
	}
	r.ID = uint32(id)
	if err := s.putRole(ctx, r); err != nil {
		return err
	}
	own := []ast.RoleName{{Name: r.Name}}
	for _, o := range tree.Options {
		switch o.Name {
		case "addroleto":
			for _, of := range o.Roles {
				if err := s.addMembers(ctx, membership{role: of, members: own, grantor: s.role()}, c); err != nil {
					return err
				}
			}
		case "rolemembers", "adminmembers":
			m := membership{role: own[0], members: o.Roles, grantor: s.role(), admin: o.Name == "adminmembers"}
			if err := s.addMembers(ctx, m, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayCreate checks that the present role may make one with some options.
func (s *Session) mayCreate(options []ast.RoleOption) error {
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
		if !s.superuser() {
			return denied("%s", o.message)
		}
		return nil
	}
	if !s.mayCreateRoles() {
		return denied("permission denied to create role")
	}
	return nil
}

// applyOptions gives a role the attributes that a statement names.
func (s *Session) applyOptions(r *catalog.Role, options []ast.RoleOption, c Client) error {
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
			r.ValidUntil, err = s.validUntil(o.Value)
		case "password":
			err = s.setPassword(r, o, c)
		case "sysid":
			err = c.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "SYSID can no longer be specified"))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) validUntil(text string) (*int64, error) {
	v, err := types.ParseText(text, types.Of(types.OIDTimestamptz), s.Env())
	if err != nil {
		return nil, err
	}
	micros := v.Micros()
	return &micros, nil
}

// putRole keeps a role. The bootstrap superuser gets its name for good when a statement
// changes it.
func (s *Session) putRole(ctx context.Context, r *catalog.Role) error {
	if r.ID == catalog.BootstrapID && r.Name == "" {
		r.Name = s.bootstrapName(s.txn.Changed().Snap)
	}
	if err := s.txn.Put(ctx, r); err != nil {
		return err
	}
	if err := s.refuseLockout(); err != nil {
		return err
	}
	return s.putSecret(ctx)
}

// refuseLockout wants a superuser to be able to log in: once a role has a password,
// everybody needs one.
func (s *Session) refuseLockout() error {
	snap := s.txn.Changed().Snap
	if !snap.AnyPassword() {
		return nil
	}
	for _, r := range snap.Roles() {
		if r.Superuser && r.Login && r.Verifier != "" {
			return nil
		}
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "no superuser has a password").
		WithDetail("Once a role has a password nobody can connect without one.").
		WithHint("Run ALTER ROLE %s PASSWORD '...' first.", s.quotedRole(snap, catalog.BootstrapID))
}

func (s *Session) alterRole(ctx context.Context, tree *ast.AlterRole, c Client) error {
	snap := s.txn.Changed().Snap
	if tree.Role.Kind == ast.NamedRole {
		if err := reservedRole(tree.Role.Name, "Cannot alter reserved roles."); err != nil {
			return err
		}
	}
	r, err := s.roleOf(snap, tree.Role)
	if err != nil {
		return err
	}
	if err := s.mayAlter(r, tree.Options); err != nil {
		return err
	}
	altered := *r
	if err := s.applyOptions(&altered, tree.Options, c); err != nil {
		return err
	}
	if r.ID == catalog.BootstrapID && !altered.Superuser {
		return denied("permission denied to alter role").WithDetail("The bootstrap user must be a superuser.")
	}
	if err := s.putRole(ctx, &altered); err != nil {
		return err
	}
	for _, o := range tree.Options {
		if o.Name != "rolemembers" {
			continue
		}
		m := membership{role: ast.RoleName{Name: s.roleName(snap, r.ID)}, members: o.Roles, grantor: s.role()}
		if tree.Take {
			return s.takeMembers(ctx, m, c)
		}
		return s.addMembers(ctx, m, c)
	}
	return nil
}

// mayAlter checks that the present role may change another one: a superuser everybody, one
// that makes roles all but superusers, and everybody its own password.
func (s *Session) mayAlter(r *catalog.Role, options []ast.RoleOption) error {
	named := func(name string) bool {
		return slices.ContainsFunc(options, func(o ast.RoleOption) bool { return o.Name == name })
	}
	switch {
	case s.superuser():
		return nil
	case r.Superuser || named("superuser"):
		return denied("must be superuser to alter superuser roles or change superuser attribute")
	case r.Replication || named("isreplication"):
		return denied("must be superuser to alter replication roles or change replication attribute")
	case named("bypassrls"):
		return denied("must be superuser to change bypassrls attribute")
	case s.mayCreateRoles() || r.ID == s.role() && len(options) == 1 && options[0].Name == "password":
		return nil
	}
	return denied("permission denied")
}

// alterRoleSet keeps settings that the sessions of a role, or of all, begin with.
func (s *Session) alterRoleSet(ctx context.Context, tree *ast.AlterRoleSet) error {
	snap := s.txn.Changed().Snap
	if tree.Database != "" {
		return sqlerr.Unsupported("ALTER ROLE ... IN DATABASE")
	}
	if tree.Role == nil {
		if !s.superuser() {
			return denied("must be superuser to alter settings globally")
		}
		db := *snap.Database()
		var err error
		if db.Config, err = s.configure(db.Config, tree.Set); err != nil {
			return err
		}
		return s.txn.Put(ctx, &db)
	}
	if err := reservedRole(tree.Role.Name, "Cannot alter reserved roles."); err != nil {
		return err
	}
	r, err := s.roleOf(snap, *tree.Role)
	switch {
	case err != nil:
		return err
	case r.Superuser && !s.superuser():
		return denied("must be superuser to alter superusers")
	case !s.mayCreateRoles() && r.ID != s.role():
		return denied("permission denied")
	}
	altered := *r
	if altered.Config, err = s.configure(r.Config, tree.Set); err != nil {
		return err
	}
	return s.putRole(ctx, &altered)
}

// configure changes a list of settings, none of which need be good for this session.
func (s *Session) configure(list []string, set *ast.Set) ([]string, error) {
	if set.Name == "all" && set.Default {
		return nil, nil
	}
	row, ok := find(set.Name)
	if !ok {
		return nil, unknownSetting(set.Name)
	}
	rest := slices.DeleteFunc(slices.Clone(list), func(item string) bool {
		name, _, _ := strings.Cut(item, "=")
		return strings.EqualFold(name, row.name)
	})
	if set.Default {
		return rest, nil
	}
	trial, err := newSettings(s.user, s.db.options.Settings)
	if err != nil {
		return nil, err
	}
	trial.who, trial.isSuper, trial.store = s.settings.who, s.settings.isSuper, s.settings.store
	if err := trial.ask(row.name, set.Value, false); err != nil {
		return nil, err
	}
	s.settings.unheard = append(s.settings.unheard, trial.unheard...)
	return append(rest, row.name+"="+set.Value), nil
}

// configured are the names and values of a list of settings.
func configured(list []string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for _, item := range list {
			if name, value, ok := strings.Cut(item, "="); ok && !yield(name, value) {
				return
			}
		}
	}
}

func (s *Session) dropRoles(ctx context.Context, tree *ast.DropRole, c Client) error {
	if !s.mayCreateRoles() {
		return denied("permission denied to drop role")
	}
	for _, n := range tree.Roles {
		if n.Kind != ast.NamedRole {
			return sqlerr.New(sqlerr.InvalidParameterValue, "cannot use special role specifier in DROP ROLE")
		}
		snap := s.txn.Changed().Snap
		r := s.roleNamed(snap, n.Name)
		if r == nil {
			if !tree.IfExists {
				return names.NoRole(n.Name)
			}
			if err := c.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "role \"%s\" does not exist, skipping", n.Name)); err != nil {
				return err
			}
			continue
		}
		if err := s.mayDrop(snap, r); err != nil {
			return err
		}
		if err := s.txn.Remove(ctx, r); err != nil {
			return err
		}
		if err := s.forgetMembers(ctx, r.ID); err != nil {
			return err
		}
	}
	return s.refuseLockout()
}

// mayDrop checks that a role can be dropped, and that the present one may do it.
func (s *Session) mayDrop(snap *catalog.Snapshot, r *catalog.Role) error {
	switch {
	case r.ID == s.role():
		return sqlerr.New(sqlerr.ObjectInUse, "current user cannot be dropped")
	case r.ID == s.settings.who.session:
		return sqlerr.New(sqlerr.ObjectInUse, "session user cannot be dropped")
	case r.Superuser && !s.superuser():
		return denied("must be superuser to drop superusers")
	case r.BuiltIn():
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop role %s because it is required by the database system", s.quotedRole(snap, r.ID))
	}
	if lines := s.dependsOnRole(snap, r.ID); len(lines) > 0 {
		return sqlerr.New(sqlerr.DependentObjectsStillExist, "role \"%s\" cannot be dropped because some objects depend on it", r.Name).
			WithDetail("%s", strings.Join(lines, "\n"))
	}
	return nil
}

// forgetMembers takes a role that is no more out of those that were its members.
func (s *Session) forgetMembers(ctx context.Context, id uint32) error {
	for _, r := range s.txn.Changed().Snap.Roles() {
		left := *r
		left.MemberOf = slices.DeleteFunc(slices.Clone(r.MemberOf), func(m catalog.Membership) bool { return m.Role == id })
		if len(left.MemberOf) == len(r.MemberOf) {
			continue
		}
		if err := s.txn.Put(ctx, &left); err != nil {
			return err
		}
	}
	return nil
}

// renameRole runs ALTER ROLE ... RENAME TO.
func (s *Session) renameRole(ctx context.Context, old, to string) error {
	snap := s.txn.Changed().Snap
	r := s.roleNamed(snap, old)
	if r == nil {
		return names.NoRole(old)
	}
	switch {
	case r.ID == s.settings.who.session:
		return sqlerr.New(sqlerr.FeatureNotSupported, "session user cannot be renamed")
	case r.ID == s.role():
		return sqlerr.New(sqlerr.FeatureNotSupported, "current user cannot be renamed")
	}
	if err := cmp.Or(reservedRole(old, reservedPrefix), reservedRole(to, reservedPrefix)); err != nil {
		return err
	}
	switch {
	case s.roleNamed(snap, to) != nil:
		return sqlerr.New(sqlerr.DuplicateObject, "role \"%s\" already exists", to)
	case r.Superuser && !s.superuser():
		return denied("must be superuser to rename superusers")
	case !s.mayCreateRoles():
		return denied("permission denied to rename role")
	}
	renamed := *r
	renamed.Name = to
	return s.txn.Put(ctx, &renamed)
}

// commentRole runs COMMENT ON ROLE.
func (s *Session) commentRole(ctx context.Context, name, text string) error {
	r := s.roleNamed(s.txn.Changed().Snap, name)
	switch {
	case r == nil:
		return names.NoRole(name)
	case r.Superuser && !s.superuser():
		return denied("must be superuser")
	case !s.mayCreateRoles():
		return denied("must have CREATEROLE privilege")
	}
	c := *r
	c.Comment = text
	return s.putRole(ctx, &c)
}

// SetBootstrap names the bootstrap superuser and gives it a password, for a program that is
// told both when it starts.
func (db *DB) SetBootstrap(ctx context.Context, name, password string) error {
	s, err := db.Connect(Startup{User: name, Database: cmp.Or(db.options.Database, defaultBootstrapName), Internal: true})
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := s.txn.Changes(ctx); err != nil {
		return err
	}
	r := *s.txn.Changed().Snap.RoleByID(catalog.BootstrapID)
	if other := s.txn.Changed().Snap.Role(name); other != nil && other.ID != r.ID {
		return sqlerr.New(sqlerr.DuplicateObject, "role \"%s\" already exists", name)
	}
	r.Name, r.Login = name, true
	v, err := NewVerifier(password)
	if err != nil {
		return err
	}
	r.Verifier = v.String()
	if err := s.txn.Put(ctx, &r); err != nil {
		return err
	}
	if err := s.putSecret(ctx); err != nil {
		return err
	}
	return s.commit(ctx)
}

// describeRole names a role as messages do.
func describeRole(name string) string { return "role " + expr.QuoteIdent(name) }

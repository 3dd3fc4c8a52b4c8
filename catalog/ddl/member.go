package ddl

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// membership is roles that are to belong to another, or to belong to it no more.
type membership struct {
	role    ast.RoleName
	members []ast.RoleName
	grantor uint32
	options memberOptions
}

// memberOptions are what is said of memberships: what is nil stays as it is. Taking some takes only these.
type memberOptions struct{ admin, inherit, set *bool }

// apply is a membership with the options.
func (o memberOptions) apply(m catalog.Membership) catalog.Membership {
	if o.admin != nil {
		m.Admin = *o.admin
	}
	if o.inherit != nil {
		m.Inherit = map[bool]int8{true: 1, false: -1}[*o.inherit]
	}
	if o.set != nil {
		m.NoSet = !*o.set
	}
	return m
}

// grantRoles runs GRANT and REVOKE of roles.
func (d roles) grantRoles(ctx context.Context, tree *ast.GrantRole) error {
	m := membership{members: tree.Grantees, grantor: d.Role,
		options: memberOptions{tree.Admin, tree.Inherit, tree.Set}}
	if tree.Grantor != nil {
		r, err := d.RoleOf(d.Txn.Changed().Snap, *tree.Grantor)
		if err != nil {
			return err
		}
		m.grantor = r.ID
	}
	for _, name := range tree.Roles {
		m.role = ast.RoleName{Name: name}
		var err error
		if tree.Revoke {
			err = d.takeMembers(ctx, m)
		} else {
			err = d.addMembers(ctx, m)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// administered finds a role whose members the present role may change.
func (d roles) administered(m membership) (*catalog.Role, error) {
	snap := d.Txn.Changed().Snap
	r, err := d.RoleOf(snap, m.role)
	switch {
	case err != nil:
		return nil, err
	case r.Superuser && !d.Superuser():
		return nil, statement.Denied("must be superuser to alter superusers")
	case !r.Superuser && !d.mayCreateRoles() && !snap.Administers(m.grantor, r.ID):
		return nil, statement.Denied("must have admin option on role \"%s\"", r.Name)
	}
	return r, nil
}

// addMembers makes roles members of another.
func (d roles) addMembers(ctx context.Context, m membership) error {
	of, err := d.administered(m)
	if err != nil {
		return err
	}
	if of.ID == catalog.DatabaseOwnerID {
		return sqlerr.New(sqlerr.InternalError, "role \"%s\" cannot have explicit members", of.Name)
	}
	if m.grantor != d.Role && !d.Superuser() {
		return statement.Denied("must be superuser to set grantor")
	}
	name := d.RoleName(d.Txn.Changed().Snap, of.ID)
	for _, n := range m.members {
		snap := d.Txn.Changed().Snap
		r, err := d.RoleOf(snap, n)
		if err != nil {
			return err
		}
		member := d.RoleName(snap, r.ID)
		switch {
		case r.ID == catalog.DatabaseOwnerID:
			return sqlerr.New(sqlerr.InternalError, "role \"%s\" cannot be a member of any role", member)
		case snap.Belongs(of.ID, r.ID):
			return sqlerr.New(sqlerr.InvalidGrantOperation, "role \"%s\" is a member of role \"%s\"", name, member)
		}
		changed, at := memberIn(r, of.ID)
		if at >= 0 && m.options.apply(r.MemberOf[at]) == r.MemberOf[at] {
			if err := d.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion,
				"role \"%s\" is already a member of role \"%s\"", member, name)); err != nil {
				return err
			}
			continue
		}
		if at < 0 {
			changed.MemberOf = append(changed.MemberOf, catalog.Membership{Role: of.ID})
			at = len(changed.MemberOf) - 1
		}
		changed.MemberOf[at].Grantor = m.grantor
		changed.MemberOf[at] = m.options.apply(changed.MemberOf[at])
		if err := d.putRole(ctx, changed); err != nil {
			return err
		}
	}
	return nil
}

// takeMembers ends memberships, or only their ADMIN OPTION.
func (d roles) takeMembers(ctx context.Context, m membership) error {
	of, err := d.administered(m)
	if err != nil {
		return err
	}
	for _, n := range m.members {
		snap := d.Txn.Changed().Snap
		r, err := d.RoleOf(snap, n)
		if err != nil {
			return err
		}
		changed, at := memberIn(r, of.ID)
		switch {
		case at < 0:
			err = d.Notice(sqlerr.Warn(sqlerr.Warning, "role \"%s\" is not a member of role \"%s\"",
				d.RoleName(snap, r.ID), d.RoleName(snap, of.ID)))
			if err != nil {
				return err
			}
			continue
		case m.options != memberOptions{}:
			changed.MemberOf[at] = m.options.apply(changed.MemberOf[at])
		default:
			changed.MemberOf = slices.Delete(changed.MemberOf, at, at+1)
		}
		if err := d.putRole(ctx, changed); err != nil {
			return err
		}
	}
	return nil
}

// memberIn is a copy of a role, and the place of another one among those that it is a
// member of.
func memberIn(r *catalog.Role, of uint32) (*catalog.Role, int) {
	c := *r
	c.MemberOf = slices.Clone(r.MemberOf)
	return &c, slices.IndexFunc(c.MemberOf, func(m catalog.Membership) bool { return m.Role == of })
}

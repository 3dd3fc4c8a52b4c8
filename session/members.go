package session

import (
	"context"
	"slices"

	"zproxy/catalog"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
)

// membership is roles that are to belong to another, or to belong to it no more.
type membership struct {
	role    ast.RoleName
	members []ast.RoleName
	grantor uint32
	admin   bool // with ADMIN OPTION; taking it takes only that
}

// grantRoles runs GRANT and REVOKE of roles.
func (s *Session) grantRoles(ctx context.Context, tree *ast.GrantRole, c Client) error {
	m := membership{members: tree.Grantees, grantor: s.role(), admin: tree.Admin}
	if tree.Grantor != nil {
		r, err := s.roleOf(s.txn.Changed().Snap, *tree.Grantor)
		if err != nil {
			return err
		}
		m.grantor = r.ID
	}
	for _, name := range tree.Roles {
		m.role = ast.RoleName{Name: name}
		var err error
		if tree.Revoke {
			err = s.takeMembers(ctx, m, c)
		} else {
			err = s.addMembers(ctx, m, c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// administered finds a role whose members the present role may change.
func (s *Session) administered(m membership) (*catalog.Role, error) {
	snap := s.txn.Changed().Snap
	r, err := s.roleOf(snap, m.role)
	switch {
	case err != nil:
		return nil, err
	case r.Superuser && !s.superuser():
		return nil, denied("must be superuser to alter superusers")
	case !r.Superuser && !s.mayCreateRoles() && !snap.Administers(m.grantor, r.ID):
		return nil, denied("must have admin option on role \"%s\"", r.Name)
	}
	return r, nil
}

// addMembers makes roles members of another.
func (s *Session) addMembers(ctx context.Context, m membership, c Client) error {
	of, err := s.administered(m)
	if err != nil {
		return err
	}
	if of.ID == catalog.DatabaseOwnerID {
		return sqlerr.New(sqlerr.InternalError, "role \"%s\" cannot have explicit members", of.Name)
	}
	if m.grantor != s.role() && !s.superuser() {
		return denied("must be superuser to set grantor")
	}
	name := s.roleName(s.txn.Changed().Snap, of.ID)
	for _, n := range m.members {
		snap := s.txn.Changed().Snap
		r, err := s.roleOf(snap, n)
		if err != nil {
			return err
		}
		member := s.roleName(snap, r.ID)
		switch {
		case r.ID == catalog.DatabaseOwnerID:
			return sqlerr.New(sqlerr.InternalError, "role \"%s\" cannot be a member of any role", member)
		case snap.Belongs(of.ID, r.ID):
			return sqlerr.New(sqlerr.InvalidGrantOperation, "role \"%s\" is a member of role \"%s\"", name, member)
		}
		changed, at := memberIn(r, of.ID)
		if at >= 0 && (!m.admin || r.MemberOf[at].Admin) {
			if err := c.Notice(sqlerr.Notice(sqlerr.SuccessfulCompletion, "role \"%s\" is already a member of role \"%s\"", member, name)); err != nil {
				return err
			}
			continue
		}
		if at < 0 {
			changed.MemberOf = append(changed.MemberOf, catalog.Membership{Role: of.ID})
			at = len(changed.MemberOf) - 1
		}
		changed.MemberOf[at].Grantor, changed.MemberOf[at].Admin = m.grantor, m.admin
		if err := s.putRole(ctx, changed); err != nil {
			return err
		}
	}
	return nil
}

// takeMembers ends memberships, or only their ADMIN OPTION.
func (s *Session) takeMembers(ctx context.Context, m membership, c Client) error {
	of, err := s.administered(m)
	if err != nil {
		return err
	}
	for _, n := range m.members {
		snap := s.txn.Changed().Snap
		r, err := s.roleOf(snap, n)
		if err != nil {
			return err
		}
		changed, at := memberIn(r, of.ID)
		switch {
		case at < 0:
			err = c.Notice(warning(sqlerr.Warning, "role \""+s.roleName(snap, r.ID)+"\" is not a member of role \""+s.roleName(snap, of.ID)+"\""))
			if err != nil {
				return err
			}
			continue
		case m.admin:
			changed.MemberOf[at].Admin = false
		default:
			changed.MemberOf = slices.Delete(changed.MemberOf, at, at+1)
		}
		if err := s.putRole(ctx, changed); err != nil {
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

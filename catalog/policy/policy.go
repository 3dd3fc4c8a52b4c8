// Package policy says which policies of row security bear on what a role does with a table, and whether any do. Who
// owns the table, a superuser, and a role with BYPASSRLS are not bound by them, the owner unless the table has FORCE
// ROW LEVEL SECURITY. The planner makes conditions of the policies, and checks. Read Binds and Of first.
package policy

import (
	"cmp"
	"slices"

	"zproxy/catalog"
)

// The commands that policies are for.
const (
	Select = "select"
	Insert = "insert"
	Update = "update"
	Delete = "delete"
)

// Binds says whether the policies of a table bear on what a role does with it.
func Binds(s *catalog.Snapshot, t *catalog.Table, role uint32) bool {
	if !t.RowSecurity || s.Superuser(role) {
		return false
	}
	if r := s.RoleByID(role); r != nil && r.BypassRLS {
		return false
	}
	return t.ForOwner || !s.Owns(role, t)
}

// Set is policies that bear on a command together: a row must meet any of Any, and all of All.
type Set struct{ Any, All []*catalog.Policy }

// Of are the policies of a table that bear on a command of a role.
func Of(s *catalog.Snapshot, t *catalog.Table, role uint32, command string) (out Set) {
	for i := range t.Policies {
		p := &t.Policies[i]
		bound := func(id uint32) bool { return id == catalog.Public || s.Acts(role, id) }
		switch {
		case p.Command != "" && p.Command != command || !slices.ContainsFunc(p.Roles, bound):
		case p.Restrictive:
			out.All = append(out.All, p)
		default:
			out.Any = append(out.Any, p)
		}
	}
	slices.SortFunc(out.All, func(a, b *catalog.Policy) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// Put is a table with a policy, in the position of the one with its number if there is one.
func Put(t *catalog.Table, p catalog.Policy) *catalog.Table {
	c := *t
	c.Version++
	c.Policies = slices.Clone(t.Policies)
	if old := c.PolicyNumbered(p.ID); old != nil {
		*old = p
	} else {
		c.Policies = append(c.Policies, p)
	}
	return &c
}

// Without is a table without the policy of a number.
func Without(t *catalog.Table, id uint32) *catalog.Table {
	c := *t
	c.Version++
	c.Policies = slices.DeleteFunc(slices.Clone(t.Policies), func(p catalog.Policy) bool { return p.ID == id })
	return &c
}

package catalog

import "iter"

// DefaultGrants are the grants that new objects of a kind begin with when a role makes them. Those of a schema come on
// top of those of the database.
type DefaultGrants struct {
	ID   uint32
	Role uint32
	Kind byte // by the letter of acldefault
	ACL  ACL  // in the order of grantees and grantors
}

// Named are the roles that a list of grants names.
func (acl ACL) Named() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for _, g := range acl {
			if !yield(g.Grantee) || !yield(g.Grantor) {
				return
			}
		}
	}
}

package privilege

import (
	"cmp"
	"iter"
	"slices"

	"zproxy/catalog"
)

// New are the rights that an object begins with which a role makes, by the default grants of the role.
func New(s *catalog.Snapshot, o catalog.Owned, owner uint32) catalog.Rights {
	rights := catalog.Rights{Owner: owner}
	kind := catalog.ACLKind(o)
	acl, changed := Defaults(s.Database().Defaults, owner, kind)
	if !changed {
		acl = catalog.DefaultACL(kind, owner)
	}
	if in, ok := o.(interface{ Ref() catalog.Ref }); ok {
		if schema := s.Schema(in.Ref().Schema); schema != nil {
			more, also := Defaults(schema.Defaults, owner, kind)
			for _, g := range more {
				acl = acl.With(g)
			}
			changed = changed || also
		}
	}
	if changed && !slices.Equal(Sorted(acl), Sorted(catalog.DefaultACL(kind, owner))) {
		rights.ACL = Sorted(acl)
	}
	return rights
}

// Defaults finds what a role has for objects of a kind among default grants.
func Defaults(list []catalog.DefaultGrants, role uint32, kind byte) (catalog.ACL, bool) {
	for _, g := range list {
		if g.Role == role && g.Kind == kind {
			return g.ACL, true
		}
	}
	return nil, false
}

// AllDefaults are the default grants of the database, which are of no schema, and those of schemas.
func AllDefaults(s *catalog.Snapshot) iter.Seq2[*catalog.Schema, catalog.DefaultGrants] {
	return func(yield func(*catalog.Schema, catalog.DefaultGrants) bool) {
		for _, g := range s.Database().Defaults {
			if !yield(nil, g) {
				return
			}
		}
		for _, schema := range s.Schemas() {
			for _, g := range schema.Defaults {
				if !yield(schema, g) {
					return
				}
			}
		}
	}
}

// Sorted is a list of grants in the order of grantees and grantors.
func Sorted(acl catalog.ACL) catalog.ACL {
	out := append(catalog.ACL{}, acl...)
	slices.SortFunc(out, func(a, b catalog.Grant) int {
		return cmp.Or(cmp.Compare(a.Grantee, b.Grantee), cmp.Compare(a.Grantor, b.Grantor))
	})
	return out
}

package catalog

import "maps"

// common is what all databases share. It never changes.
type common struct {
	roles     map[uint32]*Role
	roleNames map[string]*Role
	databases map[uint32]*Database
}

// newCommon has what is always there.
func newCommon() *common { return (&common{}).with(append(builtInRoles(), builtInDatabases()...)) }

// with is what is shared with objects in the place of those of their IDs; the same where none of them is shared.
func (c *common) with(objects []Object) *common {
	return c.edited(objects, func(next *common, o Object) {
		switch o := o.(type) {
		case *Role:
			next.roles[o.ID] = o
		case *Database:
			next.databases[o.ID] = o
		}
	})
}

// without is what is shared without some objects.
func (c *common) without(objects []Object) *common {
	return c.edited(objects, func(next *common, o Object) {
		switch o := o.(type) {
		case *Role:
			delete(next.roles, o.ID)
		case *Database:
			delete(next.databases, o.ID)
		}
	})
}

// edited is a copy that is changed by each object that is shared.
func (c *common) edited(objects []Object, change func(next *common, o Object)) *common {
	next := c
	for _, o := range objects {
		if !Shared(o) {
			continue
		}
		if next == c {
			next = &common{roles: map[uint32]*Role{}, databases: map[uint32]*Database{}}
			maps.Copy(next.roles, c.roles)
			maps.Copy(next.databases, c.databases)
		}
		change(next, o)
	}
	if next != c {
		next.roleNames = make(map[string]*Role, len(next.roles))
		for _, r := range next.roles {
			next.roleNames[r.Name] = r
		}
	}
	return next
}

// Shared says whether an object is of all databases.
func Shared(o Object) bool {
	switch o.(type) {
	case *Role, *Database:
		return true
	}
	return false
}

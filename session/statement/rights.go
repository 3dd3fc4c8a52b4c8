package statement

import (
	"fmt"

	"zproxy/catalog"
	"zproxy/catalog/privilege"
	"zproxy/catalog/syscat"
	"zproxy/sqlerr"
)

// Called names an object as errors about privileges do: by its own name.
func (c *Context) Called(o catalog.Owned) string {
	switch o := o.(type) {
	case *catalog.Schema:
		return "schema " + o.Name
	case *catalog.Database:
		return "database " + c.DatabaseNames.Of(c.Schema(), o)
	case *catalog.LargeObject:
		return fmt.Sprintf("large object %d", o.ID)
	case catalog.Relation:
		return string(o.Ref().Kind) + " " + o.Ref().Name
	}
	return ""
}

// MustOwn wants the present role to be the owner of an object.
func (c *Context) MustOwn(snap *catalog.Snapshot, o catalog.Owned) error {
	if snap.Owns(c.Role, o) {
		return nil
	}
	return Denied("must be owner of %s", c.Called(o))
}

// MustHold wants the present role to have a privilege on an object.
func (c *Context) MustHold(snap *catalog.Snapshot, o catalog.Owned, p catalog.Privileges) error {
	if have, _ := snap.Privileges(c.Role, o); have&p == p {
		return nil
	}
	return Denied("permission denied for %s", c.Called(o))
}

// MayMakeIn wants the present role to be allowed to make objects in a schema.
func (c *Context) MayMakeIn(snap *catalog.Snapshot, schema string) error {
	if o := snap.Schema(schema); o != nil {
		return c.MustHold(snap, o, catalog.MayCreate)
	}
	return nil
}

// MustOwnRelation is mustOwn for a relation of any kind; an index is its table's owner's.
func (c *Context) MustOwnRelation(snap *catalog.Snapshot, r catalog.Relation) error {
	switch r := r.(type) {
	case catalog.TableIndex:
		if snap.Owns(c.Role, r.Table) {
			return nil
		}
		return Denied("must be owner of index %s", r.Ref().Name)
	case catalog.Owned:
		return c.MustOwn(snap, r)
	}
	return Denied("permission denied: \"%s\" is a system catalog", r.Ref().Name)
}

// MustOwnToDrop wants the present role to own an object, or the schema that it is in.
func (c *Context) MustOwnToDrop(snap *catalog.Snapshot, o any) error {
	if r, ok := o.(catalog.Relation); ok {
		if schema := snap.Schema(r.Ref().Schema); schema != nil && snap.Owns(c.Role, schema) {
			return nil
		}
		return c.MustOwnRelation(snap, r)
	}
	if o, ok := o.(catalog.Owned); ok {
		return c.MustOwn(snap, o)
	}
	return nil
}

// MayUseLanguage wants the present role to be allowed to make functions in a language. It may be one that there is not.
func (c *Context) MayUseLanguage(snap *catalog.Snapshot, name string) error {
	oid := syscat.All().KnownOID("pg_language", name)
	allowed := oid == 0 || syscat.Trusted(name)
	if a := snap.Amended("pg_language", oid); a != nil && allowed {
		have, _ := snap.Privileges(c.Role, a)
		allowed = have&catalog.MayUse != 0
	}
	if !allowed && !snap.Superuser(c.Role) {
		return Denied("permission denied for language %s", name)
	}
	return nil
}

// Denied is the error about a privilege that is missing.
func Denied(message string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InsufficientPrivilege, message, args...)
}

// Grants wants a role to have what a statement wants of a relation.
func Grants(snap *catalog.Snapshot, role, relation uint32, want *privilege.Wanted) error {
	if snap.Superuser(role) {
		return nil
	}
	allowed := true
	r := snap.Numbered(relation)
	switch o := r.(type) {
	case catalog.Owned:
		allowed = privilege.Allows(snap, role, o, want)
	case *catalog.Virtual:
		if a := snap.Amended("pg_class", o.ID); a != nil {
			allowed = privilege.Allows(snap, role, a, want)
			break
		}
		have, _ := snap.Held(role, syscat.InitialACL(o), catalog.BootstrapID)
		allowed = have&want.Privileges == want.Privileges
	default: // it is gone, as its readers find
	}
	if !allowed {
		return Denied("permission denied for %s %s", r.Ref().Kind, r.Ref().Name)
	}
	return nil
}

package planner

import (
	"zproxy/catalog"
	"zproxy/sqlerr"
)

// overridden says whether the value that an INSERT gives for a column is not to be used,
// by its OVERRIDING clause.
func overridden(c catalog.Column, overriding string) (bool, error) {
	switch {
	case c.Generated != nil:
		return false, sqlerr.New(sqlerr.GeneratedAlways, "cannot insert a non-DEFAULT value into column %q", c.Name).
			WithDetail("Column %q is a generated column.", c.Name)
	case c.Identity == catalog.NoIdentity:
		return false, nil
	case overriding == "user":
		return true, nil
	case c.Identity == catalog.IdentityAlways && overriding != "system":
		return false, sqlerr.New(sqlerr.GeneratedAlways, "cannot insert a non-DEFAULT value into column %q", c.Name).
			WithDetail("Column %q is an identity column defined as GENERATED ALWAYS.", c.Name).
			WithHint("Use OVERRIDING SYSTEM VALUE to override.")
	}
	return false, nil
}

// updatable refuses a value for a column that only has generated ones.
func updatable(c catalog.Column) error {
	switch {
	case c.Generated != nil:
		return sqlerr.New(sqlerr.GeneratedAlways, "column %q can only be updated to DEFAULT", c.Name).
			WithDetail("Column %q is a generated column.", c.Name)
	case c.Identity != catalog.IdentityAlways:
		return nil
	}
	return sqlerr.New(sqlerr.GeneratedAlways, "column %q can only be updated to DEFAULT", c.Name).
		WithDetail("Column %q is an identity column defined as GENERATED ALWAYS.", c.Name)
}

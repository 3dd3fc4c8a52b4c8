package referential

import (
	"zproxy/catalog"
	"zproxy/sqlerr"
)

// MixedNulls is the detail of a violation by a row of which a key that is MATCH FULL has NULL in some columns only.
const MixedNulls = "MATCH FULL does not allow mixing of null and nonnull key values."

// Unmet is the error about a row of a child that a foreign key forbids.
func Unmet(child *catalog.Table, constraint string) *sqlerr.Error {
	err := sqlerr.New(sqlerr.ForeignKeyViolation,
		"insert or update on table \"%s\" violates foreign key constraint \"%s\"", child.Name, constraint)
	err.Schema, err.Table, err.Constraint = child.Schema, child.Name, constraint
	return err
}

// StillReferred is the error about a row of a parent that rows of a child refer to.
func StillReferred(parent, child *catalog.Table, constraint string) *sqlerr.Error {
	err := sqlerr.New(sqlerr.ForeignKeyViolation,
		"update or delete on table \"%s\" violates foreign key constraint \"%s\" on table \"%s\"", parent.Name,
		constraint, child.Name)
	err.Schema, err.Table, err.Constraint = child.Schema, child.Name, constraint
	return err
}

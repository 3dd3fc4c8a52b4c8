package catalog

import "strings"

// Mutability is what may become of the rows of a table once they are written.
type Mutability string

// The classes, by Lindorm's names.
const (
	// MutableLatest: rows are updated and deleted.
	MutableLatest Mutability = "MUTABLE_LATEST"
	// ImmutableRows: rows are deleted, and never updated.
	ImmutableRows Mutability = "IMMUTABLE_ROWS"
	// Immutable: rows are neither updated nor deleted.
	Immutable Mutability = "IMMUTABLE"
)

// MutabilityOption is the option of a table that names its class.
const MutabilityOption = "mutability"

// Mutability is the class of the table.
func (t *Table) Mutability() Mutability {
	if m := Mutability(strings.ToUpper(t.Options[MutabilityOption])); m != "" {
		return m
	}
	return MutableLatest
}

// Updates says whether rows may be updated.
func (m Mutability) Updates() bool { return m == MutableLatest }

// Deletes says whether rows may be deleted.
func (m Mutability) Deletes() bool { return m != Immutable }

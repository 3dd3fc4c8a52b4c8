package catalog

import (
	"slices"
	"strings"
)

// Mutability is what may become of the rows of a table once they are written.
type Mutability string

// The classes, by Lindorm's names. Package celltime has two more, of which cells have timestamps.
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
func (m Mutability) Updates() bool { return m != Immutable && m != ImmutableRows }

// Deletes says whether rows may be deleted.
func (m Mutability) Deletes() bool { return m != Immutable }

// StartsLoose says whether an index that is to be filled is to be Loose: the rows of the table are
// written once, and nothing but their own keys has to be theirs alone.
func (t *Table) StartsLoose(x *Index) bool { return !x.Unique && t.PutsLoose(&Index{Loose: true}) }

// PutsLoose says whether writers put the entries of an index apart from the rows, and before them.
// An update would do that at the cost of reading the entries of its rows anew; and where entries of
// another index have to be in one commit with the rows, little is gained.
func (t *Table) PutsLoose(x *Index) bool {
	return x.Loose && !t.Mutability().Updates() &&
		!slices.ContainsFunc(t.Indexes, func(o Index) bool { return o.Unique && o.State.Deletes() })
}

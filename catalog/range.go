package catalog

import (
	"strings"

	"zproxy/types"
)

// Range is what a type is that CREATE TYPE ... AS RANGE made. Its type of multiranges is a type of its own, which comes
// and goes with it.
type Range struct {
	Subtype types.T
	Class   string `json:",omitempty"` // the operator class of the bounds; empty: the default one
	// Collation is that of the bounds by its number, 0 where they have none.
	Collation uint32 `json:",omitempty"`
	// Diff is the number of the function that tells how far two bounds lie from each other; 0: there is none.
	Diff       uint32 `json:",omitempty"`
	Multirange uint32
	// Constructors are the functions that make ranges and multiranges.
	Constructors []uint32
	Cast         uint32 // the number of the cast of a range to a multirange
}

// ToMultirange is the constructor that makes a multirange of a range.
func (r *Range) ToMultirange() uint32 { return r.Constructors[3] }

// MultirangeName is the name that the multiranges of a type of ranges have unless another one is given.
func (t *Type) MultirangeName() string {
	const word, behind, most = "range", "_multirange", 63
	if before, after, found := strings.Cut(t.Name, word); found {
		return types.CutName(before + "multi" + word + after)
	}
	name := []rune(t.Name)
	for len(string(name)) > most-len(behind) {
		name = name[:len(name)-1]
	}
	return string(name) + behind
}

// rangeOf is the definition of a type of ranges, or of the multiranges of one.
func (u userTypes) rangeOf(t *Type) *types.Definition {
	if d := u.known[t.ID]; d != nil {
		return d
	}
	one := t
	if t.RangeOf != 0 {
		one = u.types[t.RangeOf]
	}
	several := u.types[one.Range.Multirange]
	of := types.NewRangeType(one.ID, types.T{})
	u.known[one.ID] = &types.Definition{Name: one.shown(), Range: of}
	if several != nil {
		u.known[several.ID] = &types.Definition{Name: several.shown(), Range: of}
	}
	of.Subtype = u.Defined(one.Range.Subtype)
	return u.known[t.ID]
}

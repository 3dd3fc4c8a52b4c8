package part

import (
	"zproxy/encoding/span"
	"zproxy/types"
)

// Known is what a walk knows of columns when it has come to a part, and what it makes of that. A part
// calls the methods from the one that says most of its value to the one that says least, until
// one is true: then it has single values, and the walk goes on by each of them. Where none is, what
// was said last is what the value is among, and ends the walk.
type Known interface {
	// Column goes on by the values of a column as they are.
	Column(c *Bound) bool
	// Points goes on by the values of combinations of points of columns.
	Points(of []Source, c Computed) bool
	// Values does, too, and if it must it counts out intervals of columns, where these are short.
	Values(of []Source, c Computed) bool
	// Fewer is Values where that makes fewer than so many.
	Fewer(than int, of []Source, c Computed) bool
	// Units goes on by the units that a column lies in, where these are few, and else says between
	// which of them the value lies.
	Units(of *Source, u Units) bool
	// Nothing says that nothing is known.
	Nothing() bool
	given
	texts
}

// given is what a walk makes of values that no column tells.
type given interface {
	// Drawn goes on by the values of a column that was chosen at random from 0 on below n.
	Drawn(c *Source, n int) bool
	// Each goes on by n values that rows have whatever their columns are.
	Each(n int, value func(i int) types.Value) bool
	// Possible is Each for values that say nothing unless they follow what narrows the walk. NULL
	// is one of them where one of some columns may be NULL.
	Possible(n int, of []Source, value func(i int) types.Value) bool
	// Spread goes on by the shards that each value of a column has.
	Spread(s *Spread) bool
}

// texts is what a walk makes of the pieces of a text.
type texts interface {
	// Piece goes on by piece i of a text, behind those before it.
	Piece(t *Joined, i int) bool
	// Begins says that a text begins with the pieces before i.
	Begins(t *Joined, i int) bool
	// Whole goes on by the texts of all pieces.
	Whole(t *Joined) bool
}

// Units is how a column is cut into units that follow each other: a unit holds all values from
// its first one up to that of the next.
type Units interface {
	// Within are the values of the units that a set lies in, but for NULL. It says false where these
	// are more than most, or without an end.
	Within(set span.Set, most int) ([]types.Value, bool)
	// Hull is an interval of all of these values.
	Hull(set span.Set) span.Interval
}

package store

import (
	"bytes"
	"math"
)

// Loss is what a salvage could not read: the items from one position to another, with both.
type Loss struct {
	File     string
	Reason   string // in the store's words
	From, To Position
}

// Everything says whether it is about all spaces.
func (l *Loss) Everything() bool {
	return l.From.Space == 0 && l.From.Key == nil && l.To.Space == math.MaxUint64 && l.To.Key == nil
}

// Copied is what a salvage has copied, and what it has not.
type Copied struct {
	// Lost is what could not be read. Within these ranges items may be missing, be as they were before their last
	// commit, or be there though they were deleted. All others are there as they were.
	Lost []Loss
	// Whole are spaces that are whole though they are in what is lost: they were there twice.
	Whole []SpaceID
	// Items counts what was copied.
	Items map[SpaceID]int64
}

// Overlaps says whether something of a range of positions, with both, is lost. The positions have keys, or are where
// nothing is.
func (l *Loss) Overlaps(from, to Position) bool {
	behind := l.To.Space < from.Space || l.To.Space == from.Space && l.To.Key != nil &&
		bytes.Compare(l.To.Key, from.Key) < 0
	ahead := l.From.Space > to.Space || l.From.Space == to.Space && bytes.Compare(l.From.Key, to.Key) > 0
	return !behind && !ahead
}

// Position is one in a store, whose spaces are in the order of their numbers. Without a Key it is the begin of a space,
// or as an end the end of it.
type Position struct {
	Space SpaceID
	Key   []byte // partition and sort key
}

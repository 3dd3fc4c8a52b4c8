// Package tariff adds up what the writes of a commit are charged in a store that charges by units: a unit for each
// 1 KB that is begun, twice as much for writes that are made together or not at all, and more for a commit that takes
// intents since it has more writes than one request. It knows sizes only. The planner adds what it expects, the
// executor what it writes.
//
// Read Sum first.
package tariff

import (
	"math"

	"zproxy/store"
)

// Kind is how a write is made.
type Kind uint8

// The kinds.
const (
	Together Kind = iota // with the others, or none of them
	Separate             // by itself
	Follows              // by the store, when it writes the item that this one follows
	Fills                // with some others, into a table that no other transaction reads yet
)

// Write is a write of an item, or of several that are alike.
type Write struct {
	Times float64
	Bytes float64 // of the item as it is to be; 0: it goes
	Over  float64 // of the item that is there; 0: there is none, or its size is not known
	Kind  Kind
}

// The writes of a commit by intents besides one for each intent and one to make it real: for the record of the
// transaction, and for the lists of keys.
const (
	RecordWrites = 3
	// intentBytes is about what an intent adds to an item besides its new state, and its key to the record.
	intentBytes = 60
)

// Sum is what some writes are charged that are committed together.
type Sum struct {
	Most     int     // writes that one request makes together; 0: any number
	together float64 // writes, and what they cost by one request and by intents
	plain    float64
	intents  float64
	follows  float64
	separate float64
}

// Add adds writes.
func (s *Sum) Add(w Write) {
	units := w.Times * store.WriteUnits(math.Max(w.Bytes, w.Over))
	switch w.Kind {
	case Separate:
		s.separate += units
	case Fills:
		s.separate += store.AtomicWrites * units
	case Follows:
		s.follows += units
	default:
		s.together += w.Times
		s.plain += units
		s.intents += w.Times * store.WriteUnits(w.Bytes+w.Over+intentBytes)
	}
}

// Together is how many writes are made together.
func (s *Sum) Together() float64 { return s.together }

// Staged says whether the commit takes intents.
func (s *Sum) Staged() bool { return s.Most > 0 && s.together > float64(s.Most) }

// Units are the write units that all of it is charged. What follows is written once, when intents are made real.
func (s *Sum) Units() float64 {
	if s.Staged() {
		return store.AtomicWrites*s.intents + s.separate + s.follows +
			RecordWrites + store.WriteUnits(s.together*intentBytes)
	}
	if s.together > 1 {
		return store.AtomicWrites*(s.plain+s.follows) + s.separate
	}
	return s.plain + s.follows + s.separate
}

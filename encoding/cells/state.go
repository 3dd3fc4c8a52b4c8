// Package cells is when the cells of rows were written, and what becomes of two writes of one row: of each cell the
// newest counts, in whatever order the two arrive, and as many older ones are kept as the table has versions. A State
// is what a row knows of that beside its values. Merging is commutative, associative and idempotent, on which
// everything above relies. Which rows have such states is package catalog's matter, writing them the executor's. Read
// State first, then Layout.Merge, and Pick for what is read of versions.
package cells

import (
	"math"
	"slices"

	"zproxy/types"
)

// Time is when a cell was written: milliseconds since 1970, and a count behind them. Who gives a timestamp
// gives milliseconds, and the count is 0; what is written without one has a count of 1 or more, so that it is newer
// than what was there in the same millisecond.
type Time int64

const (
	// Never is before all times.
	Never Time = math.MinInt64
	// perMilli is how many times there are in a millisecond.
	perMilli = 1 << 12
	// MaxMilli is the latest millisecond.
	MaxMilli = math.MaxInt64/perMilli - 1
	// MaxCount is the greatest count behind a millisecond.
	MaxCount = perMilli - 1
)

// At is the time that a writer gives in milliseconds.
func At(milli int64) Time { return Time(milli * perMilli) }

// Milli is the time in milliseconds.
func (t Time) Milli() int64 { return int64(t) / perMilli }

// Count is the count behind the millisecond.
func (t Time) Count() int64 { return int64(t) % perMilli }

// given says whether a writer gave the time.
func (t Time) given() bool { return t.Count() == 0 }

// Row is the number that stands for the row itself among its columns, which are numbered from 1.
const Row uint32 = 0

// Cell is when a cell was written.
type Cell struct {
	Column uint32
	At     Time
}

// State is when the cells of a row were written, and until when everything was deleted.
type State struct {
	Deleted Time   // the newest delete; nothing that was written until then is left
	Cells   []Cell // in the order of columns
	// Older is what cells were before, in the order of columns, and of each the newest first.
	Older []Version
}

// Version is what a cell was at a time. One of the row itself has no value.
type Version struct {
	Cell
	Value types.Value
}

// Stamp is with what timestamp a statement writes cells.
type Stamp struct {
	Given bool
	Milli int64 // if it is given; else the statement writes with its own time
	// Columns are those of which an INSERT writes cells of new rows.
	Columns []uint32
}

// New is the state of a row that nothing is known of.
func New() State { return State{Deleted: Never} }

// Written is the state of a row that is written at a time, with some columns.
func Written(at Time, columns ...uint32) State {
	s := New()
	for _, c := range columns {
		s.Cells = append(s.Cells, Cell{c, at})
	}
	slices.SortFunc(s.Cells, func(a, b Cell) int { return int(a.Column) - int(b.Column) })
	return s
}

// Of is when a column was written.
func (s *State) Of(column uint32) Time {
	for _, c := range s.Cells {
		if c.Column == column {
			return c.At
		}
	}
	return Never
}

// Gone says whether nothing of the row is left.
func (s *State) Gone() bool { return len(s.Cells) == 0 }

// Next is the time of a write that comes after all others without a time of their own, in a millisecond.
func (s *State) Next(milli int64) Time {
	next := At(milli) + 1
	after := func(t Time) {
		if t != Never && !t.given() && t >= next {
			if next = t + 1; next.given() {
				next++
			}
		}
	}
	after(s.Deleted)
	for _, c := range s.Cells {
		after(c.At)
	}
	return next
}

// Move makes a time that of all cells.
func (s *State) Move(at Time) {
	for i := range s.Cells {
		s.Cells[i].At = at
	}
}

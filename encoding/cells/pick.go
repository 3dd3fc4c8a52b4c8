package cells

import (
	"math"

	"zproxy/types"
)

// Pick says which versions of cells a query reads: those that were written from Min to before Max in milliseconds, of
// the newest Most of each cell, and of those one that so many others come before.
type Pick struct {
	Min, Max int64
	Most     int64
	Rank     int64
}

// Start is the Min of a Pick that has all that comes before its Max, also what was never written.
const Start = math.MinInt64

// has says whether a version that so many newer ones come before may be picked.
func (p *Pick) has(at Time, newer int64) bool {
	milli := at.Milli()
	return newer < p.Most && milli >= p.Min && milli < p.Max
}

// each calls a function for the versions of a column that may be picked, the newest first, until it says false. The
// newest of all, whose value stands in the row, is nil.
func (p *Pick) each(s *State, column uint32, f func(at Time, older *Version) bool) {
	at, newer := s.Of(column), int64(0)
	if at == Never || p.has(at, newer) && !f(at, nil) {
		return
	}
	for i := range s.Older {
		if v := &s.Older[i]; v.Column == column {
			if newer++; p.has(v.At, newer) && !f(v.At, v) {
				return
			}
		}
	}
}

// of is the version of a column that is picked; Never where there is none.
func (p *Pick) of(s *State, column uint32) (at Time, older *Version) {
	at, left := Never, p.Rank
	p.each(s, column, func(t Time, v *Version) bool {
		if left--; left < 0 {
			at, older = t, v
		}
		return left >= 0
	})
	return at, older
}

// Value is the value of the version of a cell that is picked, NULL where there is none. A cell that was never written
// is older than all times.
func (p *Pick) Value(s *State, column uint32, newest types.Value) types.Value {
	switch at, older := p.of(s, column); {
	case older != nil:
		return older.Value
	case at != Never, p.Min == Start && p.Rank == 0 && s.Of(column) == Never:
		return newest
	}
	return types.Null
}

// State is the state of a row that has nothing but the versions that are picked.
func (p *Pick) State(s *State) State {
	out := State{Deleted: s.Deleted}
	for _, c := range s.Cells {
		if at, _ := p.of(s, c.Column); at != Never {
			out.Cells = append(out.Cells, Cell{c.Column, at})
		}
	}
	return out
}

// Count is how many versions may be picked of that one of some columns that has the most.
func (p *Pick) Count(s *State, columns []uint32) int64 {
	most := int64(0)
	for _, c := range columns {
		n := int64(0)
		p.each(s, c, func(Time, *Version) bool { n++; return true })
		most = max(most, n)
	}
	return most
}

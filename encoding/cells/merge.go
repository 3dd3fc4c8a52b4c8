package cells

import (
	"bytes"
	"cmp"
	"slices"

	"zproxy/encoding/rows"
	"zproxy/types"
)

// Layout says where the rows of a table have their cells.
type Layout struct {
	Times   int // the place of the column with the State, a bytea
	Deleted int // of the column that is NULL as long as the row is there: the milliseconds of its delete
	Columns []Column
	// Versions is how many versions of each cell are kept, the newest among them, and of the row itself.
	Versions int
}

// Column is a column that has cells: one that is not part of the key.
type Column struct {
	ID      uint32
	Ordinal int
}

// Gone says whether a row is there only for the time of its delete.
func (l *Layout) Gone(row types.Row) bool { return !row[l.Deleted].IsNull() }

// State reads the state of a row.
func (l *Layout) State(row types.Row) (State, error) { return Decode(row[l.Times].Bytes()) }

// Put gives a row a state.
func (l *Layout) Put(row types.Row, s State) {
	row[l.Times], row[l.Deleted] = types.NewBytes(s.Append(nil)), types.Null
	if s.Gone() {
		row[l.Deleted] = types.NewInt(s.Deleted.Milli())
	}
}

// Merge writes what another row with the same key has, with its state, into a row. Of each cell the versions of the
// greatest times are left, of equal times the one with the greater value, and none that is not newer than a delete: a
// cell of which none is left is NULL; one that was never written has the value that a column began with in the rows
// that were there. As the versions that are left are the newest of both rows together, neither the order in which
// writes are merged makes a difference, nor does one that is merged twice.
func (l *Layout) Merge(into types.Row, s State, from types.Row, other State) {
	out := State{Deleted: max(s.Deleted, other.Deleted)}
	out.put(l.left(united(s.Versions(Row, types.Null), other.Versions(Row, types.Null)), out.Deleted))
	for _, c := range l.Columns {
		all := united(s.Versions(c.ID, into[c.Ordinal]), other.Versions(c.ID, from[c.Ordinal]))
		switch left := l.left(all, out.Deleted); {
		case len(left) > 0:
			into[c.Ordinal] = left[0].Value
			out.put(left)
		case len(all) > 0 || s.Gone():
			into[c.Ordinal] = types.Null
		}
	}
	l.Put(into, out)
}

// Versions are all versions of a column whose newest value is known, the newest first.
func (s *State) Versions(column uint32, newest types.Value) []Version {
	at := s.Of(column)
	if at == Never {
		return nil
	}
	out := []Version{{Cell{column, at}, newest}}
	for _, v := range s.Older {
		if v.Column == column {
			out = append(out, v)
		}
	}
	return out
}

// united are the versions of two writes of one cell, the newest first, one of each time.
func united(a, b []Version) []Version {
	switch { // of most columns one of the two has nothing
	case len(b) == 0:
		return a
	case len(a) == 0:
		return b
	}
	all := append(a, b...)
	slices.SortFunc(all, func(a, b Version) int {
		return cmp.Or(cmp.Compare(b.At, a.At), order(b.Value, a.Value))
	})
	return slices.CompactFunc(all, func(a, b Version) bool { return a.At == b.At })
}

// left are those of the versions of a cell, the newest first, that are kept.
func (l *Layout) left(all []Version, deleted Time) []Version {
	if i := slices.IndexFunc(all, func(v Version) bool { return v.At <= deleted }); i >= 0 {
		all = all[:i]
	}
	return all[:min(len(all), l.Versions)]
}

// put adds the versions of a column behind those of lower columns.
func (s *State) put(all []Version) {
	if len(all) > 0 {
		s.Cells = append(s.Cells, all[0].Cell)
		s.Older = append(s.Older, all[1:]...)
	}
}

// order orders values that were written at one time. NULL is the least, and equal values that are not the same
// go by their bytes.
func order(a, b types.Value) int {
	switch {
	case a.IsNull() || b.IsNull():
		return cmp.Compare(btoi(b.IsNull()), btoi(a.IsNull()))
	case a.Kind() != b.Kind():
		return cmp.Compare(a.Kind(), b.Kind())
	}
	if sign := types.Compare(a, b); sign != 0 || types.Identical(a, b) {
		return sign
	}
	return bytes.Compare(rows.AppendValue(nil, a), rows.AppendValue(nil, b))
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

package cells

import (
	"bytes"

	"zproxy/encoding/rows"
	"zproxy/types"
)

// Layout says where the rows of a table have their cells.
type Layout struct {
	Times   int // the place of the column with the State, a bytea
	Deleted int // of the column that is NULL as long as the row is there: the milliseconds of its delete
	Columns []Column
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

// Merge writes what another row with the same key has, with its state, into a row. Of each cell that of the greatest
// time is left, of equal times the one with the greater value, and no cell that is not newer than a delete: a cell
// that is not left is NULL; one that was never written has the value that a column began with in the rows that were
// there. So the order in which writes are merged makes no difference, nor does one that is merged twice.
func (l *Layout) Merge(into types.Row, s State, from types.Row, other State) {
	out := State{Deleted: max(s.Deleted, other.Deleted)}
	keep := func(id uint32, at Time) bool {
		if at <= out.Deleted {
			return false
		}
		out.Cells = append(out.Cells, Cell{id, at})
		return true
	}
	keep(Row, max(s.Of(Row), other.Of(Row)))
	for _, c := range l.Columns {
		at, then := s.Of(c.ID), other.Of(c.ID)
		if then > at || then == at && at != Never && less(into[c.Ordinal], from[c.Ordinal]) {
			into[c.Ordinal], at = from[c.Ordinal], then
		}
		if !keep(c.ID, at) && (at != Never || s.Gone()) {
			into[c.Ordinal] = types.Null
		}
	}
	l.Put(into, out)
}

// less orders values that were written at one time. NULL is the least, and equal values that are not the same
// go by their bytes.
func less(a, b types.Value) bool {
	switch {
	case a.IsNull() || b.IsNull():
		return a.IsNull() && !b.IsNull()
	case a.Kind() != b.Kind():
		return a.Kind() < b.Kind()
	}
	if sign := types.Compare(a, b); sign != 0 {
		return sign < 0
	}
	return !types.Identical(a, b) && bytes.Compare(rows.AppendValue(nil, a), rows.AppendValue(nil, b)) < 0
}

package executor

import (
	"slices"

	"zproxy/encoding/cells"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Rows whose cells have timestamps are never written as they are: what a statement writes of a row has a state of its
// own, and is merged with what is stored at the key of the row. What comes out is a change like any other. A row that
// is deleted stays for the timestamp of the delete, and has no entries in indexes.

// timed is a writer of such rows.
type timed struct{ *writer }

// gone says whether a row is stored only for the timestamp of its delete.
func (w *writer) gone(row types.Row) bool { return w.table.cells != nil && w.table.cells.Gone(row) }

// rises says whether a change puts a row where one was deleted, whose key in a layout, that of the table, is free.
func (w *writer) rises(layout int, c change) bool {
	return layout == 0 && c.old != nil && w.gone(c.old)
}

// at is the time of a write to a row with a state.
func (w timed) at(s *cells.State) cells.Time {
	if w.stamp.Given {
		return cells.At(w.stamp.Milli)
	}
	return s.Next(w.env.Expr.Statement.UnixMilli())
}

// begin is the state of a new row, of which nothing else is known.
func (in *inserter) begin() types.Value {
	nothing := cells.New()
	s := cells.Written(timed{&in.writer}.at(&nothing), append([]uint32{cells.Row}, in.stamp.Columns...)...)
	return types.NewBytes(s.Append(nil))
}

// restamp makes of a row with new values in some columns what is left of the two by their timestamps, or where it has
// got another key, what moves to that.
func (w timed) restamp(old, next types.Row, columns []uint32) error {
	if w.table.cells == nil {
		return nil
	}
	s, err := w.table.cells.State(old)
	if err != nil {
		return err
	}
	if w.moves(change{old: old, new: next}) {
		w.depart(&s, next, columns)
		return nil
	}
	values := slices.Clone(next)
	copy(next, old)
	w.table.cells.Merge(next, s, values, cells.Written(w.at(&s), columns...))
	return nil
}

// assigned takes the timestamp of a statement, and says of which columns it writes cells: those of its assignments, and
// more.
func (w timed) assigned(set []plan.Assignment, s *cells.Stamp, more ...uint32) []uint32 {
	if s == nil {
		return nil
	}
	w.stamp = *s
	out := more
	for _, a := range set {
		out = append(out, w.table.Columns[a.Column].ID)
	}
	return out
}

// without is what a delete leaves of a row: nil, its timestamp, or cells that are newer.
func (w timed) without(old types.Row) (types.Row, error) {
	if w.table.cells == nil {
		return nil, nil
	}
	s, err := w.table.cells.State(old)
	if err != nil {
		return nil, err
	}
	next := slices.Clone(old)
	w.table.cells.Merge(next, s, next, cells.State{Deleted: w.at(&s)})
	return next, w.check(next)
}

// free are the keys of which an upsert knows what is left at them.
func (in *inserter) free() map[string]types.Row {
	if in.upsert == nil {
		return nil
	}
	return in.upsert.free
}

// meet merges new rows with what is left of rows that had their keys, which is read unless it is known. Keys of rows
// that are there are taken.
func (w timed) meet(changes []change, known map[string]types.Row) error {
	if w.table.cells == nil {
		return nil
	}
	there, err := w.standing(changes, known)
	if err != nil {
		return err
	}
	w.taken = make([]bool, len(changes))
	for i, c := range changes {
		switch old := there[i]; {
		case c.old != nil || old == nil:
		case !w.gone(old):
			w.taken[i] = true
		default:
			changes[i].old, changes[i].new = old, slices.Clone(old)
			if err := w.rise(changes[i].new, c.new); err != nil {
				return err
			}
		}
	}
	return nil
}

// standing are the rows at the keys of new ones, also those that are gone, by the places of their changes.
func (w timed) standing(changes []change, known map[string]types.Row) ([]types.Row, error) {
	out := make([]types.Row, len(changes))
	var rows []types.Row
	var of []int
	for i, c := range changes {
		if c.old != nil {
			continue
		}
		if len(known) > 0 {
			if row, ok := known[claimKey(0, w.table.rows.codec.First(c.new))]; ok {
				out[i] = row
				continue
			}
		}
		rows, of = append(rows, c.new), append(of, i)
	}
	there, _, err := w.holders(w.table.rows, rows)
	for n, i := range of {
		if err == nil {
			out[i] = there[n]
		}
	}
	return out, err
}

// overwrite merges new rows into those that stand at their keys.
func (w timed) overwrite(changes []change) error {
	if w.table.cells == nil {
		return nil
	}
	for i, c := range changes {
		if c.old == nil {
			continue
		}
		changes[i].new = slices.Clone(c.old)
		if err := w.rise(changes[i].new, c.new); err != nil {
			return err
		}
	}
	return nil
}

// rise merges a new row into what another statement has left at its key.
func (w timed) rise(into, row types.Row) error {
	s, err := w.table.cells.State(into)
	if err != nil {
		return err
	}
	written, err := w.table.cells.State(row)
	if err != nil {
		return err
	}
	if !w.stamp.Given {
		written.Move(w.at(&s))
	}
	w.table.cells.Merge(into, s, row, written)
	return w.check(into)
}

// keepDelete keeps the timestamp of a delete of a row that is not there, for writes that come later and are older.
func (w timed) keepDelete(key []expr.Expr) error {
	row, err := rowOfKey(w.table, key, w.env.Expr)
	if err != nil || row == nil {
		return err
	}
	there, _, err := w.holders(w.table.rows, []types.Row{row})
	if err != nil {
		return err
	}
	s := cells.New()
	if old := there[0]; old != nil {
		copy(row, old)
		if s, err = w.table.cells.State(old); err != nil {
			return err
		}
	}
	w.table.cells.Merge(row, s, row, cells.State{Deleted: w.at(&s)})
	w.looked, w.taken = []int{0}, nil
	_, err = w.apply([]change{{old: there[0], new: row}})
	return err
}

// holdsAlready says whether a stored row is what merging another one into it leaves.
func (w timed) holdsAlready(stored, row types.Row) (bool, error) {
	if w.table.cells == nil {
		return w.sameItem(w.table.rows, change{old: stored, new: row}), nil
	}
	merged := slices.Clone(stored)
	if err := w.unite(merged, row); err != nil {
		return false, err
	}
	return w.sameItem(w.table.rows, change{old: stored, new: merged}), nil
}

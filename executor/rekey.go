package executor

import (
	"maps"
	"slices"

	"zproxy/encoding/cells"
	"zproxy/types"
)

// A row whose cells have timestamps gets another key by a delete and an insert with the timestamp of the statement:
// what the delete takes of the row goes to the new key, and what is newer stays. The insert counts as the later of the
// two, so that rows may exchange their keys.

// moves says whether a change gives a row another key.
func (w timed) moves(c change) bool {
	codec := w.table.rows.codec
	return c.old != nil && c.new != nil && !sameKey(codec.Key(c.old), codec.Key(c.new))
}

// depart makes of a row with new values, of which the old one has a state, what goes to another key: the cells of the
// columns that are written, and those that are not newer than the statement.
func (w timed) depart(s *cells.State, next types.Row, written []uint32) {
	at, columns := w.at(s), []uint32{cells.Row}
	for _, c := range w.table.cells.Columns {
		if s.Of(c.ID) > at && !slices.Contains(written, c.ID) {
			next[c.Ordinal] = types.Null
			continue
		}
		columns = append(columns, c.ID)
	}
	w.table.cells.Put(next, cells.Written(at+1, columns...))
}

// split makes of each change that gives a row another key two: one of the row at the new key, and behind all others one
// of what is left at the old key. That may be where another row goes, or a new one.
func (w timed) split(changes []change) ([]change, error) {
	if w.table.cells == nil {
		return changes, nil
	}
	left := map[string]change{}
	for i, c := range changes {
		if !w.moves(c) {
			continue
		}
		next, err := w.without(c.old)
		if err != nil {
			return nil, err
		}
		left[w.rowID(c.old)] = change{old: c.old, new: next, left: true, anew: c.anew}
		changes[i].old = nil
	}
	for i, c := range changes {
		if c.old != nil || len(left) == 0 {
			continue
		}
		id := w.rowID(c.new)
		at, found := left[id]
		if !found || !w.gone(at.new) {
			continue
		}
		if err := w.rise(at.new, c.new); err != nil {
			return nil, err
		}
		changes[i].old, changes[i].new, changes[i].anew = at.old, at.new, at.anew
		delete(left, id)
	}
	for _, id := range slices.Sorted(maps.Keys(left)) {
		changes = append(changes, left[id])
	}
	return changes, nil
}

// rowID tells the key of a row from others.
func (w timed) rowID(row types.Row) string { return claimKey(0, w.table.rows.codec.Key(row)) }

// applyMoves applies changes of which some may give rows other keys.
func (l *leaves) applyMoves(changes []change) error {
	w := timed{l.writer}
	n := len(changes)
	changes, err := w.split(changes)
	if err != nil {
		return err
	}
	if len(changes) > n {
		if err := w.meet(changes, nil); err != nil {
			return err
		}
		w.looked = []int{0}
	}
	_, err = l.apply(changes)
	return err
}

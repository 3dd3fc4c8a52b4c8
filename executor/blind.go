package executor

import (
	"zproxy/expr"
	"zproxy/planner/rowlock"
	"zproxy/store"
	"zproxy/types"
)

// BlindWrite is what a statement has written without a look at what is there. When the commit then meets a conflict,
// which a key that is taken is to the store, and a row to delete that is not there, the statement is to run once more
// with a look, so that the error says which, or the count is right.
type BlindWrite struct {
	Done bool
	Rows []types.Row // of an Insert, complete
}

// writesBlindly says whether these are all rows of an Insert, which it puts blindly. Where two rows
// with one key are an error only one row takes the place of another.
func (in *inserter) writesBlindly(rows []types.Row) bool {
	return in.Blind && in.env.Blind != nil && len(rows) <= in.chunk() &&
		(!in.Replaces() || in.Overwrite || len(rows) == 1)
}

// blindly writes at keys without a look at what is there.
type blindly struct{ *writer }

// replace prepares rows to take the place of those that have their keys, whatever these are. Of several with
// one key the last one is written.
func (w blindly) replace(changes []change) ([]change, error) {
	changes = lastOf(w.table.rows, changes)
	for _, c := range changes {
		if err := w.lock(w.table.rows.codec.Key(c.new)); err != nil {
			return nil, err
		}
	}
	return changes, nil
}

// lock locks the row that may be at a key.
func (w blindly) lock(key store.Key) error {
	if w.env.Locks == nil {
		return nil
	}
	_, err := w.env.Locks.Lock(w.ctx, w.table.rows.space.ID, key, rowlock.Lock{Strength: rowlock.Update, Writes: true})
	return err
}

// remove deletes the row that has a key, if the commit finds one.
func (w blindly) remove(key []expr.Expr) (int64, error) {
	l := w.table.rows
	row, err := rowOfKey(w.table, key, w.env.Expr)
	if err != nil || row == nil {
		return 0, err
	}
	if l.codec.CheckValues(row, l.name) != nil {
		return 0, nil // no row has such values, and their key may be that of other ones
	}
	at := l.codec.Key(row)
	if l.codec.CheckLength(at, w.env.Tables.Store, l.name) != nil {
		return 0, nil // no row has it
	}
	if err := w.lock(at); err != nil {
		return 0, err
	}
	if _, err := unique(w).lock(l, at); err != nil {
		return 0, err
	}
	if err := w.spend(l, at, change{old: row}, store.Blind); err != nil {
		return 0, err
	}
	w.env.Blind.Done = true
	if err := w.deleteItem(l, at, store.Blind); err != nil {
		return 0, w.storeError(err, "delete from", l.space.Name)
	}
	w.env.counted(w.table, []change{{old: row}})
	return 1, nil
}

// rowOfKey is a row of which there is only the key, nil if a part of that is NULL.
func rowOfKey(t *table, key []expr.Expr, c *expr.Context) (types.Row, error) {
	row := make(types.Row, len(t.Columns))
	for i, at := range t.KeyOrdinals() {
		v, err := key[i].Eval(c, nil)
		if err != nil || v.IsNull() {
			return nil, err
		}
		row[at] = v
	}
	return row, nil
}

// lastOf are the last rows of each key of a layout, in the order of the first ones.
func lastOf(l *layout, proposed []change) []change {
	at := map[string]int{}
	var out []change
	for _, c := range proposed {
		id := claimKey(0, l.codec.First(c.new))
		if i, ok := at[id]; ok {
			out[i] = c
			continue
		}
		at[id] = len(out)
		out = append(out, c)
	}
	return out
}

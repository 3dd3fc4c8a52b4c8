package executor

import (
	"zproxy/store"
	"zproxy/types"
)

// A unique index that is not readable yet may have met duplicates that were not noticed:
// rows written before it was kept have no entries. So the entry at the key of a row may be that
// of another row, which must then keep it: the build of the index finds the two, or one of them
// is gone by then.
//
// An expired row may have lost its entry to a store that removes what has expired, and another row
// may have taken the key.

// othersEntries are changes, by layout, for which the entry at the key of the old row is that of
// another row.
type othersEntries map[int][]bool

func (f othersEntries) has(layout, change int) bool {
	return f != nil && f[layout] != nil && f[layout][change]
}

// foreign finds the entries of other rows; nil where there can be none.
func (w *writer) foreign(changes []change) (othersEntries, error) {
	if !w.table.unverified && w.table.TTL == nil {
		return nil, nil
	}
	out := othersEntries{}
	for j, l := range w.layouts {
		if !l.unverified && !w.mayHaveLost(l) {
			continue
		}
		var err error
		if out[j], err = w.foreignTo(j, changes); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// foreignTo finds those of one layout. What it reads is guarded by the writes at these keys,
// which have to be Unchanged.
func (w *writer) foreignTo(layout int, changes []change) ([]bool, error) {
	l := w.layouts[layout]
	key := w.table.KeyOrdinals()
	get := &store.Get{Columns: l.columns(key), Remember: true, Stats: &w.profile.Stats}
	var asked []int
	for i, c := range changes {
		if c.old != nil && (l.unverified || w.expired(c.old)) && w.had(layout, c.old) {
			asked, get.Keys = append(asked, i), append(get.Keys, l.codec.Key(c.old))
		}
	}
	out := make([]bool, len(changes))
	if len(asked) == 0 {
		return out, nil
	}
	owners := types.NewBatch(len(key))
	found, err := w.env.Txn.Get(w.ctx, l.space, get, owners)
	if err != nil {
		return nil, w.storeError(err, "get from", l.space.Name)
	}
	for at, i := range asked {
		out[i] = found[at] && !w.owns(changes[i].old, owners.Row(at))
	}
	return out, nil
}

// mayHaveLost says whether another row may have the entry of one that has expired.
func (w *writer) mayHaveLost(l *layout) bool {
	return w.table.TTL != nil && l.unique && l.index != nil
}

// owns says whether the primary key in an entry is that of a row.
func (w *writer) owns(row, entry types.Row) bool {
	for at, c := range w.table.KeyOrdinals() {
		if types.Compare(row[c], entry[at]) != 0 {
			return false
		}
	}
	return true
}

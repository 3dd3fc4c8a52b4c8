package executor

import (
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// pointReader reads the one row whose unique key has some values, which is what prepared statements ask for
// most: it goes around sets and spans.
type pointReader struct{ *reader }

func (r pointReader) entries(p plan.Point) (Rows, error) {
	keys, err := r.keys(p)
	return r.points(keys), err
}

// keys are made as that of any row, whatever their parts are made of; where one is random, the row may
// stand at any of several. A comparison with NULL leaves no key.
func (r pointReader) keys(p plan.Point) ([]store.Key, error) {
	l := r.from
	row := make(types.Row, len(r.table.Columns))
	for i, b := range p.Bounds {
		v, err := b.Terms[0].Args[0].Eval(r.env.Expr, nil)
		if err != nil || v.IsNull() {
			return nil, err
		}
		row[r.column(i, b.Column)] = v
	}
	switch {
	case l.codec.CheckValues(row, l.name) != nil:
		return nil, nil // no row has such values
	case l.keysPerRow > 1:
		return l.codec.Everywhere(row), nil
	}
	return []store.Key{l.codec.Key(row)}, nil
}

// column is the ordinal in the table of a column of the key. Bounds mostly come in the order of the key,
// so that is asked first.
func (r pointReader) column(i int, id uint32) int {
	if at := r.from.key[i]; r.table.Columns[at].ID == id {
		return at
	}
	return r.table.Ordinal(id)
}

// pointKeys are the keys at which ranges that are whole keys begin.
func pointKeys(ranges []store.Range) []store.Key {
	keys := make([]store.Key, len(ranges))
	for i, g := range ranges {
		keys[i] = store.Key{Partition: g.Partition, Sort: g.From}
	}
	return keys
}

// points reads the items at some keys, in their order: as many at once as are wanted, or
// as one row may stand at, then more, should some of the rows be dropped.
func (r *reader) points(keys []store.Key) Rows {
	if ranges, ok := r.sharedKeys(keys); ok {
		return r.ranges(ranges)
	}
	return func(yield func(*types.Batch, error) bool) {
		keys = r.marks.restOfKeys(keys)
		get := &store.Get{Columns: r.marks.columns(r.from.columns(r.reads)), Stats: &r.profile.Stats}
		get.Remember, get.At = r.remembers(), r.env.before
		if r.from == r.table.rows && !r.scan.Write {
			get.Stale = r.table.stale
		}
		out := types.NewBatch(len(get.Columns))
		for size := max(r.need, int64(r.from.keysPerRow)); len(keys) > 0; size = 2 * size {
			size = min(size, types.BatchRows)
			n := min(int(size), len(keys))
			get.Keys, keys = keys[:n], keys[n:]
			r.marks.ofKeys(get.Keys)
			if !r.fetch(out, r.from, get, nil, yield) {
				return
			}
		}
	}
}

// fetch delivers the items that are there of those at some keys, and that stand: all do, where that
// is nil. It says whether more are wanted.
func (r *reader) fetch(out *types.Batch, l *layout, get *store.Get, stands func(int, types.Row) bool,
	yield func(*types.Batch, error) bool) bool {
	out.Reset(len(get.Columns))
	err := r.canceled()
	var found []bool
	before := r.profile.Stats
	if err == nil {
		found, err = r.env.Txn.Get(r.ctx, l.space, get, out)
		if err != nil {
			err = r.storeError(err, "get from", l.space.Name)
		} else {
			err = r.examined(&before, l)
		}
	}
	if err != nil {
		yield(nil, err)
		return false
	}
	n := 0
	for i, ok := range found {
		if ok {
			r.marks.put(i, out.Row(i))
		}
		if !ok || stands != nil && !stands(i, out.Row(i)) {
			continue
		}
		if n < i {
			copy(out.Row(n), out.Row(i))
		}
		n++
	}
	out.Truncate(n)
	return inPieces(out, yield)
}

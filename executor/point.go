package executor

import (
	"slices"

	"zproxy/encoding/span"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// point is the one row of an access that binds every column of a unique key by one
// equality, which is what prepared statements ask for most: it goes around sets and
// spans. Its key is made as that of any row, whatever its parts are made of; where one is
// random, the row may stand at any of several. A comparison with NULL leaves no key.
func (r *reader) point() ([]store.Key, bool, error) {
	a, l := r.scan.Access, r.from
	if !l.unique || len(a.Bounds) != len(l.key) || a.Parts != l.parts || a.Tuple != nil {
		return nil, false, nil
	}
	for i, b := range a.Bounds {
		if len(b.Terms) != 1 || b.Terms[0].Op != plan.TermEQ || r.keyColumn(i, b.Column) < 0 {
			return nil, false, nil
		}
	}
	row := make(types.Row, len(r.table.Columns))
	for i, b := range a.Bounds {
		v, err := b.Terms[0].Args[0].Eval(r.env.Expr, nil)
		if err != nil {
			return nil, false, err
		}
		if v.IsNull() {
			return nil, true, nil
		}
		row[r.keyColumn(i, b.Column)] = v
	}
	switch {
	case l.codec.CheckValues(row, l.name) != nil:
		return nil, true, nil // no row has such values
	case l.places > 1:
		return l.codec.Everywhere(row), true, nil
	}
	return []store.Key{l.codec.Key(row)}, true, nil
}

// keyColumn is the place in the table of a column of the key, -1 when it is none. Bounds
// mostly come in the order of the key, so that is asked first.
func (r *reader) keyColumn(i int, id uint32) int {
	key := r.from.key
	if r.table.Columns[key[i]].ID == id {
		return key[i]
	}
	if at := r.table.Ordinal(id); slices.Contains(key, at) {
		return at
	}
	return -1
}

// pointwise says whether each span is one whole key of a unique layout. NULLs are not
// equal, so a key with one may stand for several entries.
func (r *reader) pointwise(spans []span.Span) bool {
	n := r.from.parts
	if !r.from.unique || r.scan.Access.Parts != n {
		return false
	}
	return !slices.ContainsFunc(spans, func(s span.Span) bool {
		return s.Last != nil || len(s.Prefix) != n || slices.ContainsFunc(s.Prefix, types.Value.IsNull)
	})
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
	return func(yield func(*types.Batch, error) bool) {
		get := &store.Get{Columns: r.from.columns(r.reads), Remember: r.scan.Write && !r.lookup, Stats: &r.profile.Stats}
		out := types.NewBatch(len(r.reads))
		for size := max(r.need, int64(r.from.places)); len(keys) > 0; size = 2 * size {
			size = min(size, types.BatchRows)
			n := min(int(size), len(keys))
			get.Keys, keys = keys[:n], keys[n:]
			if !r.fetch(out, r.from, get, nil, yield) {
				return
			}
		}
	}
}

// fetch delivers the items that are there of those at some keys, and that stand: all do, where that
// is nil. It says whether more are wanted.
func (r *reader) fetch(out *types.Batch, l *layout, get *store.Get, stands func(int, types.Row) bool, yield func(*types.Batch, error) bool) bool {
	out.Reset(len(get.Columns))
	err := r.canceled()
	var found []bool
	before := r.profile.Stats
	if err == nil {
		found, err = r.env.Txn.Get(r.ctx, l.space, get, out)
		if err != nil {
			err = r.storeError(err, "get from", l.space.Name)
		} else {
			err = r.examined(&before)
		}
	}
	if err != nil {
		yield(nil, err)
		return false
	}
	n := 0
	for i, ok := range found {
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

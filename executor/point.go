package executor

import (
	"slices"

	"zproxy/encoding/span"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// point is the one key of an access that binds every part of a unique key by one
// equality, which is what prepared statements ask for most: it goes around sets and
// spans. A comparison with NULL leaves no key.
func (r *reader) point() ([]store.Key, bool, error) {
	a, l := r.scan.Access, r.from
	if !l.unique || len(a.Bounds) != len(l.parts) || a.Parts != len(l.parts) {
		return nil, false, nil
	}
	for i, b := range a.Bounds {
		if len(b.Terms) != 1 || b.Terms[0].Op != plan.TermEQ || r.table.Columns[l.parts[i]].ID != b.Column {
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
		row[l.parts[i]] = v
	}
	return []store.Key{l.codec.Key(row)}, true, nil
}

// pointwise says whether each span is one whole key of a unique layout. NULLs are not
// equal, so a key with one may stand for several entries.
func (r *reader) pointwise(spans []span.Span) bool {
	if !r.from.unique || r.scan.Access.Parts != len(r.from.parts) {
		return false
	}
	return !slices.ContainsFunc(spans, func(s span.Span) bool {
		return s.Last != nil || len(s.Prefix) != len(r.from.parts) || slices.ContainsFunc(s.Prefix, types.Value.IsNull)
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

// points reads the items at some keys, in their order: as many at once as are wanted,
// then more, should some of the rows be dropped.
func (r *reader) points(keys []store.Key) Rows {
	return func(yield func(*types.Batch, error) bool) {
		get := &store.Get{Columns: r.from.columns(r.reads), Remember: r.scan.Write && !r.lookup, Stats: &r.profile.Stats}
		out := types.NewBatch(len(r.reads))
		for size := r.need; len(keys) > 0; size = 2 * size {
			size = min(size, types.BatchRows)
			n := min(int(size), len(keys))
			get.Keys, keys = keys[:n], keys[n:]
			if !r.fetch(out, r.from, get, yield) {
				return
			}
		}
	}
}

// fetch delivers the items that are there of those at some keys. It says whether more
// are wanted.
func (r *reader) fetch(out *types.Batch, l *layout, get *store.Get, yield func(*types.Batch, error) bool) bool {
	out.Reset(len(get.Columns))
	err := r.canceled()
	var found []bool
	if err == nil {
		found, err = r.env.Txn.Get(r.ctx, l.space, get, out)
		if err != nil {
			err = r.storeError(err, "get from", l.space.Name)
		}
	}
	if err != nil {
		yield(nil, err)
		return false
	}
	n := 0
	for i, ok := range found {
		if !ok {
			continue
		}
		if n < i {
			copy(out.Row(n), out.Row(i))
		}
		n++
	}
	out.Truncate(n)
	return n == 0 || yield(out, nil)
}

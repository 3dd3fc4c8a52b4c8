package executor

import (
	"cmp"
	"context"
	"slices"
	"time"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// expired says whether queries do not find a row of the table any more, by its TTL.
func (w *writer) expired(row types.Row) bool {
	ttl := w.table.TTL
	return ttl != nil && ttl.Expired(row[w.table.Ordinal(ttl.Column)], w.env.Expr.Statement)
}

// evict deletes expired rows, with all their entries, where they have keys that other rows
// are to take.
func (w *writer) evict(changes []change, placements []placement) error {
	gone, err := w.release(changes, placements)
	if err == nil {
		_, err = w.leave(gone)
	}
	return err
}

// release gives rows the keys that expired rows have taken, and says which those are.
func (w *writer) release(changes []change, placements []placement) ([]change, error) {
	var gone []change
	seen := map[string]bool{}
	for j, l := range w.layouts {
		var taken []*placement
		var rows []types.Row
		for i, c := range changes {
			if p := &placements[i*len(w.layouts)+j]; p.taken {
				taken, rows = append(taken, p), append(rows, c.new)
			}
		}
		holders, stale, err := w.holders(l, rows)
		if err != nil {
			return nil, err
		}
		for i, row := range holders {
			if stale[i] {
				taken[i].taken = false
			}
			if row == nil || !w.expired(row) {
				continue
			}
			taken[i].taken = false
			if id := claimKey(0, w.table.rows.codec.Key(row)); !seen[id] {
				seen[id], gone = true, append(gone, change{old: row})
			}
		}
	}
	return gone, nil
}

// holders reads the rows that have the keys of some rows in a layout, nil where there is none:
// from the table itself, or by way of an index. It says which entries are stale: they have expired, and
// their rows are no more, since a store may remove the two apart. The place of such a row may have
// been taken since. A row that has left the key since its entry was read holds it no more; who then
// takes the key meets a conflict.
func (w *writer) holders(l *layout, rows []types.Row) ([]types.Row, []bool, error) {
	out, stale := make([]types.Row, len(rows)), make([]bool, len(rows))
	get := &store.Get{Columns: l.columns(w.table.StoredOrdinals(nil)), Remember: true}
	tells := l.index != nil && w.table.TTL != nil && w.table.Tells(l.index)
	if l.index != nil {
		get.Columns = l.columns(w.table.KeyOrdinals())
	}
	if tells {
		get.Columns = append(get.Columns, l.columns([]int{w.table.Ordinal(w.table.TTL.Column)})...)
	}
	for _, row := range rows {
		get.Keys = append(get.Keys, l.codec.Everywhere(row)...)
	}
	err := w.found(l, get, func(i int, item types.Row) { out[i/l.keysPerRow] = item })
	if err != nil || l.index == nil {
		return out, stale, err
	}
	behind := &store.Get{Columns: w.table.StoredOrdinals(nil), Remember: true}
	row := make(types.Row, len(w.table.Columns))
	var of []int
	for i, entry := range out {
		if entry == nil {
			continue
		}
		for at, c := range w.table.KeyOrdinals() {
			row[c] = entry[at]
		}
		of, behind.Keys = append(of, i), append(behind.Keys, w.table.rows.codec.Key(row))
		stale[i] = tells && w.table.TTL.Expired(entry[len(entry)-1], w.env.Expr.Statement)
		out[i] = nil
	}
	var failed error
	err = w.found(w.table.rows, behind, func(i int, item types.Row) {
		at := of[i]
		failed = cmp.Or(failed, w.compute(item))
		if holds := slices.ContainsFunc(get.Keys[at*l.keysPerRow:][:l.keysPerRow],
			func(k store.Key) bool { return sameKey(k, l.codec.Key(item)) }); holds && (!stale[at] || w.expired(item)) {
			out[at] = item
		}
	})
	return out, stale, cmp.Or(err, failed)
}

// found reads items, and tells those that are there by the place of their key.
func (w *writer) found(l *layout, get *store.Get, tell func(i int, item types.Row)) error {
	if len(get.Keys) == 0 {
		return nil
	}
	late := unique{w}.late(l, get.Keys)
	get.Stats, get.Latest = &w.profile.Stats, late != nil
	items := types.NewBatch(len(get.Columns))
	found, err := w.env.Txn.Get(w.ctx, l.space, get, items)
	if err != nil {
		return w.storeError(err, "get from", l.space.Name)
	}
	for i, ok := range found {
		switch {
		case ok && late != nil && late[i] && w.env.Locks.Fixed():
			return concurrent("update")
		case ok:
			tell(i, items.Row(i))
		}
	}
	return nil
}

// Reap deletes rows that are over at some time, with all their entries.
type Reap struct {
	Txn    store.Txn
	Tables *Tables
	Table  plan.Indexed
	Now    time.Time
	Over   func(row types.Row) bool
}

// Keys deletes those of some rows that are still over, and says how many. Of each row the values
// of catalog.Table.KeyOrdinals are given.
func (r *Reap) Keys(ctx context.Context, keys []types.Row) (int, error) {
	env := &Env{Txn: r.Txn, Tables: r.Tables, Expr: &expr.Context{Env: &types.Env{}, Statement: r.Now}}
	w, err := newWriter(frame{ctx: ctx, env: env}, r.Table)
	if err != nil {
		return 0, err
	}
	get := &store.Get{Columns: r.Table.StoredOrdinals(nil), Remember: true}
	row := make(types.Row, len(r.Table.Columns))
	for _, key := range keys {
		for at, c := range r.Table.KeyOrdinals() {
			row[c] = key[at]
		}
		get.Keys = append(get.Keys, w.table.rows.codec.Key(row))
	}
	var gone []change
	err = w.found(w.table.rows, get, func(_ int, row types.Row) {
		if r.Over(row) {
			gone = append(gone, change{old: row})
		}
	})
	if err == nil {
		_, err = w.leave(gone)
	}
	return len(gone), err
}

// fillAlive makes the entries of rows that have not expired. It deletes those that have, and those that
// have a key which only one row may have.
func (f *Fill) fillAlive(b *builder, rows []types.Row) error {
	b.env.Expr.Statement = f.Now
	all, err := newWriter(b.frame, f.Table)
	if err != nil {
		return err
	}
	var alive, gone []change
	for _, row := range rows {
		if b.expired(row) {
			gone = append(gone, change{old: row})
		} else {
			alive = append(alive, change{new: row})
		}
	}
	if _, err := all.leave(gone); err != nil {
		return err
	}
	return b.complete(alive, func(placements []placement) error {
		holders, err := b.release(alive, placements)
		if err == nil {
			_, err = all.leave(holders)
		}
		return err
	})
}

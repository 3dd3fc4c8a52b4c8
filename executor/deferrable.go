package executor

import (
	"context"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// Rows may have equal keys of a deferrable constraint until these are checked, at the end of the statement or of the
// transaction. A row whose key another one has gets an *extra* entry, at the key with the tie-breaker behind it. The
// check moves it to the key, or finds that another row still has that. So what is committed is as in any other unique
// index, and transactions that put the same key meet a conflict.

// extras are the extra entries of one layout that are to be checked.
type extras struct {
	table  *table
	layout *layout
	keys   []types.Row // the partition, and the sort keys without and with the tie-breaker
}

// extraQueue is which extra entries a run has still to check.
type extraQueue struct {
	list []*extras
	held hold
}

// deferring are the writer's dealings with deferrable constraints.
type deferring struct{ *writer }

// arbitrates refuses that a conflict about a deferrable constraint drops or updates a row.
func (w deferring) arbitrates(l *layout) error {
	if !l.deferrable() {
		return nil
	}
	err := sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
		"ON CONFLICT does not support deferrable unique constraints/exclusion constraints as arbiters")
	err.Schema, err.Table, err.Constraint = w.table.Schema, w.table.Name, l.name
	return err
}

// entry is the key of the extra entry of a row, if it has one, which only its own transaction can have made.
func (w deferring) entry(l *layout, row types.Row) (store.Key, bool, error) {
	tied := l.codec.TiedKey(row)
	if l.codec.KeyHasNull(row) || !w.env.Txn.Wrote(l.space, tied) {
		return tied, false, nil
	}
	found, err := w.env.Txn.Get(w.ctx, l.space, &store.Get{Keys: []store.Key{tied}, Stats: &w.profile.Stats},
		types.NewBatch(0))
	if err != nil {
		return tied, false, w.storeError(err, "get from", l.space.Name)
	}
	return tied, found[0], nil
}

// note notes an extra entry that is put.
func (w deferring) note(l *layout, row types.Row, tied store.Key) error {
	key := l.codec.Key(row)
	return w.env.addExtra(w.frame, w.table, l,
		types.Row{types.NewBytes(key.Partition), types.NewBytes(key.Sort), types.NewBytes(tied.Sort)})
}

// addExtra notes an extra entry that is to be checked.
func (e *Env) addExtra(f frame, t *table, l *layout, key types.Row) error {
	if e.extras == nil {
		e.extras = &extraQueue{held: f.hold()}
	}
	q := e.extras
	at := len(q.list)
	for i, x := range q.list {
		if x.layout == l {
			at = i
		}
	}
	if at == len(q.list) {
		q.list = append(q.list, &extras{table: t, layout: l})
	}
	q.list[at].keys = append(q.list[at].keys, key)
	return q.held.addRow(key)
}

// checkExtras checks the extra entries of a statement, unless that waits for the end of the transaction. Those of a
// statement within another one are left to that.
func (f keyKeeper) checkExtras() error {
	todo := f.env.extras
	if f.env.extras = nil; todo == nil {
		return nil
	}
	defer todo.held.release()
	for _, x := range todo.list {
		if err := f.checkOrLeave(x); err != nil {
			return err
		}
	}
	return nil
}

func (f keyKeeper) checkOrLeave(x *extras) error {
	session := f.env.References
	switch {
	case f.env.outer != nil:
		for _, key := range x.keys {
			if err := f.env.outer.addExtra(f.frame, x.table, x.layout, key); err != nil {
				return err
			}
		}
		return nil
	case session != nil && session.Deferred(x.layout.index.ID, x.layout.index.Layout.Timing):
		return session.DeferUnique(x.table.ID, x.layout.index.ID, x.keys)
	}
	return f.check(x)
}

// check moves extra entries to their keys, which no other rows must have by now.
func (f keyKeeper) check(x *extras) error {
	w := &writer{frame: f.frame, table: x.table, profile: f.profile()}
	for _, key := range x.keys {
		if err := (deferring{w}).check(x.layout, key); err != nil {
			return err
		}
	}
	return nil
}

// check checks one extra entry, if it is still there.
func (w deferring) check(l *layout, at types.Row) error {
	key := store.Key{Partition: at[0].Bytes(), Sort: at[1].Bytes()}
	tied := store.Key{Partition: key.Partition, Sort: at[2].Bytes()}
	columns := make([]int, len(l.stored))
	for i := range columns {
		columns[i] = i
	}
	entry := types.NewBatch(len(columns))
	found, err := w.env.Txn.Get(w.ctx, l.space, &store.Get{Keys: []store.Key{tied}, Columns: columns,
		Stats: &w.profile.Stats}, entry)
	if err != nil {
		return w.storeError(err, "get from", l.space.Name)
	}
	if !found[0] {
		return nil
	}
	var p placement
	if err := w.ask(l, []store.Key{key}, []*placement{&p}); err != nil {
		return err
	}
	if p.taken {
		row := make(types.Row, len(w.table.Columns))
		for i, column := range l.stored {
			row[column] = entry.Row(0)[i]
		}
		return w.uniqueViolation(l, row)
	}
	if err = w.deleteItem(l, tied, store.Always); err == nil {
		err = w.putItem(l, store.Item{Key: key, Values: entry.Row(0)}, store.Unchanged)
	}
	if err != nil {
		return w.storeError(err, "put into", l.space.Name)
	}
	return nil
}

// CheckUnique checks keys of an index whose check was deferred.
func (e *Env) CheckUnique(ctx context.Context, t *catalog.Table, x *catalog.Index, keys []types.Row) error {
	f := keyKeeper{frame{ctx: ctx, env: e}}
	f.bind()
	of, err := e.Tables.of(t)
	if err != nil {
		return err
	}
	l, err := of.layoutOf(x)
	if err != nil {
		return err
	}
	return f.check(&extras{table: of, layout: l, keys: keys})
}

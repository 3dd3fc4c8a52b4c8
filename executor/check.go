package executor

import (
	"context"

	"zproxy/catalog"
	"zproxy/planner/expr"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// CheckIndex compares an index with the rows of its table: each row that it holds has its
// entry, with the values that the row has, and there are no more entries than such rows.
func CheckIndex(ctx context.Context, txn store.Txn, tables *Tables, t *catalog.Table, x *catalog.Index) error {
	w, err := newWriter(frame{ctx: ctx, env: &Env{Txn: txn, Tables: tables, Expr: &expr.Context{Env: &types.Env{}}}}, t)
	if err != nil {
		return err
	}
	l, err := w.table.layoutOf(x)
	if err != nil {
		return err
	}
	rows, entries := 0, 0
	for batch, err := range everything(ctx, txn, tables, t, nil) {
		held := 0
		if err == nil {
			held, err = w.checkEntries(l, batch)
		}
		if err != nil {
			return err
		}
		rows += held
	}
	for batch, err := range everything(ctx, txn, tables, t, x) {
		if err != nil {
			return err
		}
		entries += batch.Len()
	}
	if rows != entries {
		return sqlerr.New(sqlerr.DataCorrupted, "index \"%s\" has %d entries for %d rows", x.Name, entries, rows)
	}
	return nil
}

// checkEntries compares the entries of some rows with what they should be, and says how many
// of the rows have one.
func (w *writer) checkEntries(l *layout, rows *types.Batch) (int, error) {
	get := store.Get{Stats: &w.profile.Stats}
	for i := range l.stored {
		get.Columns = append(get.Columns, i)
	}
	var held []types.Row
	for i := range rows.Len() {
		if row := rows.Row(i); l.holds(row) {
			held, get.Keys = append(held, row), append(get.Keys, l.codec.Key(row))
		}
	}
	if held == nil {
		return 0, nil
	}
	entries := types.NewBatch(len(l.stored))
	found, err := w.env.Txn.Get(w.ctx, l.space, &get, entries)
	if err != nil {
		return 0, w.storeError(err, "get from", l.space.Name)
	}
	for i, ok := range found {
		row := held[i]
		if !ok {
			return 0, sqlerr.New(sqlerr.DataCorrupted, "index \"%s\" has no entry for row (%s)", l.index.Name, w.rowText(row))
		}
		for at, c := range l.stored {
			if !identical(row[c], entries.Row(i)[at], w.table.Columns[c].Type) {
				return 0, sqlerr.New(sqlerr.DataCorrupted, "index \"%s\" has another value of column \"%s\" for row (%s)",
					l.index.Name, w.table.Columns[c].Name, w.rowText(row))
			}
		}
	}
	return len(held), nil
}

package executor

import (
	"context"
	"slices"

	"zproxy/encoding/cells"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// Arrivals are rows of another store, whose cells have timestamps. They are merged into the rows of a table with the
// same keys.
type Arrivals struct {
	Txn    store.Txn
	Tables *Tables
	Table  plan.Indexed
	Checks []plan.Check
	Expr   *expr.Context
}

// Merge merges rows, which are not kept, and says how many rows of the table are others now. What is there only for the
// timestamp of a delete counts as a row.
func (a *Arrivals) Merge(ctx context.Context, rows []types.Row) (int, error) {
	env := &Env{Txn: a.Txn, Tables: a.Tables, Expr: a.Expr, Store: a.Tables.Store}
	all, err := newWriter(frame{ctx: ctx, env: env}, a.Table)
	if err != nil {
		return 0, err
	}
	w := timed{all}
	w.checks, w.looked = a.Checks, []int{0}
	if rows, err = w.united(rows); err != nil {
		return 0, err
	}
	there, _, err := w.holders(w.table.rows, rows)
	if err != nil {
		return 0, err
	}
	var changes []change
	for i, row := range rows {
		c := change{old: there[i], new: row}
		if c.old != nil {
			c.new = slices.Clone(c.old)
			if err := w.unite(c.new, row); err != nil {
				return 0, err
			}
			if w.sameItem(w.table.rows, c) {
				continue
			}
		}
		if err := w.check(c.new); err != nil {
			return 0, err
		}
		changes = append(changes, c)
	}
	n, err := w.apply(changes)
	return int(n), err
}

// united are rows of which no two have the same key.
func (w timed) united(rows []types.Row) ([]types.Row, error) {
	var out []types.Row
	at := map[string]int{}
	for _, row := range rows {
		if err := w.checkKeyValues(row); err != nil {
			return nil, err
		}
		id := claimKey(0, w.table.rows.codec.Key(row))
		i, found := at[id]
		if !found {
			at[id] = len(out)
			out = append(out, row)
			continue
		}
		if err := w.unite(out[i], row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// unite merges a row into another one with the same key.
func (w timed) unite(into, from types.Row) error {
	var states [2]cells.State
	for i, row := range []types.Row{into, from} {
		var err error
		if states[i], err = w.table.cells.State(row); err != nil {
			return err
		}
	}
	w.table.cells.Merge(into, states[0], from, states[1])
	return nil
}

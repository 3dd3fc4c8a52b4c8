package executor

import (
	"context"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Carried makes items of rows, as they are read from a table: they carry the keys of the rows in the indexes that the
// store keeps. The item is good until the next one is made.
func (ts *Tables) Carried(ctx context.Context, t plan.Indexed, values *expr.Context) (
	func(types.Row) (types.Row, error), error) {
	f := frame{ctx: ctx, env: &Env{Tables: ts, Expr: values}}
	f.interruptible()
	w, err := newWriter(f, t)
	if err != nil {
		return nil, err
	}
	return func(row types.Row) (types.Row, error) {
		if err := w.compute(row); err != nil {
			return nil, err
		}
		w.values = w.table.rows.item(w.values[:0], row)
		return w.values, nil
	}, nil
}

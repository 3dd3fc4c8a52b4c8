package executor

import (
	"zproxy/planner/expr"
	"zproxy/types"
)

// filter passes on the rows for which all conditions are true, and counts the others.
func filter(f frame, input Rows, conds []expr.Expr, removed *int64) Rows {
	if len(conds) == 0 {
		return input
	}
	return func(yield func(*types.Batch, error) bool) {
		out := types.NewBatch(0)
		for batch, err := range input {
			if err == nil {
				err = f.canceled()
			}
			if err == nil {
				out.Reset(batch.Width())
				err = keep(out, batch, conds, f.env.Expr)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			*removed += int64(batch.Len() - out.Len())
			if out.Len() > 0 && !yield(out, nil) {
				return
			}
		}
	}
}

// keep copies the rows for which all conditions are true.
func keep(out, in *types.Batch, conds []expr.Expr, c *expr.Context) error {
	for i := range in.Len() {
		row := in.Row(i)
		ok, err := holds(conds, c, row)
		if err != nil {
			return err
		}
		if ok {
			out.Append(row)
		}
	}
	return nil
}

// holds says whether all conditions are true for a row.
func holds(conds []expr.Expr, c *expr.Context, row types.Row) (bool, error) {
	for _, cond := range conds {
		v, err := cond.Eval(c, row)
		if err != nil || !v.IsTrue() {
			return false, err
		}
	}
	return true, nil
}

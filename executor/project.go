package executor

import (
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// project delivers one row of expressions for each row of its input.
func project(f frame, n plan.Project) Rows {
	input := f.input(n.Input)
	if passes(n) {
		return input
	}
	return func(yield func(*types.Batch, error) bool) {
		out := f.env.Tables.batches.Get(len(n.Exprs))
		defer f.env.Tables.batches.Put(out)
		for batch, err := range input {
			if err == nil {
				err = f.canceled()
			}
			out.Reset(len(n.Exprs))
			for i := 0; err == nil && i < batch.Len(); i++ {
				err = evaluate(out.Extend(), n.Exprs, f.env.Expr, batch.Row(i))
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

// passes says whether the rows of a projection are those of a scan below as they are. The scan
// asks for itself whether the statement is to stop.
func passes(n plan.Project) bool {
	scan, ok := n.Input.(plan.Scan)
	if !ok || len(n.Exprs) != len(scan.Cols) {
		return false
	}
	for i, e := range n.Exprs {
		if column, ok := e.(expr.Column); !ok || column.Index != i {
			return false
		}
	}
	return true
}

// evaluate fills dst with the values of expressions for a row.
func evaluate(dst []types.Value, exprs []expr.Expr, c *expr.Context, row types.Row) error {
	for i, e := range exprs {
		if column, ok := e.(expr.Column); ok {
			dst[i] = row[column.Index]
			continue
		}
		v, err := e.Eval(c, row)
		if err != nil {
			return err
		}
		dst[i] = v
	}
	return nil
}

// values delivers rows of expressions that read no columns.
func values(f frame, n plan.Values) Rows {
	return func(yield func(*types.Batch, error) bool) {
		out := types.NewBatch(len(n.Cols))
		for i, exprs := range n.Rows {
			if err := evaluate(out.Add(), exprs, f.env.Expr, nil); err != nil {
				yield(nil, err)
				return
			}
			if last := i == len(n.Rows)-1; !last && !out.Full() {
				continue
			}
			if err := f.canceled(); err != nil {
				yield(nil, err)
				return
			}
			if !yield(out, nil) {
				return
			}
			out.Reset(len(n.Cols))
		}
	}
}

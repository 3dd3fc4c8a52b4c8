package executor

import (
	"zproxy/expr"
	"zproxy/types"
)

// filter passes on the rows for which all conditions are true, and counts the others. It
// drops them from the batch that it is given.
func filter(f frame, input Rows, conds []expr.Expr, removed *int64) Rows {
	if len(conds) == 0 {
		return input
	}
	return func(yield func(*types.Batch, error) bool) {
		tests := expr.Predicates(conds, f.env.Expr)
		for batch, err := range input {
			if err == nil {
				err = f.canceled()
			}
			before := 0
			if err == nil {
				before = batch.Len()
				err = keep(batch, tests)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			*removed += int64(before - batch.Len())
			if batch.Len() > 0 && !yield(batch, nil) {
				return
			}
		}
	}
}

// keep leaves the rows in a batch for which all tests hold.
func keep(batch *types.Batch, tests []expr.Predicate) error {
	kept := 0
	for i := range batch.Len() {
		row := batch.Row(i)
		ok, err := all(tests, row)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if kept < i {
			copy(batch.Row(kept), row)
		}
		kept++
	}
	batch.Truncate(kept)
	return nil
}

func all(tests []expr.Predicate, row types.Row) (bool, error) {
	for _, test := range tests {
		if ok, err := test(row); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

package executor

import (
	"errors"
	"math"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// limit passes on count rows after skipping offset. It asks for no batch past the one
// with the last row that it needs, so a scan below it can stop.
func limit(f frame, input Rows, offset, count int64) Rows {
	if count == 0 {
		return nothing
	}
	return func(yield func(*types.Batch, error) bool) {
		skip, left := offset, count
		part := types.NewBatch(0)
		for batch, err := range input {
			if err == nil {
				err = f.canceled()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			from := min(skip, int64(batch.Len()))
			to := from + min(left, int64(batch.Len())-from)
			skip -= from
			left -= to - from
			if from == to {
				continue
			}
			if to-from < int64(batch.Len()) {
				part.Reset(batch.Width())
				for i := from; i < to; i++ {
					part.Append(batch.Row(int(i)))
				}
				batch = part
			}
			if !yield(batch, nil) || left == 0 {
				return
			}
		}
	}
}

func limitNode(f frame, n plan.Limit) Rows {
	offset, count, err := window(&n, f.env.Expr)
	if err != nil {
		return failed(err)
	}
	if n.Ties != nil && count > 0 {
		return ties(f, n, offset, count)
	}
	input := f.input(n.Input)
	if n.Marked {
		input = f.env.Resume.noting(input, offset)
	}
	return limit(f, input, offset, count)
}

// ties passes on count rows after skipping offset, and those behind that equal the last of
// them.
func ties(f frame, n plan.Limit, offset, count int64) Rows {
	return produce(f, plan.Width(n), func(out *output) error {
		last, key := make(types.Row, len(n.Ties)), make(types.Row, len(n.Ties))
		seen := int64(0)
		err := out.each(f.input(n.Input), func(row types.Row) error {
			if seen++; seen <= offset {
				return nil
			}
			for i, k := range n.Ties {
				v, err := k.Expr.Eval(f.env.Expr, row)
				if err != nil {
					return err
				}
				key[i] = v
			}
			if seen-offset > count && !sameValues(last, key) {
				return errEnough
			}
			copy(last, key)
			return out.append(row)
		})
		if err == errEnough {
			return nil
		}
		return err
	})
}

// errEnough ends a loop over rows of which no more are needed.
var errEnough = errors.New("no more rows are needed")

// window computes how many rows a limit skips, and how many it passes on.
func window(n *plan.Limit, c *expr.Context) (offset, count int64, err error) {
	offset, err = bound(n.Offset, 0, c)
	if err != nil {
		return 0, 0, err
	}
	if offset < 0 {
		return 0, 0, sqlerr.New(sqlerr.InvalidRowCountInOffset, "OFFSET must not be negative")
	}
	count, err = bound(n.Count, math.MaxInt64, c)
	if err != nil {
		return 0, 0, err
	}
	if count < 0 {
		return 0, 0, sqlerr.New(sqlerr.InvalidRowCountInLimit, "LIMIT must not be negative")
	}
	if n.Passed > 0 {
		offset, count = 0, max(count-n.Passed, 0)
	}
	return offset, count, nil
}

func bound(e expr.Expr, missing int64, c *expr.Context) (int64, error) {
	if e == nil {
		return missing, nil
	}
	v, err := e.Eval(c, nil)
	if err != nil || v.IsNull() {
		return missing, err
	}
	return v.Int(), nil
}

// wanted is how many rows of its input a limit needs at the most. No limit needs all.
func wanted(n *plan.Limit, c *expr.Context) (int64, error) {
	if n == nil {
		return math.MaxInt64, nil
	}
	offset, count, err := window(n, c)
	switch {
	case err != nil || count == 0:
		return 0, err
	case n.Ties != nil:
		return math.MaxInt64, nil
	case offset > math.MaxInt64-count:
		return math.MaxInt64, nil
	}
	return offset + count, nil
}

package executor

import (
	"iter"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// functionScan delivers the rows of functions side by side.
func functionScan(f frame, n plan.FunctionScan) Rows {
	return produce(f, len(n.Cols), func(out *output) error {
		number := int64(0)
		return sideBySide(f, n.Calls, nil, func(parts []types.Row) error {
			row, err := out.add()
			if err != nil {
				return err
			}
			at := 0
			for i, part := range parts {
				copy(row[at:], part)
				at += setWidth(n.Calls[i])
			}
			if number++; n.Ordinality {
				row[at] = types.NewInt(number)
			}
			return nil
		})
	})
}

// projectSet delivers, for each row of its input, that row with the rows of functions.
func projectSet(f frame, n plan.ProjectSet) Rows {
	return produce(f, len(n.Cols), func(out *output) error {
		return out.each(f.input(n.Input), func(in types.Row) error {
			return sideBySide(f, n.Calls, in, func(parts []types.Row) error {
				row, err := out.add()
				if err != nil {
					return err
				}
				copy(row, in)
				for i, part := range parts {
					if part != nil {
						row[len(in)+i] = setValue(n.Calls[i], part)
					}
				}
				return nil
			})
		})
	})
}

// setWidth is how many columns the rows of a function have.
func setWidth(c expr.Call) int { return max(len(c.Fn.Out), 1) }

// setValue is a row of a function as one value.
func setValue(c expr.Call, row types.Row) types.Value {
	if len(row) == 1 && (c.Fn.Out == nil || c.T.Def == nil) {
		return row[0]
	}
	r := &types.RecordValue{Values: append([]types.Value(nil), row...)}
	for i, col := range c.Fn.Out {
		r.Names, r.Types = append(r.Names, col.Name), append(r.Types, c.OutType(i))
	}
	return types.NewRecord(r)
}

// sideBySide calls do with the next row of every set, nil for one that has ended, until
// all have.
func sideBySide(f frame, calls []expr.Call, row types.Row, do func([]types.Row) error) error {
	if len(calls) == 1 {
		parts := make([]types.Row, 1)
		for item, err := range setOf(f, calls[0], row) {
			if parts[0] = item; err == nil {
				err = do(parts)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	next := make([]func() (types.Row, error, bool), len(calls))
	for i, c := range calls {
		var stop func()
		next[i], stop = iter.Pull2(setOf(f, c, row))
		defer stop()
	}
	for parts := make([]types.Row, len(calls)); ; {
		more := false
		for i := range next {
			item, err, ok := next[i]()
			if err != nil {
				return err
			}
			if parts[i] = item; !ok {
				parts[i] = nil
			}
			more = more || ok
		}
		if !more {
			return nil
		}
		if err := do(parts); err != nil {
			return err
		}
	}
}

// setOf is what a function returns. One that returns no set has one row. A NULL argument
// leaves no rows, unless the function wants to see it.
func setOf(f frame, call expr.Call, row types.Row) expr.Set {
	return func(yield func(types.Row, error) bool) {
		if call.Fn.Rows == nil {
			v, err := call.Eval(f.env.Expr, row)
			yield(types.Row{v}, err)
			return
		}
		args := make([]types.Value, len(call.Args))
		if err := evaluate(args, call.Args, f.env.Expr, row); err != nil {
			yield(nil, err)
			return
		}
		for _, v := range args {
			if v.IsNull() && !call.Fn.NotStrict {
				return
			}
		}
		for item, err := range call.Fn.Rows(f.env.Expr, args) {
			if !yield(item, err) || err != nil {
				return
			}
		}
	}
}

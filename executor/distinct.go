package executor

import (
	"zproxy/planner/plan"
	"zproxy/types"
)

// distinct passes on each different row once, when it first comes. With On the values of
// On make rows different.
func distinct(f frame, n plan.Distinct) Rows {
	return produce(f, plan.Width(n), func(out *output) error {
		held := f.hold()
		defer f.keptAtMost(&held)
		seen := newRowSet(&held, columnTypes(n.Columns())...)
		if n.On != nil {
			seen = newRowSet(&held, typesOf(n.On)...)
		}
		key := make(types.Row, len(n.On))
		return out.each(f.input(n.Input), func(row types.Row) error {
			by := row
			if n.On != nil {
				if err := evaluate(key, n.On, f.env.Expr, row); err != nil {
					return err
				}
				by = key
			}
			if added, err := seen.add(by); err != nil || !added {
				return err
			}
			return out.append(row)
		})
	})
}

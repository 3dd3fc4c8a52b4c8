package executor

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// argumentList keeps the arguments of one aggregate until all rows of its group are known,
// since they are added in an order: that of the call, and where each different row counts
// once behind it that of the arguments.
type argumentList struct {
	keys []plan.SortKey // over a row of the group
	seen *rowSet        // nil: each row counts
	rows []types.Row    // the keys, then the arguments
	kept slab
}

func newArgumentList(call *plan.AggregateCall, held *hold) *argumentList {
	l := &argumentList{keys: call.Order}
	l.kept.width = len(call.Order) + len(call.Args)
	if call.Distinct {
		seen := newRowSet(held, typesOf(call.Args)...)
		l.seen = &seen
	}
	return l
}

// add keeps the arguments of a row.
func (l *argumentList) add(args, row types.Row, c *expr.Context, held *hold) error {
	if l.seen != nil {
		if added, err := l.seen.add(args); err != nil || !added {
			return err
		}
	}
	kept := l.kept.add()
	for i, k := range l.keys {
		v, err := k.Expr.Eval(c, row)
		if err != nil {
			return err
		}
		kept[i] = v
	}
	copy(kept[len(l.keys):], args)
	l.rows = append(l.rows, kept)
	return held.addRow(kept)
}

// each calls do with all arguments in their order.
func (l *argumentList) each(f frame, do func(types.Row) error) error {
	if err := sortBy(f, slices.SortStableFunc, l.rows, l.compare); err != nil {
		return err
	}
	for i, row := range l.rows {
		if err := f.canceledAt(i + 1); err != nil {
			return err
		}
		if err := do(row[len(l.keys):]); err != nil {
			return err
		}
	}
	return nil
}

func (l *argumentList) compare(a, b types.Row) int {
	for i := range a {
		k := plan.SortKey{}
		if i < len(l.keys) {
			k = l.keys[i]
		} else if l.seen == nil {
			return 0
		}
		if order := compareBy(k, a[i], b[i]); order != 0 {
			return order
		}
	}
	return 0
}

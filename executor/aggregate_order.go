package executor

import (
	mathbits "math/bits"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// argumentList keeps the arguments of one aggregate until all rows of its group are known,
// since they are added in an order: that of the call, and where each different row counts
// once behind it that of the arguments.
type argumentList struct {
	keys  []plan.SortKey // over a row of the group
	seen  *rowSet        // nil: each row counts
	width int            // of a row: the keys, then the arguments
	pages [][]types.Value
	count int // rows
}

func newArgumentList(call *plan.AggregateCall, held *hold) *argumentList {
	l := &argumentList{keys: call.Order, width: len(call.Order) + len(call.Args)}
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
	page, at := pageOf(l.count)
	if at == 0 {
		l.pages = append(l.pages, make([]types.Value, l.width<<min(page, pageBits)))
	}
	kept := l.row(l.count)
	l.count++
	for i, k := range l.keys {
		v, err := k.Expr.Eval(c, row)
		if err != nil {
			return err
		}
		kept[i] = v
	}
	copy(kept[len(l.keys):], args)
	return held.addRow(kept)
}

// pageBits is of the number of rows in a page. The first pages are smaller: of one row, of two, and so on.
const pageBits = 8

// pageOf is the page of a row, and its number there.
func pageOf(row int) (page, at int) {
	const small = 1<<pageBits - 1 // rows of smaller pages
	if row < small {
		page = mathbits.Len(uint(row+1)) - 1
		return page, row + 1 - 1<<page
	}
	return pageBits + (row-small)>>pageBits, (row - small) & (1<<pageBits - 1)
}

// row is the row with a number.
func (l *argumentList) row(i int) types.Row {
	page, at := pageOf(i)
	return l.pages[page][at*l.width:][:l.width:l.width]
}

// each calls do with all arguments in their order.
func (l *argumentList) each(f frame, do func(types.Row) error) error {
	held := f.hold()
	defer held.release()
	if err := held.add(2 * sortItemBytes * int64(l.count)); err != nil {
		return err
	}
	var first plan.SortKey
	if len(l.keys) > 0 {
		first = l.keys[0]
	}
	items := make([]sortItem, l.count)
	for i := range items {
		if err := f.canceledAt(i + 1); err != nil {
			return err
		}
		items[i] = sortItem{prefix: prefix(first, l.row(i)[0]), row: int32(i)}
	}
	_, err := sortItems(f, items, nil, func(a, b sortItem) int {
		return l.compare(l.row(int(a.row)), l.row(int(b.row)))
	})
	if err != nil {
		return err
	}
	for i := range items {
		if err := f.canceledAt(i + 1); err != nil {
			return err
		}
		if err := do(l.row(int(items[i].row))[len(l.keys):]); err != nil {
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

package executor

import (
	"math"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// distinct passes on each different row once, when it first comes. With On the values of
// On make rows different.
func distinct(f frame, n plan.Distinct) Rows {
	return produce(f, plan.Width(n), func(out *output) error {
		held := f.hold()
		defer f.keptAtMost(&held)
		d := newDistinction(f, n, &held, 0)
		defer func() { d.off.close() }()
		err := out.each(f.input(n.Input), func(row types.Row) error {
			if first, err := d.first(row, nil); err != nil || !first {
				return err
			}
			return out.append(row)
		})
		if err != nil || d.off == nil {
			return err
		}
		return d.rest(out)
	})
}

// distinction tells the first row of each key from others.
type distinction struct {
	frame
	plan.Distinct
	level  int // of the part that the rows are of; 0: they are all
	seen   rowSet
	held   *hold
	key    types.Row
	off    *putOff // rows behind their numbers; nil: there are none
	number int64
	next   types.Row
}

func newDistinction(f frame, n plan.Distinct, held *hold, level int) *distinction {
	d := &distinction{frame: f, Distinct: n, level: level, held: held, key: make(types.Row, len(n.On))}
	d.seen = newRowSet(held, columnTypes(n.Columns())...)
	if n.On != nil {
		d.seen = newRowSet(held, typesOf(n.On)...)
	}
	return d
}

// first says whether a row is the first one of its key. One that is put off is not, as yet: it keeps the number that it
// has, or gets the next one.
func (d *distinction) first(row types.Row, number *int64) (bool, error) {
	by := row
	if d.On != nil {
		if err := evaluate(d.key, d.On, d.env.Expr, row); err != nil {
			return false, err
		}
		by = d.key
	}
	full := d.off != nil || spills(d.level) && d.held.bytes > d.workMemory()
	at, there := d.seen.at(by, !full)
	switch {
	case there:
		return false, nil
	case at >= 0:
		return true, d.seen.hold()
	}
	if d.off == nil {
		d.off = &putOff{frame: d.frame, level: d.level + 1, width: 1 + plan.Width(d.Distinct)}
	}
	if number == nil {
		d.number++
		number = &d.number
	}
	d.next = append(append(d.next[:0], types.NewInt(*number)), row...)
	return false, d.off.addBy(by, d.next)
}

// rest delivers what comes of the rows that were put off, in the order in which they came.
func (d *distinction) rest(out *output) error {
	order := []plan.SortKey{{Expr: expr.Column{Index: 0, T: types.Int8}}}
	sorted := newSorter(d.frame, order, 1+plan.Width(d.Distinct), math.MaxInt64)
	defer sorted.close()
	if err := d.parts(sorted); err != nil {
		return err
	}
	return sorted.each(func(row types.Row) error { return out.append(row[1:]) })
}

// parts finds the first rows among those that were put off.
func (d *distinction) parts(sorted *sorter) error {
	p := d.profile()
	p.Memory = max(p.Memory, d.held.bytes)
	d.held.release()
	d.seen = rowSet{}
	return d.off.each(func(rows rowsOf) error {
		part := newDistinction(d.frame, d.Distinct, d.held, d.level+1)
		defer func() { part.off.close() }()
		err := rows(func(row types.Row) error {
			number := row[0].Int()
			first, err := part.first(row[1:], &number)
			if err != nil || !first {
				return err
			}
			return sorted.add(row, d.env.Expr)
		})
		if err == nil && part.off != nil {
			err = part.parts(sorted)
		}
		d.held.release()
		return err
	})
}

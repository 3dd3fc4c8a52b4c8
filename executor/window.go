package executor

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// windowed delivers the rows of its input with values of functions over the partitions that
// they belong to. It keeps one partition at a time.
func windowed(f frame, n plan.Window) Rows {
	if !slices.ContainsFunc(n.Calls, func(c plan.WindowCall) bool { return !c.Ranks() }) {
		return ranked(f, n)
	}
	return produce(f, len(n.Cols), func(out *output) error {
		p := newPartition(f, n)
		defer p.held.release()
		err := out.each(f.input(n.Input), func(row types.Row) error {
			first, err := p.next(row)
			if err != nil {
				return err
			}
			if first && len(p.rows) > 0 {
				if err := p.finish(out); err != nil {
					return err
				}
			}
			return p.add(row)
		})
		if err != nil || len(p.rows) == 0 {
			return err
		}
		return p.finish(out)
	})
}

// partition is the rows that functions over a window see at a time.
type partition struct {
	frame
	plan.Window
	types [][]types.T // of the arguments of each call
	key   types.Row   // of the partition
	probe types.Row
	rows  []types.Row
	slab  slab
	keys  []types.Row // the values of Order of each row
	order slab
	held  hold
	width int // of the input
	// starts are where groups of peers begin, and at the end how many rows there are;
	// group is the number of the group of each row.
	starts []int
	group  []int
	frames []frameOffsets // of the calls
}

func newPartition(f frame, n plan.Window) *partition {
	p := &partition{frame: f, Window: n, held: f.hold(), width: plan.Width(n.Input)}
	p.key, p.probe = make(types.Row, len(n.Partition)), make(types.Row, len(n.Partition))
	p.slab.width, p.order.width = p.width, len(n.Order)
	for _, call := range n.Calls {
		p.types = append(p.types, typesOf(call.Args))
	}
	return p
}

// typesOf are the types of expressions.
func typesOf(list []expr.Expr) []types.T {
	out := make([]types.T, len(list))
	for i, e := range list {
		out[i] = e.Type()
	}
	return out
}

// next says whether a row is the first of another partition.
func (p *partition) next(row types.Row) (bool, error) {
	if len(p.Partition) == 0 {
		return false, nil
	}
	if err := evaluate(p.probe, p.Partition, p.env.Expr, row); err != nil {
		return false, err
	}
	if sameValues(p.key, p.probe) && len(p.rows) > 0 {
		return false, nil
	}
	p.key, p.probe = p.probe, p.key
	return true, nil
}

// sameValues says whether rows are equal, NULLs being equal to each other.
func sameValues(a, b types.Row) bool {
	for i := range a {
		if a[i].IsNull() != b[i].IsNull() || !a[i].IsNull() && !types.Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// add keeps a row, and what orders it.
func (p *partition) add(row types.Row) error {
	kept, key := p.slab.add(), p.order.add()
	copy(kept, row)
	for i, k := range p.Order {
		var err error
		if key[i], err = k.Expr.Eval(p.env.Expr, row); err != nil {
			return err
		}
	}
	at := len(p.rows)
	if at == 0 || !sameValues(p.keys[at-1], key) {
		p.starts = append(p.starts, at)
	}
	p.rows, p.keys = append(p.rows, kept), append(p.keys, key)
	p.group = append(p.group, len(p.starts)-1)
	return p.held.add(rowBytes(kept) + rowBytes(key))
}

// finish delivers the rows of a partition and forgets them.
func (p *partition) finish(out *output) error {
	p.starts = append(p.starts, len(p.rows))
	if p.frames == nil {
		for _, call := range p.Calls {
			b, err := p.offsets(call.Frame)
			if err != nil {
				return err
			}
			p.frames = append(p.frames, b)
		}
	}
	if err := p.deliver(out); err != nil {
		return err
	}
	width := p.slab.width
	p.rows, p.keys, p.starts, p.group = p.rows[:0], p.keys[:0], p.starts[:0], p.group[:0]
	p.slab, p.order = slab{width: width}, slab{width: len(p.Order)}
	p.held.release()
	return nil
}

// deliver computes the functions row by row, since what they make may be large.
func (p *partition) deliver(out *output) error {
	values := make([]func() (types.Value, error), len(p.Calls))
	at := make([]windowRow, len(p.Calls))
	for i := range p.Calls {
		call := &p.Calls[i]
		at[i] = windowRow{partition: p, call: call, offsets: p.frames[i], kept: p.hold()}
		defer at[i].kept.release()
		values[i] = at[i].aggregate(p.types[i])
		if call.Fn != nil {
			fn := call.Fn.New()
			values[i] = func() (types.Value, error) { return fn.Value(p.env.Expr, &at[i]) }
		}
	}
	for position, kept := range p.rows {
		row, err := out.add()
		if err != nil {
			return err
		}
		copy(row, kept)
		for i := range p.Calls {
			at[i].row, at[i].framed = position, false
			v, err := values[i]()
			if err == nil {
				err = at[i].err
			}
			if err != nil {
				return err
			}
			row[p.width+i] = v
		}
		if ok, err := runsOn(p.Window, p.env.Expr, row[p.width:]); err != nil || !ok {
			out.undo()
			return err
		}
	}
	return nil
}

// runsOn says whether a row with some values of the calls comes out, and perhaps others behind it.
func runsOn(n plan.Window, c *expr.Context, values types.Row) (bool, error) {
	for _, cond := range n.Run {
		v, err := cond.Eval(c, values)
		if err != nil || !v.IsTrue() {
			return false, err
		}
	}
	return true, nil
}

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
		defer p.clear()
		err := out.each(f.input(n.Input), func(row types.Row) error {
			first, err := p.next(row)
			if err != nil {
				return err
			}
			if first && p.rows.count > 0 {
				if err := p.finish(out); err != nil {
					return err
				}
			}
			return p.add(row)
		})
		if err != nil || p.rows.count == 0 {
			return err
		}
		return p.finish(out)
	})
}

// partition is the rows that functions over a window see at a time. They go to a file when they are too large.
type partition struct {
	frame
	plan.Window
	types [][]types.T // of the arguments of each call
	key   types.Row   // of the partition
	probe types.Row
	rows  pagedList[types.Row] // of the input, with the values of Order behind
	// starts are where groups of peers begin, and at the end how many rows there are.
	starts pagedList[int]
	made   types.Row // where the next row goes
	before types.Row // the row that was added last
	slab   slab      // of rows in memory
	held   hold
	width  int            // of the input
	frames []frameOffsets // of the calls
	present
}

// present is the row that values are computed for.
type present struct {
	row        types.Row
	position   int
	group      int // of its peers
	first, end int // the numbers of the first of them, and of the one behind the last
}

func newPartition(f frame, n plan.Window) *partition {
	p := &partition{frame: f, Window: n, held: f.hold(), width: plan.Width(n.Input)}
	p.key, p.probe = make(types.Row, len(n.Partition)), make(types.Row, len(n.Partition))
	width := p.width + len(n.Order)
	pages := 2 + 2*len(n.Calls) // around the present row, and around the ends of frames
	p.rows = pagedList[types.Row]{frame: f, held: &p.held, form: &rowForm{width: width}, fewest: pages}
	p.starts = pagedList[int]{frame: f, held: &p.held, form: numberForm{}, fewest: pages}
	p.slab.width = width
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
	if p.rows.count > 0 && sameValues(p.key, p.probe) {
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
	if p.made == nil {
		p.made = p.slab.add()
	}
	kept, key := p.made, p.made[p.width:]
	copy(kept, row)
	for i, k := range p.Order {
		var err error
		if key[i], err = k.Expr.Eval(p.env.Expr, row); err != nil {
			return err
		}
	}
	if p.rows.count == 0 || !sameValues(p.before[p.width:], key) {
		if err := p.starts.add(p.rows.count); err != nil {
			return err
		}
	}
	if err := p.rows.add(kept); err != nil {
		return err
	}
	if p.before, p.made = kept, p.before; !p.rows.inFile() {
		p.made = nil // the row before stays
	}
	return p.unload()
}

// unload moves to files what is too large.
func (p *partition) unload() error {
	most := p.workMemory()
	if !p.rows.inFile() && p.held.bytes > most {
		p.held.note(p.profile())
		if err := p.rows.toFile(most / 4 * 3); err != nil {
			return err
		}
		p.before, p.slab = slices.Clone(p.before), slab{width: p.slab.width}
	}
	if p.rows.inFile() && !p.starts.inFile() && p.starts.bytes > most/8 {
		return p.starts.toFile(most / 8)
	}
	return nil
}

// clear forgets all rows.
func (p *partition) clear() {
	p.keptAtMost(&p.held)
	p.rows.clear()
	p.starts.clear()
	p.before, p.made = nil, nil
	p.slab.reuse()
}

// finish delivers the rows of a partition and forgets them.
func (p *partition) finish(out *output) error {
	err := p.starts.add(p.rows.count)
	if err == nil {
		err = p.starts.end()
	}
	if err == nil {
		err = p.rows.end()
	}
	if err != nil {
		return err
	}
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
	p.clear()
	return nil
}

// deliver computes the functions row by row, since what they make may be large.
func (p *partition) deliver(out *output) error {
	values := make([]func() (types.Value, error), len(p.Calls))
	at := make([]windowRow, len(p.Calls))
	for i := range p.Calls {
		call := &p.Calls[i]
		at[i] = windowRow{partition: p, call: call, offsets: p.frames[i], kept: p.hold()}
		if call.Fn != nil {
			fn := call.Fn.New()
			values[i] = func() (types.Value, error) { return fn.Value(p.env.Expr, &at[i]) }
			continue
		}
		of := newFramed(&at[i], p.types[i])
		defer of.close()
		values[i] = of.value
	}
	for position := range p.rows.count {
		if err := p.move(position); err != nil {
			return err
		}
		row, err := out.add()
		if err != nil {
			return err
		}
		copy(row, p.row[:p.width])
		for i := range p.Calls {
			at[i].framed = false
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

// move makes a row the present one: the first of the partition, or the one behind that before.
func (p *partition) move(position int) (err error) {
	if position == 0 {
		p.present = present{group: -1}
	}
	if position == p.present.end {
		p.group++
		p.present.first = position
		if p.present.end, err = p.starts.at(p.group + 1); err != nil {
			return err
		}
	}
	p.position = position
	p.row, err = p.rows.at(position)
	return err
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

package executor

import (
	"slices"

	"zproxy/planner/plan"
	"zproxy/types"
)

// groupingSets delivers the groups of all sets, which gather the rows of the input as it is read.
func groupingSets(f frame, n plan.GroupingSets) Rows {
	return produce(f, len(n.Cols), func(out *output) error {
		held := f.hold()
		defer f.keptAtMost(&held)
		g := newGroupers(f, n, &held)
		defer func() { g.off.close() }()
		for batch, err := range f.input(n.Input) {
			if err == nil {
				err = g.add(batch)
			}
			if err != nil {
				return err
			}
		}
		return g.finish(out)
	})
}

// groupers gather the same rows in the groups of several sets, which share the work memory. When it is full, no set
// begins more groups. The rows that a set then puts off go to one file, each behind a mark of the sets that want it:
// there may be thousands of sets. Each of them makes groups of its rows by itself in the end.
type groupers struct {
	frame
	width int // of the rows
	sets  []*grouper
	held  *hold
	off   *spill // nil: no rows are put off
	mark  []byte // a bit for each set
}

func newGroupers(f frame, n plan.GroupingSets, held *hold) *groupers {
	g := &groupers{frame: f, width: plan.Width(n.Input), held: held, mark: make([]byte, (len(n.Sets)+7)/8)}
	for i, set := range n.Sets {
		of := newGrouper(f, n.Set(i), held)
		of.spills, of.shared, of.at = true, true, set
		for _, groups := range n.Asked {
			of.last = append(of.last, types.NewInt(leftOut(groups, set)))
		}
		g.sets = append(g.sets, of)
	}
	return g
}

// leftOut has a bit for each of some groups, which says whether it is not in a set.
func leftOut(groups, set []int) (bits int64) {
	for _, at := range groups {
		bits <<= 1
		if !slices.Contains(set, at) {
			bits |= 1
		}
	}
	return bits
}

// add adds rows to the groups of all sets.
func (g *groupers) add(batch *types.Batch) error {
	late := false
	for _, of := range g.sets {
		if err := g.canceled(); err != nil {
			return err
		}
		if err := of.add(batch); err != nil {
			return err
		}
		late = late || of.late
	}
	if !late {
		return nil
	}
	for i := range batch.Len() {
		if err := g.putOff(batch, i); err != nil {
			return err
		}
	}
	return nil
}

// putOff writes a row if any set has put it off.
func (g *groupers) putOff(batch *types.Batch, row int) error {
	clear(g.mark)
	late := false
	for i, of := range g.sets {
		if of.of[row] < 0 {
			g.mark[i/8] |= 1 << (i % 8)
			late = true
		}
	}
	if !late {
		return nil
	}
	if g.off == nil {
		var err error
		if g.off, err = g.spill(); err != nil {
			return err
		}
	}
	return g.off.appendMarked(g.mark, batch.Row(row))
}

// finish delivers the groups of all sets, and then those of the rows that were put off.
func (g *groupers) finish(out *output) error {
	for _, of := range g.sets {
		if err := of.deliver(out); err != nil {
			return err
		}
	}
	if g.off == nil {
		return nil
	}
	for _, of := range g.sets {
		of.forget()
	}
	run, err := g.off.end()
	if err != nil {
		return err
	}
	p := g.profile()
	p.Spilled += run.bytes
	for i, of := range g.sets {
		if !of.late {
			continue
		}
		p.Batches++
		rows := g.off.read(run, g.width)
		rows.marks = len(g.mark)
		rows.wants = func(mark []byte) bool { return mark[i/8]>>(i%8)&1 != 0 }
		err := of.again(func(do func(types.Row) error) error { return rows.each(g.frame, do) }, 0, out)
		if err != nil {
			return err
		}
	}
	return nil
}

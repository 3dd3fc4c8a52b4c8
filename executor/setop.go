package executor

import (
	"zproxy/planner/plan"
	"zproxy/types"
)

// setOp delivers the rows of the left input that are, or for EXCEPT are not, in the right
// one.
func setOp(f frame, n plan.SetOp) Rows {
	return produce(f, len(n.Cols), func(out *output) error {
		held := f.hold()
		defer f.keptAtMost(&held)
		s := setOperation{frame: f, SetOp: n, held: &held}
		return s.run(0,
			func(do func(types.Row) error) error { return f.each(f.input(n.Right, n.Left), do) },
			func(do func(types.Row) error) error { return out.each(f.input(n.Left), do) }, out.append)
	})
}

// setOperation is a set operation over all rows, or over parts of both sides.
type setOperation struct {
	frame
	plan.SetOp
	held *hold
}

// rowsOf calls do with rows.
type rowsOf func(do func(types.Row) error) error

// run delivers what comes of the rows of both sides that are of a level.
func (s setOperation) run(level int, right, left rowsOf, deliver func(types.Row) error) error {
	c := &counter{rowSet: newRowSet(s.held, columnTypes(s.Cols)...)}
	c.full = func() bool { return spills(level) && s.held.bytes > s.workMemory() }
	var off [2]*putOff // of the right side and of the left one
	defer func() {
		off[0].close()
		off[1].close()
	}()
	wait := func(side int, row types.Row) error {
		if off[side] == nil {
			off[side] = &putOff{frame: s.frame, level: level + 1, width: len(s.Cols)}
		}
		return off[side].addWhole(row)
	}
	err := right(func(row types.Row) error {
		counted, err := c.count(row, off[0] == nil)
		if err != nil || counted {
			return err
		}
		return wait(0, row)
	})
	if err != nil || len(c.counts) == 0 && !s.Except {
		return err
	}
	err = left(func(row types.Row) error {
		ok, known, err := c.keep(s.SetOp, row, off[0] == nil && off[1] == nil)
		switch {
		case err != nil:
			return err
		case !known:
			return wait(1, row)
		case ok:
			return deliver(row)
		}
		return nil
	})
	if err != nil || off[1] == nil {
		return err
	}
	p := s.profile()
	p.Memory = max(p.Memory, s.held.bytes)
	c.rowSet = rowSet{}
	s.held.release()
	return s.parts(level+1, off, deliver)
}

// parts delivers what comes of the rows that were put off.
func (s setOperation) parts(level int, off [2]*putOff, deliver func(types.Row) error) error {
	for i := range spillParts {
		left, err := off[1].part(i)
		if err != nil {
			return err
		}
		if left == nil {
			continue
		}
		right, err := off[0].part(i)
		if err != nil {
			return err
		}
		if right == nil {
			right = func(func(types.Row) error) error { return nil }
		}
		if err := s.run(level, right, left, deliver); err != nil {
			return err
		}
		s.held.release()
	}
	return nil
}

// counter counts rows by their values.
type counter struct {
	rowSet
	counts []int64
	full   func() bool
}

// count counts a row of the right side, and says whether it could: no more are added when the set is full.
func (c *counter) count(row types.Row, add bool) (bool, error) {
	at, there := c.at(row, add && !c.full())
	switch {
	case at < 0:
		return false, nil
	case !there:
		if err := c.hold(); err != nil {
			return false, err
		}
		c.counts = append(c.counts, 0)
	}
	c.counts[at]++
	return true, nil
}

// keep says whether a row of the left input comes out. With All each row on the right
// stands for one on the left; else a row comes out once. It is not known of a row that is not there
// when rows of the right side, or of this one, were put off, or if it had to be added to a set that is full.
func (c *counter) keep(n plan.SetOp, row types.Row, all bool) (ok, known bool, err error) {
	adds := n.Except && !n.All
	at, there := c.at(row, adds && all && !c.full())
	switch {
	case !there && at >= 0:
		return true, true, c.hold()
	case !there && (!all || adds):
		return false, false, nil
	case n.Except && n.All:
		if there && c.counts[at] > 0 {
			c.counts[at]--
			return false, true, nil
		}
		return true, true, nil
	case n.Except, !there, c.counts[at] == 0:
		return false, true, nil
	case n.All:
		c.counts[at]--
	default:
		c.counts[at] = 0
	}
	return true, true, nil
}

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
		defer held.release()
		right := counter{rowSet: newRowSet(&held, columnTypes(n.Cols)...)}
		if err := f.each(f.input(n.Right, n.Left), right.count); err != nil {
			return err
		}
		if len(right.counts) == 0 && !n.Except {
			return nil
		}
		return out.each(f.input(n.Left), func(row types.Row) error {
			ok, err := right.keep(n, row)
			if err != nil || !ok {
				return err
			}
			return out.append(row)
		})
	})
}

// counter counts rows by their values.
type counter struct {
	rowSet
	counts []int64
}

func (c *counter) count(row types.Row) error {
	at, added, err := c.number(row)
	if added {
		c.counts = append(c.counts, 0)
	}
	if err == nil {
		c.counts[at]++
	}
	return err
}

// keep says whether a row of the left input comes out. With All each row on the right
// stands for one on the left; else a row comes out once.
func (c *counter) keep(n plan.SetOp, row types.Row) (bool, error) {
	at, there := c.find(row)
	switch {
	case n.Except && n.All:
		if there && c.counts[at] > 0 {
			c.counts[at]--
			return false, nil
		}
		return true, nil
	case n.Except:
		_, added, err := c.number(row)
		return added, err
	case !there || c.counts[at] == 0:
		return false, nil
	case n.All:
		c.counts[at]--
	default:
		c.counts[at] = 0
	}
	return true, nil
}

package executor

import (
	"zproxy/planner/plan"
	"zproxy/types"
)

// nearest delivers the rows that are nearest to a center, in their order. Each round sorts those within a radius, and
// the last one all rows.
func nearest(f frame, n plan.Nearest) Rows {
	most, err := wanted(n.Most, f.env.Expr)
	if err != nil {
		return failed(err)
	}
	if most == 0 {
		return nothing
	}
	return produce(f, plan.Width(n.All), func(out *output) error {
		radii, err := n.Radii(f.env.Expr, most)
		if err != nil {
			return err
		}
		p := f.profile()
		for _, r := range radii {
			f.env.Expr.SetOuter(n.Slot, types.NewFloat(r))
			p.Rounds, p.Radius = p.Rounds+1, r
			enough, err := f.firstOf(f.input(n.Near), n, most, most, out)
			if err != nil || enough {
				return err
			}
		}
		_, err = f.firstOf(f.input(n.All, n.Near), n, most, 0, out)
		return err
	})
}

// firstOf hands on the first rows in the order of keys, if there are enough of them.
func (f frame) firstOf(rows Rows, n plan.Nearest, most, enough int64, out *output) (bool, error) {
	s := newSorter(f, n.Keys, plan.Width(n.All), most)
	defer s.close()
	err := f.each(rows, func(row types.Row) error { return s.add(row, f.env.Expr) })
	if err != nil || s.seen < enough {
		return false, err
	}
	return true, s.each(out.append)
}

package executor

import (
	"slices"

	"zproxy/planner/plan"
	"zproxy/types"
)

// groupingSets delivers the groups of one set after the other. All of them gather the rows of the input as it is read.
func groupingSets(f frame, n plan.GroupingSets) Rows {
	return produce(f, len(n.Cols), func(out *output) error {
		held := f.hold()
		defer f.keptAtMost(&held)
		sets := make([]*grouper, len(n.Sets))
		for i := range sets {
			sets[i] = newGrouper(f, n.Set(i), &held)
		}
		for batch, err := range f.input(n.Input) {
			if err != nil {
				return err
			}
			for _, g := range sets {
				if err := f.canceled(); err != nil {
					return err
				}
				if err := g.add(batch); err != nil {
					return err
				}
			}
		}
		for i, g := range sets {
			if err := g.deliverSet(out, n, n.Sets[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

// deliverSet hands on the groups of one of several sets.
func (g *grouper) deliverSet(out *output, n plan.GroupingSets, set []int) error {
	asked := make([]types.Value, len(n.Asked))
	for i, groups := range n.Asked {
		asked[i] = types.NewInt(leftOut(groups, set))
	}
	for i, values := range g.groups {
		row, err := out.add()
		if err != nil {
			return err
		}
		clear(row)
		for at, v := range values {
			row[set[at]] = v
		}
		for j, c := range g.calls {
			if row[len(n.Groups)+j], err = c.result(g, i); err != nil {
				return err
			}
		}
		copy(row[len(n.Groups)+len(g.calls):], asked)
	}
	return nil
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

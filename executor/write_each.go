package executor

import (
	"fmt"

	"zproxy/planner/plan"
)

// writeEach writes the rows of a table and of those that inherit from it: none before all are known.
func writeEach(f frame, n plan.WriteEach, back *returned) (total int64, err error) {
	held := f.hold()
	defer held.release()
	var all []*made
	for i, in := range n.In {
		back.exprs = returningOf(in)
		made, err := changesOf(f.below(n.In[:i]...), in, back, &held)
		if err != nil {
			return 0, err
		}
		all = append(all, made)
	}
	for _, made := range all {
		count, err := made.profileWrite(made.apply)
		if err != nil {
			return 0, err
		}
		total += count
	}
	return total, nil
}

// changesOf are the changes that one of the nodes makes.
func changesOf(f frame, n plan.Node, back *returned, held *hold) (*made, error) {
	switch n := n.(type) {
	case plan.Update:
		return updated(f, n, back, held)
	case plan.Delete:
		w, err := newRemover(f, n)
		if err != nil {
			return nil, err
		}
		return w.removed(n, back, held)
	}
	return nil, fmt.Errorf("%T does not write rows that are there", n)
}

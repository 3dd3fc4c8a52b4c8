package executor

import (
	"zproxy/planner/plan"
	"zproxy/types"
)

// appended delivers the rows of all inputs, one after the other.
func appended(f frame, n plan.Append) Rows {
	return func(yield func(*types.Batch, error) bool) {
		for i, in := range n.In {
			for batch, err := range f.input(in, n.In[:i]...) {
				if !yield(batch, err) || err != nil {
					return
				}
			}
		}
	}
}

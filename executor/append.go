package executor

import (
	"iter"

	"zproxy/planner/plan"
	"zproxy/types"
)

// appended delivers the rows of all inputs, one after the other or, where each is in order, merged.
func appended(f frame, n plan.Append) Rows {
	if n.By != nil {
		return mergeAppended(f, n)
	}
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

// mergeAppended delivers the rows of inputs that are in order. Each is read as far as its rows are needed.
func mergeAppended(f frame, n plan.Append) Rows {
	if len(n.In) == 0 {
		return nothing
	}
	return func(yield func(*types.Batch, error) bool) {
		width := plan.Width(n)
		m := newMerger(n.By, width, len(n.In))
		m.out = f.env.Tables.batches.Get(width)
		defer f.env.Tables.batches.Put(m.out)
		m.few = true
		next := make([]func() (*types.Batch, error, bool), len(n.In))
		for i, in := range n.In {
			var stop func()
			next[i], stop = iter.Pull2(f.input(in, n.In[:i]...))
			defer stop()
		}
		for m.more() {
			batch, err, ok := next[m.wants]()
			switch {
			case err != nil:
				yield(nil, err)
				return
			case ok && batch.Len() == 0:
				continue
			case !ok:
				batch = nil
			}
			if m.give(batch); !m.run(yield) {
				return
			}
		}
	}
}

package executor

import (
	"zproxy/planner/plan"
)

// update writes the rows of its input with new values. All rows are read before the first
// is written, since only the end of the statement must be without conflicts.
func update(f frame, n plan.Update) (int64, error) {
	w, err := newWriter(f, n.Table)
	if err != nil {
		return 0, err
	}
	old, err := collect(f, f.input(n.Input), len(n.Table.Columns))
	if err != nil {
		return 0, err
	}
	kept := slab{width: len(n.Table.Columns)}
	changes := make([]change, len(old))
	for i, row := range old {
		next := kept.keep(row)
		for _, a := range n.Set {
			if next[a.Column], err = a.Value.Eval(f.env.Expr, row); err != nil {
				return 0, err
			}
		}
		if err := w.checkNotNull(next); err != nil {
			return 0, err
		}
		changes[i] = change{old: row, new: next}
	}
	return w.apply(changes)
}

// remove deletes the rows of its input batch by batch: a scan does not see the writes
// that are made while it runs.
func remove(f frame, n plan.Delete) (int64, error) {
	w, err := newWriter(f, n.Table)
	if err != nil {
		return 0, err
	}
	total := int64(0)
	var changes []change
	for batch, err := range f.input(n.Input) {
		if err != nil {
			return 0, err
		}
		changes = changes[:0]
		for i := range batch.Len() {
			changes = append(changes, change{old: batch.Row(i)})
		}
		made, err := w.apply(changes)
		if err != nil {
			return 0, err
		}
		total += made
	}
	return total, nil
}

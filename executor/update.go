package executor

import (
	"slices"

	"zproxy/catalog/trigger"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/rowlock"
	"zproxy/types"
)

// update writes the rows of its input with new values. All rows are read before the first
// is written, since only the end of the statement must be without conflicts.
func update(f frame, n plan.Update, back *returned) (int64, error) {
	held := f.hold()
	defer held.release()
	made, err := updated(f, n, back, &held)
	if err != nil {
		return 0, err
	}
	return made.apply()
}

// updated are the changes that an update makes.
func updated(f frame, n plan.Update, back *returned, held *hold) (*made, error) {
	w, err := newLeaves(f, n.Keeps(), n.Checks, n.Partitions)
	if err != nil {
		return nil, err
	}
	cells := timed{w.writer}
	columns := cells.assigned(n.Set, n.Stamp)
	w.set = assignedBy(n.Set)
	made, err := newMade(w, trigger.Update|trigger.Delete|trigger.Insert)
	if err != nil {
		return nil, err
	}
	old, err := w.targets(n.Input, held)
	if err != nil {
		return nil, err
	}
	width := len(w.table.Columns)
	kept := slab{width: width}
	both := make(types.Row, plan.Width(n.Input))
	lock := lockToUpdate(w.layouts, slices.Concat(n.Set, generated(n.Checks)))
	for _, row := range old {
		locked, err := w.lockTarget(lock, n.Recheck, row)
		if err != nil {
			return nil, err
		}
		if locked > rowChanged {
			continue
		}
		next := kept.keep(row[:width])
		if err := assign(next, n.Set, f.env.Expr, row); err != nil {
			return nil, err
		}
		if err := cells.restamp(row[:width], next, columns); err != nil {
			return nil, err
		}
		if err := held.addRow(next); err != nil {
			return nil, err
		}
		c := change{old: row[:width], new: next, anew: locked == rowChanged}
		if fired, err := w.beforeUpdate(c.old, next); err != nil {
			return nil, err
		} else if !fired {
			continue
		}
		if err := w.check(next, plan.UpdateCheck); err != nil {
			return nil, err
		}
		copy(both, next)
		copy(both[width:], row[width:])
		if err := back.add(both); err != nil {
			return nil, err
		}
		if err := made.add(c); err != nil {
			return nil, err
		}
	}
	return made, nil
}

// generated are the columns that are computed anew from those that are written.
func generated(checks []plan.Check) (out []plan.Assignment) {
	for _, c := range checks {
		if c.Of == plan.Generates {
			out = append(out, plan.Assignment{Column: c.Column, Value: c.Cond})
		}
	}
	return out
}

// lockToUpdate is how rows with some layouts are locked of which some columns are written.
func lockToUpdate(layouts []*layout, set []plan.Assignment) rowlock.Lock {
	for _, l := range layouts {
		keyed := func(a plan.Assignment) bool { return slices.Contains(l.key, a.Column) }
		if l.unique && slices.ContainsFunc(set, keyed) {
			return rowlock.Lock{Strength: rowlock.Update, Writes: true}
		}
	}
	return rowlock.Lock{Strength: rowlock.NoKeyUpdate, Writes: true}
}

// lockTarget locks a row that is to be written, which a row of the input begins with: if others have written it since
// the statement has read it, it is put in as it is now. One that does not meet the condition any more counts as gone.
func (l *leaves) lockTarget(how rowlock.Lock, cond expr.Expr, row types.Row) (lockVerdict, error) {
	width := len(l.table.Columns)
	w, err := l.leaf(row[:width])
	if err != nil || (parts{w.frame}).changed(w.table, row[:width]) {
		return rowGone, err
	}
	newest, v, err := w.lockRow(w.table, how, row[:width])
	switch fixed := err == nil && v != rowSame && w.env.Locks.Fixed(); {
	case err != nil || v == rowSame:
		return v, err
	case v == rowGone && fixed:
		return v, concurrent("delete")
	case fixed:
		return v, concurrent("update")
	case v == rowGone:
		return v, nil
	}
	copy(row, newest)
	if kept, err := w.recheck(cond, row); err != nil || !kept {
		return rowGone, err
	}
	return v, nil
}

// assign gives columns of a row their new values, which are computed from another one.
func assign(row types.Row, set []plan.Assignment, c *expr.Context, from types.Row) error {
	for _, a := range set {
		v, err := a.Value.Eval(c, from)
		if err != nil {
			return err
		}
		row[a.Column] = v
	}
	return nil
}

// targets collects the rows of a plan that begin with those of the table. Of several about
// one row of the table the first counts.
func (w *writer) targets(n plan.Node, held *hold) ([]types.Row, error) {
	var seen *rowSet
	if !readsOnce(n) {
		all := newRowSet(held, types.Bytea, types.Bytea)
		seen = &all
	}
	kept := slab{width: plan.Width(n)}
	var all []types.Row
	err := w.each(w.input(n), func(row types.Row) error {
		if seen != nil {
			if added, err := seen.addKey(w.table.rows, row); err != nil || !added {
				return err
			}
		}
		all = append(all, kept.keep(row))
		return held.addRow(row)
	})
	return all, err
}

// addKey says whether the key of a row is new.
func (s *rowSet) addKey(l *layout, row types.Row) (bool, error) {
	k := l.codec.Key(row)
	return s.add(types.Row{types.NewBytes(k.Partition), types.NewBytes(k.Sort)})
}

// remove deletes the rows of its input: batch by batch where that is a scan, which does not
// see the writes that are made while it runs, else when all are known.
func remove(f frame, n plan.Delete, back *returned) (int64, error) {
	w, err := newRemover(f, n)
	if err != nil {
		return 0, err
	}
	if n.Blind && f.env.Blind != nil {
		return blindly{w.writer}.remove(n.Key)
	}
	total, err := w.removeAll(n, back)
	if err == nil && total == 0 && n.Stamp != nil && n.Key != nil {
		err = timed{w.writer}.keepDelete(n.Key)
	}
	return total, err
}

func newRemover(f frame, n plan.Delete) (*leaves, error) {
	w, err := newLeaves(f, n.Keeps(), n.Checks, n.Partitions)
	if err == nil && n.Stamp != nil {
		w.stamp = *n.Stamp
	}
	return w, err
}

// adding adds the rows that a delete removes to the changes that it makes.
func (w *leaves) adding(n plan.Delete, made *made, back *returned) func(types.Row) error {
	width := len(w.table.Columns)
	return func(row types.Row) error {
		locked, err := w.lockTarget(rowlock.Lock{Strength: rowlock.Update, Writes: true}, n.Recheck, row)
		if err != nil || locked > rowChanged {
			return err
		}
		if fired, err := w.beforeDelete(row[:width]); err != nil || !fired {
			return err
		}
		left, err := timed{w.writer}.without(row[:width])
		if err != nil {
			return err
		}
		if err := back.add(row); err != nil {
			return err
		}
		return made.add(change{old: row[:width], new: left, anew: locked == rowChanged})
	}
}

// removed are the changes that a delete makes.
func (w *leaves) removed(n plan.Delete, back *returned, held *hold) (*made, error) {
	made, err := newMade(w, trigger.Delete)
	if err != nil {
		return nil, err
	}
	add := w.adding(n, made, back)
	rows, err := w.targets(n.Input, held)
	for i := 0; err == nil && i < len(rows); i++ {
		err = add(rows[i])
	}
	return made, err
}

func (w *leaves) removeAll(n plan.Delete, back *returned) (int64, error) {
	if !readsOnce(n.Input) || len(plan.Subqueries(n)) > 0 || len(n.Fires) > 0 {
		held := w.hold()
		defer held.release()
		made, err := w.removed(n, back, &held)
		if err != nil {
			return 0, err
		}
		return made.apply()
	}
	made, err := newMade(w, trigger.Delete)
	if err != nil {
		return 0, err
	}
	add := w.adding(n, made, back)
	for batch, err := range w.input(n.Input) {
		for i := 0; err == nil && i < batch.Len(); i++ {
			err = add(batch.Row(i))
		}
		if err != nil {
			return 0, err
		}
		if _, err := made.apply(); err != nil {
			return 0, err
		}
	}
	return made.count, nil
}

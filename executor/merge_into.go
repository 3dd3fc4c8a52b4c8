package executor

import (
	"zproxy/catalog/trigger"
	"zproxy/planner/plan"
	"zproxy/planner/rowlock"
	"zproxy/sqlerr"
	"zproxy/types"
)

// mergeInto writes rows of a table by the rows of its input. All of them are read before the first is written, as by an
// update.
func mergeInto(f frame, n plan.MergeInto) (int64, error) {
	m, err := newMergeRun(f, n)
	if err != nil {
		return 0, err
	}
	defer m.held.release()
	kept := slab{width: plan.Width(n.Input)}
	var rows []types.Row
	err = m.each(f.input(n.Input), func(row types.Row) error {
		rows = append(rows, kept.keep(row))
		return m.held.addRow(row)
	})
	for i := 0; err == nil && i < len(rows); i++ {
		err = m.row(rows[i])
	}
	if err != nil {
		return 0, err
	}
	return m.made.apply()
}

// mergeRun is one run of a Merge.
type mergeRun struct {
	*leaves
	plan    plan.MergeInto
	fresh   inserters // complete the rows that are inserted
	written rowSet    // the keys of rows that were there
	kept    slab
	held    hold
	made    *made
}

func newMergeRun(f frame, n plan.MergeInto) (*mergeRun, error) {
	w, err := newLeaves(f, n.Keeps(), n.Checks, n.Partitions)
	if err != nil {
		return nil, err
	}
	m := &mergeRun{leaves: w, plan: n, kept: slab{width: len(n.Table.Columns)}, held: f.hold()}
	m.set = n.Sets()
	if m.made, err = newMade(w, trigger.Insert|trigger.Update|trigger.Delete); err != nil {
		return nil, err
	}
	m.written = newRowSet(&m.held, types.Bytea, types.Bytea)
	m.fresh, err = newInserters(f, n.Inserts(), nil)
	return m, err
}

// row does with a row what the first WHEN that suits it says. One whose partner others have written since is looked at
// again with that as it is now; one that has lost its partner matches none.
func (m *mergeRun) row(row types.Row) error {
	width := len(m.table.Columns)
	matched := !row[m.table.rows.key[0]].IsNull()
	when, err := m.when(matched, row)
	if err != nil || when == nil || when.Do == plan.MergeNothing {
		return err
	}
	if !matched {
		return m.insert(when, row)
	}
	w, err := m.leaf(row[:width])
	if err != nil {
		return err
	}
	if added, err := m.written.addKey(m.table.rows, row); err != nil {
		return err
	} else if !added || (parts{m.frame}).changed(w.table, row[:width]) {
		return sqlerr.New(sqlerr.CardinalityViolation, "MERGE command cannot affect row a second time").
			WithHint("Ensure that not more than one source row matches any one target row.")
	}
	locked, err := m.lockTarget(m.lockFor(when), m.plan.Recheck, row)
	switch {
	case err != nil:
		return err
	case locked > rowChanged:
		clear(row[:width])
		if when, err = m.when(false, row); err != nil || when == nil || when.Do == plan.MergeNothing {
			return err
		}
		return m.insert(when, row)
	case locked == rowChanged:
		if when, err = m.when(true, row); err != nil || when == nil || when.Do == plan.MergeNothing {
			return err
		}
	}
	if err := m.mayChange(when, row[:width]); err != nil {
		return err
	}
	c := change{old: row[:width], anew: locked == rowChanged}
	fired := false
	if when.Do == plan.MergeUpdate {
		c.new, fired, err = m.updated(when, row)
	} else {
		fired, err = m.beforeDelete(c.old)
	}
	if err != nil || !fired {
		return err
	}
	return m.made.add(c)
}

// when is the first WHEN that suits a row; nil: none does.
func (m *mergeRun) when(matched bool, row types.Row) (*plan.MergeWhen, error) {
	for i := range m.plan.Whens {
		w := &m.plan.Whens[i]
		if w.Matched != matched {
			continue
		}
		if w.Cond == nil {
			return w, nil
		}
		if v, err := w.Cond.Eval(m.env.Expr, row); err != nil || v.IsTrue() {
			return w, err
		}
	}
	return nil, nil
}

func (m *mergeRun) lockFor(when *plan.MergeWhen) rowlock.Lock {
	if when.Do == plan.MergeUpdate {
		return lockToUpdate(m.layouts, when.Set)
	}
	return rowlock.Lock{Strength: rowlock.Update, Writes: true}
}

// mayChange finds the policy that forbids to update or delete a row.
func (m *mergeRun) mayChange(when *plan.MergeWhen, row types.Row) error {
	w, err := m.leaf(row)
	if err != nil {
		return err
	}
	kind := plan.MergeDeleteCheck
	if when.Do == plan.MergeUpdate {
		kind = plan.MergeUpdateCheck
	}
	return secured{w}.allow(row, kind)
}

// updated is a row with new values; false: triggers do not want it.
func (m *mergeRun) updated(when *plan.MergeWhen, row types.Row) (types.Row, bool, error) {
	width := len(m.table.Columns)
	next := m.kept.keep(row[:width])
	if err := assign(next, when.Set, m.env.Expr, row); err != nil {
		return nil, false, err
	}
	if err := m.held.addRow(next); err != nil {
		return nil, false, err
	}
	if fired, err := m.beforeUpdate(row[:width], next); err != nil || !fired {
		return nil, false, err
	}
	return next, true, m.check(next, plan.UpdateCheck)
}

// insert adds the row that a WHEN inserts.
func (m *mergeRun) insert(when *plan.MergeWhen, row types.Row) error {
	next := m.kept.add()
	if err := evaluate(next, when.Row, m.env.Expr, row); err != nil {
		return err
	}
	if kept, err := m.fresh.complete(next); err != nil || !kept {
		return err
	}
	if err := m.held.addRow(next); err != nil {
		return err
	}
	return m.made.add(change{new: next})
}

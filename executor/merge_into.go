package executor

import (
	"slices"

	"zproxy/catalog/trigger"
	"zproxy/planner/plan"
	"zproxy/planner/rowlock"
	"zproxy/sqlerr"
	"zproxy/types"
)

// mergeInto writes rows of a table by the rows of its input. All of them are read before the first is written, as by an
// update.
func mergeInto(f frame, n plan.MergeInto, back *returned) (int64, error) {
	m, err := newMergeRun(f, n, back)
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
	back    *returned
}

func newMergeRun(f frame, n plan.MergeInto, back *returned) (*mergeRun, error) {
	w, err := newLeaves(f, n.Keeps(), n.Checks, n.Partitions)
	if err != nil {
		return nil, err
	}
	m := &mergeRun{leaves: w, plan: n, kept: slab{width: len(n.Table.Columns)}, held: f.hold(),
		back: back}
	m.set = n.Sets()
	if m.made, err = newMade(w, trigger.Insert|trigger.Update|trigger.Delete); err != nil {
		return nil, err
	}
	m.written = newRowSet(&m.held, types.Bytea, types.Bytea)
	m.fresh, err = newInserters(f, n.Inserts(), nil)
	return m, err
}

// row does with a row what the first WHEN that suits it says.
func (m *mergeRun) row(row types.Row) error {
	when, err := m.when(m.kind(row), row)
	if err != nil || when == nil || when.Do == plan.MergeNothing {
		return err
	}
	if when.Do == plan.MergeInsert {
		return m.insert(when, row)
	}
	return m.change(when, row)
}

// change updates or deletes a row. If others have written it since, it is looked at again as it is now; a row of the
// source that has lost its partner so matches none.
func (m *mergeRun) change(when *plan.MergeWhen, row types.Row) error {
	width := len(m.table.Columns)
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
	recheck := m.plan.Recheck
	if when.BySource {
		recheck = nil // its condition is about the source, too
	}
	locked, err := m.lockTarget(m.lockFor(when), recheck, row)
	switch {
	case err != nil || locked > rowChanged && when.BySource:
		return err
	case locked > rowChanged:
		clear(row[:width])
		return m.row(row)
	case locked == rowChanged:
		if when, err = m.when(m.kind(row), row); err != nil || when == nil || when.Do == plan.MergeNothing {
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
	if err := m.returns(when, row, c); err != nil {
		return err
	}
	return m.made.add(c)
}

// returns returns something of a row that is changed.
func (m *mergeRun) returns(when *plan.MergeWhen, row types.Row, c change) error {
	if m.back.exprs == nil {
		return nil
	}
	out := append(slices.Clone(row), types.NewText(when.Do.String()))
	if c.new != nil {
		copy(out, c.new)
	}
	return m.back.add(out)
}

// mergeKind says which rows of a MERGE one is.
type mergeKind struct{ matched, bySource bool }

func (m *mergeRun) kind(row types.Row) mergeKind {
	there := !row[m.table.rows.key[0]].IsNull()
	bySource := there && m.plan.Present > 0 && row[m.plan.Present].IsNull()
	return mergeKind{there && !bySource, bySource}
}

// when is the first WHEN that suits a row; nil: none does.
func (m *mergeRun) when(k mergeKind, row types.Row) (*plan.MergeWhen, error) {
	for i := range m.plan.Whens {
		w := &m.plan.Whens[i]
		if k != (mergeKind{w.Matched, w.BySource}) {
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
	c := change{new: next}
	if err := m.returns(when, row, c); err != nil {
		return err
	}
	return m.made.add(c)
}

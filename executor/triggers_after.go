package executor

import (
	"cmp"
	"slices"

	"zproxy/catalog/trigger"
	"zproxy/planner/firing"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Triggers that fire after rows are queued until the statement has written all of its rows, as in PostgreSQL, and so
// are those for statements. What foreign keys write belongs to the statement that made them act: its triggers come
// behind those of that, and a table has its statement triggers fired once for all of it.

// firstKeyTrigger is before the names of the triggers with which PostgreSQL keeps foreign keys. Triggers with lower
// names fire before foreign keys are looked at.
const firstKeyTrigger = "RI_ConstraintTrigger_"

// written is a table that a statement writes, by what it does to rows.
type written struct {
	table uint32
	event trigger.Events
}

// firings is what a statement has still to fire.
type firings struct {
	list   []fired
	tables map[written]*writtenTable
	held   hold
}

// fired is a trigger that waits to fire, with the number of the row among those that were written at once.
type fired struct {
	*firing.Call
	row int
}

// renumber gives the rows of what waits since some place other numbers: those of a partition, which were numbered among
// themselves, those that they have among all.
func (q *firings) renumber(start int, among []int) {
	for i := start; i < q.waiting(); i++ {
		q.list[i].row = among[q.list[i].row]
	}
}

// inOrder puts what waits since some place in the order of the rows, which were written partition by partition. A row
// that moves leaves its partition before it comes to another one.
func (q *firings) inOrder(start int) {
	if q.waiting() == 0 {
		return
	}
	slices.SortStableFunc(q.list[start:], func(a, b fired) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(arrives(a.Call), arrives(b.Call)))
	})
}

// arrives is 1 for a row that comes to a table.
func arrives(c *firing.Call) int {
	if c.Event == trigger.Insert {
		return 1
	}
	return 0
}

// waiting is how many triggers wait.
func (q *firings) waiting() int {
	if q == nil {
		return 0
	}
	return len(q.list)
}

// writtenTable is what a statement knows of a table whose statement triggers it fires.
type writtenTable struct {
	begun bool // those before the statement have fired
	after []*firing.Call
	firing.Transition
}

// firer fires triggers.
type firer struct{ frame }

// queue is where triggers wait to fire: that of the outermost statement.
func (f firer) queue() *firings {
	e := f.env.outermost()
	if e.firings == nil {
		e.firings = &firings{held: f.hold(), tables: map[written]*writtenTable{}}
	}
	return e.firings
}

// outermost is the run of the statement that made this one run, by its foreign keys.
func (e *Env) outermost() *Env {
	for e.outer != nil {
		e = e.outer
	}
	return e
}

// Within makes the run a part of another one, whose foreign keys it keeps.
func (e *Env) Within(outer *Env) { e.outer = outer }

// table is what the queue knows of a table that is written.
func (q *firings) table(id uint32, e trigger.Events) *writtenTable {
	key := written{id, e}
	if q.tables[key] == nil {
		q.tables[key] = &writtenTable{}
	}
	return q.tables[key]
}

// statementEvents are what a node does, in the order in which its triggers before the statement fire.
func statementEvents(n plan.Node) (events []trigger.Events, set []int) {
	switch n := n.(type) {
	case plan.Insert:
		if n.Conflict == plan.ConflictUpdate {
			return []trigger.Events{trigger.Insert, trigger.Update}, assignedBy(n.Set)
		}
		return []trigger.Events{trigger.Insert}, nil
	case plan.Update:
		return []trigger.Events{trigger.Update}, assignedBy(n.Set)
	case plan.Delete:
		return []trigger.Events{trigger.Delete}, nil
	case plan.Instead:
		return []trigger.Events{n.Event}, assignedBy(n.Set)
	case plan.WriteEach:
		return statementEvents(n.In[0])
	case plan.MergeInto:
		for _, do := range []plan.MergeAction{plan.MergeInsert, plan.MergeUpdate, plan.MergeDelete} {
			if n.Does(do) {
				events = append(events, map[plan.MergeAction]trigger.Events{plan.MergeInsert: trigger.Insert,
					plan.MergeUpdate: trigger.Update, plan.MergeDelete: trigger.Delete}[do])
			}
		}
		return events, n.Sets()
	}
	return nil, nil
}

// around runs a node that writes between the triggers of its table that fire for statements.
func (f firer) around(n plan.Node, write func() (int64, error)) (int64, error) {
	list := f.env.firing(plan.FiredBy(n))
	if len(list) == 0 {
		return write()
	}
	events, set := statementEvents(n)
	for _, e := range events {
		if err := f.beginStatement(list, e, set); err != nil {
			return 0, err
		}
	}
	count, err := write()
	for i := len(events) - 1; err == nil && i >= 0; i-- {
		err = f.endStatement(list, events[i], set)
	}
	return count, err
}

// beginStatement fires the triggers before a statement, and has the rows kept that transition tables show.
func (f firer) beginStatement(list []plan.Trigger, e trigger.Events, set []int) error {
	t := f.queue().table(list[0].Table.ID, e)
	for i := range list {
		one := &list[i]
		if one.Timing != trigger.After || one.Events&e == 0 {
			continue
		}
		if one.OldTable != "" && t.OldRows == nil {
			t.OldRows = new([]types.Row)
		}
		if one.NewTable != "" && t.NewRows == nil {
			t.NewRows = new([]types.Row)
		}
	}
	if t.begun {
		return nil
	}
	t.begun = true
	for i := range list {
		if !list[i].FiresOn(trigger.Before, e, false, set) {
			continue
		}
		one := &firing.Call{Trigger: &list[i], Event: e}
		ok, err := one.Wanted(f.env.Expr)
		if err == nil && ok {
			_, err = f.fire(one)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// endStatement queues the triggers after a statement. Those that wait already of the same table fire but once.
func (f firer) endStatement(list []plan.Trigger, e trigger.Events, set []int) error {
	q := f.queue()
	t := q.table(list[0].Table.ID, e)
	for _, old := range t.after {
		old.Canceled = true
	}
	t.after = nil
	for i := range list {
		if !list[i].FiresOn(trigger.After, e, false, set) {
			continue
		}
		one := &firing.Call{Trigger: &list[i], Event: e, Transition: t.Transition}
		ok, err := one.Wanted(f.env.Expr)
		if err != nil {
			return err
		}
		if ok {
			t.after, q.list = append(t.after, one), append(q.list, fired{Call: one})
		}
	}
	return nil
}

// note queues the triggers that fire for rows which were written.
func (w firedFor) note(changes []change) error {
	if len(w.fires) == 0 && w.env.outermost().firings == nil {
		return nil
	}
	for _, c := range changes {
		if c.left {
			c.new = nil
		}
		e := trigger.Update
		switch {
		case c.old == nil || w.gone(c.old):
			e, c.old = trigger.Insert, nil
		case c.new == nil || w.gone(c.new):
			e, c.new = trigger.Delete, nil
		}
		if err := w.noteRow(e, c); err != nil {
			return err
		}
	}
	return nil
}

func (w firedFor) noteRow(e trigger.Events, c change) error {
	q := firer{w.frame}.queue()
	id := w.table.ID
	if w.among != nil {
		id = w.table.PartitionOf.Parent
	}
	t := q.table(id, e)
	keep := func(row types.Row) error { return q.held.addRow(row) }
	if t.OldRows != nil && c.old != nil {
		*t.OldRows = append(*t.OldRows, c.old)
		if err := keep(c.old); err != nil {
			return err
		}
	}
	if t.NewRows != nil && c.new != nil {
		*t.NewRows = append(*t.NewRows, c.new)
		if err := keep(c.new); err != nil {
			return err
		}
	}
	for i := range w.fires {
		if !w.fires[i].FiresOn(trigger.After, e, true, w.set) {
			continue
		}
		f := &firing.Call{Trigger: &w.fires[i], Event: e, Old: c.old, New: c.new, Transition: t.Transition}
		ok, err := f.Wanted(w.env.Expr)
		if err == nil && ok {
			q.list = append(q.list, fired{f, c.from})
			err = cmp.Or(keep(c.old), keep(c.new))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// waits says whether triggers wait to fire.
func (q *firings) waits() bool { return q.waiting() > 0 }

// fireAll fires those of some triggers whose names are lower than those of foreign keys, or the others.
func (f firer) fireAll(list []fired, early bool) error {
	for _, one := range list {
		if (one.Name < firstKeyTrigger) != early || one.Canceled {
			continue
		}
		if one.Deferrable && f.env.Triggers.Defer(one.Call) {
			continue
		}
		if one.Transitions() { // what is written from now on is for others
			delete(f.queue().tables, written{one.Table.ID, one.Event})
		}
		if err := f.canceled(); err != nil {
			return err
		}
		if _, err := f.fire(one.Call); err != nil {
			return err
		}
	}
	return nil
}

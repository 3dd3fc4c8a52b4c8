package executor

import (
	"slices"

	"zproxy/catalog/trigger"
	"zproxy/planner/firing"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// firing are those of some triggers that fire in the session.
func (e *Env) firing(list []plan.Trigger) []plan.Trigger {
	if len(list) == 0 || e.Triggers == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(list), func(t plan.Trigger) bool { return !e.Triggers.Fires(&t) })
}

// fire runs the function of a trigger.
func (f firer) fire(c *firing.Call) (out types.Row, err error) {
	err = f.env.Fired.Measure(firing.OfTrigger(c.Trigger), func() (err error) {
		out, err = f.env.Triggers.Run(f.ctx, c)
		return err
	})
	return out, err
}

// firedFor is a writer of a table whose triggers fire.
type firedFor struct{ *writer }

// before fires the triggers that fire before a row is written, and changes the new row as they want. It
// says false if the row is not to be written.
func (w firedFor) before(e trigger.Events, old, row types.Row) (bool, error) {
	for i := range w.fires {
		t := &w.fires[i]
		if !t.FiresOn(trigger.Before, e, true, w.set) {
			continue
		}
		c := &firing.Call{Trigger: t, Event: e, Old: old, New: row, Set: w.set}
		if ok, err := c.Wanted(w.env.Expr); err != nil || !ok {
			if err != nil {
				return false, err
			}
			continue
		}
		out, err := firer{w.frame}.fire(c)
		if err != nil || out == nil {
			return false, err
		}
		if e != trigger.Delete {
			copy(row, out)
		}
		if e == trigger.Insert { // an update may move a row, by itself or by a trigger
			if err := w.staysIn(t, row); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// staysIn refuses a row that a trigger would move to another partition.
func (w firedFor) staysIn(t *plan.Trigger, row types.Row) error {
	if w.among == nil {
		return nil
	}
	if at, _, err := w.among.Find(w.env.Expr, row); err != nil || at >= 0 && w.among.Of[at].ID == w.table.ID {
		return err
	}
	return sqlerr.New(sqlerr.FeatureNotSupported,
		"moving row to another partition during a BEFORE FOR EACH ROW trigger is not supported").
		WithDetail("Before executing trigger \"%s\", the row was to be in partition \"%s.%s\".", t.Name,
			w.table.Schema, w.table.Name)
}

// oneByOne says whether rows must be written one by one, since triggers that fire before that may look at the rows
// which were written before them.
func (w firedFor) oneByOne(e trigger.Events, parts *plan.Partitions) (bool, error) {
	list := w.fires
	if parts != nil {
		for i := range parts.Of {
			list = append(slices.Clip(list), w.env.firing(parts.Of[i].Fires)...)
		}
	}
	for i := range list {
		if list[i].Of(trigger.Before, e, true) {
			if looks, err := w.env.Triggers.Looks(&list[i]); looks || err != nil {
				return looks, err
			}
		}
	}
	return false, nil
}

// assignedBy are the columns that a statement sets.
func assignedBy(set []plan.Assignment) (out []int) {
	for _, a := range set {
		out = append(out, a.Column)
	}
	return out
}

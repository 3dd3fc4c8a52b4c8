package executor

import (
	"slices"

	"zproxy/catalog/trigger"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// made are the changes that a statement makes of rows: all at once when they are known, or each one before the next row
// is looked at, since triggers may look at what was written before.
type made struct {
	*leaves
	list  []change
	alone bool
	count int64
}

func newMade(l *leaves, e trigger.Events) (*made, error) {
	alone, err := firedFor{l.writer}.oneByOne(e, l.parts)
	return &made{leaves: l, alone: alone}, err
}

// add adds a change.
func (m *made) add(c change) error {
	m.list = append(m.list, c)
	if !m.alone {
		return nil
	}
	if err := m.unchanged(c); err != nil {
		return err
	}
	_, err := m.apply()
	return err
}

// apply makes the changes that are not made yet, and counts all that were made.
func (m *made) apply() (int64, error) {
	list := m.list
	if m.list = list[:0]; len(list) == 0 {
		return m.count, nil
	}
	m.count += int64(len(list))
	return m.count, m.applyMoves(list)
}

// unchanged refuses a row that a trigger has written itself.
func (m *made) unchanged(c change) error {
	if c.old == nil {
		return nil
	}
	w, err := m.leaf(c.old)
	if err != nil {
		return err
	}
	l := w.table.rows
	get := store.Get{Columns: l.stored, Keys: []store.Key{l.codec.Key(c.old)}, Remember: true, Latest: c.anew,
		Stats: &w.profile.Stats}
	now := types.NewBatch(len(l.stored))
	found, err := w.env.Txn.Get(w.ctx, l.space, &get, now)
	if err != nil {
		return w.storeError(err, "get from", l.space.Name)
	}
	if found[0] && slices.EqualFunc(now.Row(0), c.old, types.Identical) {
		return nil
	}
	verb := "updated"
	if c.new == nil {
		verb = "deleted"
	}
	return sqlerr.New("27000", "tuple to be %s was already modified by an operation triggered by the current command",
		verb).WithHint("Consider using an AFTER trigger instead of a BEFORE trigger to propagate changes to other rows.")
}

// beforeUpdate fires the triggers before an update of a row. One that goes to another partition is deleted from its
// own, and inserted into that.
func (l *leaves) beforeUpdate(old, next types.Row) (bool, error) {
	from, err := l.leaf(old)
	if err != nil {
		return false, err
	}
	if len(from.fires) > 0 {
		if ok, err := (firedFor{from}).before(trigger.Update, old, next); err != nil || !ok {
			return false, err
		}
	}
	to, err := l.leaf(next)
	if err != nil || to == from {
		return err == nil, err
	}
	if ok, err := (firedFor{from}).before(trigger.Delete, old, nil); err != nil || !ok {
		return false, err
	}
	return firedFor{to}.before(trigger.Insert, nil, next)
}

// beforeDelete fires the triggers before a row is deleted.
func (l *leaves) beforeDelete(old types.Row) (bool, error) {
	w, err := l.leaf(old)
	if err != nil {
		return false, err
	}
	return firedFor{w}.before(trigger.Delete, old, nil)
}

package executor

import (
	"cmp"
	"context"
	"slices"

	"zproxy/catalog/reference"
	"zproxy/planner/firing"
	"zproxy/planner/plan"
	"zproxy/planner/referential"
	"zproxy/types"
)

// Foreign keys are checked, and their actions carried out, when a statement has written all of its rows, as in
// PostgreSQL, so that the rows may come in any order. While rows are written only the keys are noted which must be
// there, or which are there no more.

// keyEvent is what happens to a key.
type keyEvent uint8

const (
	keyDeleted keyEvent = iota
	keyUpdated          // rows have both the old key and the new one
	keyArrived          // a row refers to it
	keyMoved            // a row refers to it as before, and has another primary key
)

// ofChild says whether it happens to a row that refers.
func (e keyEvent) ofChild() bool { return e >= keyArrived }

// keyEvents are the keys of one foreign key to which the same happened.
type keyEvents struct {
	*plan.Reference
	event keyEvent
	rows  int64 // to which it happened
	keys  []types.Row
	seen  rowSet
	kept  slab
}

// keyQueue is what a run has still to do about foreign keys.
type keyQueue struct {
	list []*keyEvents
	held hold
}

// referring is a writer of rows that refer to others, or that others refer to.
type referring struct{ *writer }

// note notes what changes mean for the foreign keys of the table.
func (w referring) note(changes []change) error {
	if len(w.keys.To)+len(w.keys.From) == 0 {
		return nil
	}
	for i := range w.keys.From {
		if err := w.noteVacated(&w.keys.From[i], changes); err != nil {
			return err
		}
	}
	for i := range w.keys.To {
		if err := w.noteArrived(&w.keys.To[i], changes); err != nil {
			return err
		}
	}
	return nil
}

// noteVacated notes the keys that rows leave which others may refer to.
func (w referring) noteVacated(r *plan.Reference, changes []change) error {
	for _, c := range changes {
		if c.old == nil || hasNull(c.old, r.Refers) || c.new != nil && agree(c.old, c.new, r.Refers) {
			continue
		}
		event := keyDeleted
		if c.new != nil {
			event = keyUpdated
		}
		if err := w.queue(r, event).add(c, r.Refers); err != nil {
			return err
		}
	}
	return nil
}

// noteArrived notes the keys that rows refer to which did not before. A row that has another primary key is another
// row for those who have waited for it, or read where it was: what they do when its parent goes does not concern it,
// so that the parent must stay until the transaction ends, as for a new row.
func (w referring) noteArrived(r *plan.Reference, changes []change) error {
	primary := w.table.KeyOrdinals()
	for _, c := range changes {
		if c.new == nil {
			continue
		}
		if c.old != nil && agree(c.old, c.new, r.Own) {
			if (c.moves || !agree(c.old, c.new, primary)) && !hasNull(c.new, r.Own) {
				if err := w.queue(r, keyMoved).add(change{old: c.new}, r.Own); err != nil {
					return err
				}
			}
			continue
		}
		mixed := r.Key.Full && slices.ContainsFunc(r.Own, func(at int) bool { return !c.new[at].IsNull() })
		if hasNull(c.new, r.Own) && !mixed {
			if c.old == nil {
				w.queue(r, keyArrived).rows++
			}
			continue
		}
		if err := w.queue(r, keyArrived).add(change{old: c.new}, r.Own); err != nil {
			return err
		}
	}
	return nil
}

func hasNull(row types.Row, ordinals []int) bool {
	return slices.ContainsFunc(ordinals, func(at int) bool { return row[at].IsNull() })
}

func agree(a, b types.Row, ordinals []int) bool {
	return !slices.ContainsFunc(ordinals, func(at int) bool { return !types.Identical(a[at], b[at]) })
}

// queue is where the keys of a foreign key wait to which the same happened. What an action writes waits for all actions
// of the statement that made it act: they may delete the rows which still refer to what it deletes.
func (w referring) queue(r *plan.Reference, event keyEvent) *keyEvents {
	e := w.env.outermost()
	f := frame{env: e}
	if e.keys == nil {
		e.keys = &keyQueue{held: f.hold()}
	}
	for _, k := range e.keys.list {
		if k.Key.ID == r.Key.ID && k.event == event {
			return k
		}
	}
	width := len(r.Own)
	if event == keyUpdated {
		width *= 2
	}
	k := &keyEvents{Reference: r, event: event, kept: slab{width: width},
		seen: newRowSet(&e.keys.held, make([]types.T, width)...)}
	e.keys.list = append(e.keys.list, k)
	return k
}

// add adds the key that a row had, and for keyUpdated the one that it has.
func (k *keyEvents) add(c change, ordinals []int) error {
	if k.event != keyMoved {
		k.rows++
	}
	key := k.kept.add()
	for i, at := range ordinals {
		key[i] = c.old[at]
		if k.event == keyUpdated {
			key[len(ordinals)+i] = c.new[at]
		}
	}
	if added, err := k.seen.add(key); err != nil || !added {
		return err
	}
	k.keys = append(k.keys, key)
	return k.seen.held.addRow(key)
}

// keyKeeper keeps foreign keys.
type keyKeeper struct{ frame }

// keepAll does what is to be done when a statement has written: it keeps foreign keys, first by their actions, then by
// the checks, each in the order in which the keys were made, then deferrable unique keys, and fires triggers, of which
// those of a statement within another one are left to that. PostgreSQL does all of it by triggers, in the order of
// their names: RI_ConstraintTrigger, Unique_ConstraintTrigger, and most others behind them.
func (f keyKeeper) keepAll() error {
	err := f.keepEverything()
	if err != nil && f.env.Line != nil {
		return AtLine(err, 0) // all lines have been read, and it is about none of them
	}
	return err
}

func (f keyKeeper) keepEverything() error {
	for f.env.extras != nil || f.env.keys != nil || f.env.outer == nil && f.env.firings.waits() {
		var fires []fired
		if f.env.outer == nil && f.env.firings.waits() {
			fires, f.env.firings.list = f.env.firings.list, nil
		}
		err := firer(f).fireAll(fires, true)
		if err == nil {
			err = f.keepKeys()
		}
		if err == nil {
			err = f.checkExtras()
		}
		if err == nil {
			err = firer(f).fireAll(fires, false)
		}
		if err != nil {
			return err
		}
	}
	if f.env.firings != nil {
		f.env.firings.held.release()
	}
	return nil
}

func (f keyKeeper) keepKeys() error {
	todo := f.env.keys
	if f.env.keys = nil; todo == nil {
		return nil
	}
	if f.env.References != nil && !f.env.References.Checks() {
		todo.list = nil
	}
	inOrder(todo.list)
	for _, checks := range []bool{false, true} {
		for _, k := range todo.list {
			if k.event.ofChild() != checks {
				continue
			}
			if err := f.keep(k); err != nil {
				return err
			}
		}
	}
	todo.held.release()
	return nil
}

// inOrder sorts keys as PostgreSQL would look at those of one row of each table: by the tables in which rows changed,
// in the order in which they did, and then in the order in which the keys were made.
func inOrder(list []*keyEvents) {
	at := map[uint32]int{}
	for _, k := range list {
		if _, seen := at[k.changed()]; !seen {
			at[k.changed()] = len(at)
		}
	}
	slices.SortStableFunc(list, func(a, b *keyEvents) int {
		return cmp.Or(cmp.Compare(at[a.changed()], at[b.changed()]), cmp.Compare(a.Key.ID, b.Key.ID))
	})
}

// changed is the table whose rows have changed.
func (k *keyEvents) changed() uint32 {
	if k.event.ofChild() {
		return k.Child.ID
	}
	return k.Parent.ID
}

// keep does it for one key.
func (f keyKeeper) keep(k *keyEvents) error {
	session := f.env.References
	defers := k.event == keyArrived || !k.event.ofChild() && k.action() == reference.NoAction
	switch {
	case defers && session != nil && session.Deferred(k.Key.ID, k.Key.Timing):
		if len(k.keys) == 0 {
			return nil
		}
		return session.Defer(k.Reference, !k.event.ofChild(), k.old())
	case !k.event.ofChild() && session == nil:
		return nil
	}
	return f.env.Fired.Measure(firing.OfKey(k.Reference, k.event.ofChild(), k.rows), func() error {
		return f.keepNow(k)
	})
}

// action is what rows that refer do about the event.
func (k *keyEvents) action() reference.Action {
	if k.event == keyUpdated {
		return k.Key.OnUpdate
	}
	return k.Key.OnDelete
}

// keepNow is keep for a key whose check does not wait.
func (f keyKeeper) keepNow(k *keyEvents) error {
	switch action := k.action(); {
	case len(k.keys) == 0: // all are NULL
		return nil
	case k.event == keyArrived:
		return f.checkParents(k.Reference, k.keys)
	case k.event == keyMoved: // a row that meets the key as before need not meet it
		_, err := f.missing(k.Reference, k.keys, (*parentKeys).lookUp)
		return err
	case action.Writes():
		if err := f.act(k); err != nil || action != reference.SetDefault {
			return err
		}
	}
	return f.checkVacated(k.Reference, k.old(), k.action() != reference.Restrict)
}

// old are the keys as they were.
func (k *keyEvents) old() []types.Row {
	out := make([]types.Row, len(k.keys))
	for i, key := range k.keys {
		out[i] = key[:len(k.Own)]
	}
	return out
}

// act carries out an action.
func (f keyKeeper) act(k *keyEvents) error {
	s := referential.Action(k.Reference, k.event == keyDeleted)
	s.Keys = k.keys
	_, err := f.env.References.Run(f.ctx, s)
	return err
}

// checkVacated is the error when rows refer to one of some keys that rows of the parent have had. It does not matter
// whether others have them now, unless vacant.
func (f keyKeeper) checkVacated(r *plan.Reference, keys []types.Row, vacant bool) error {
	s := referential.Referred(r, vacant)
	s.Keys = keys
	found, err := f.env.References.Run(f.ctx, s)
	if err != nil || len(found) == 0 {
		return err
	}
	return f.stillReferred(r, found[0])
}

// CheckKeys checks keys that were deferred: those that rows of the parent have had must not be referred to if they
// are vacated, and the others must be there.
func (e *Env) CheckKeys(ctx context.Context, r *plan.Reference, keys []types.Row, vacated bool) error {
	f := keyKeeper{frame{ctx: ctx, env: e}}
	f.bind()
	if vacated {
		return f.checkVacated(r, keys, true)
	}
	return f.checkParents(r, keys)
}

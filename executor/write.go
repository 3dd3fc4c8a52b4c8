package executor

import (
	"bytes"
	"slices"

	"zproxy/catalog/tally"
	"zproxy/encoding/cells"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// change is a row as it was and as it is to be. One of them is nil when the row is
// inserted or deleted.
type change struct {
	old, new types.Row
	from     int  // the number of the row among those of an insert
	left     bool // new is what is left at the key of a row that has gone to another one
	anew     bool // old was read anew when it was locked
	moves    bool // the row goes to another partition, or gets another primary key in its own
}

// at is what changes at the key of the new row, which stays that of the old one or not.
func (c change) at(stays bool) change {
	if !stays {
		c.old = nil
	}
	return c
}

// guard is that of a write at a key of the old row: what it was computed from must still be there.
func (c *change) guard(g store.Guard) store.Guard {
	if c.anew && g == store.Unchanged {
		return store.Renewed
	}
	return g
}

// writer writes rows of one table with their index entries.
type writer struct {
	frame
	table   *table
	layouts []*layout // of the table and of its indexes
	checks  []plan.Check
	making
	// yields says whether a row is dropped that another one keeps from a unique key; nil
	// says that none is.
	yields func(*layout) bool
	// violation is the error about a unique key that another row has.
	violation func(*layout, types.Row) error
	care
	// looked are the layouts in which the keys of rows that have no old one are known to be free.
	looked []int
	// taken are, where keys of the table were looked at before, the changes of rows whose key is taken; nil: none.
	taken []bool
	relations
	stamp   cells.Stamp // of a table whose cells have timestamps
	profile *plan.NodeProfile
	values  []types.Value // of the item at hand
	lines   []int64       // of the rows of an insert that are written as they come; 0: a client sent none
}

func newWriter(f frame, t plan.Indexed) (*writer, error) {
	p, err := f.env.Tables.of(t.Table)
	if err != nil {
		return nil, err
	}
	w := &writer{frame: f, table: p, layouts: p.layouts, profile: f.profile(),
		relations: relations{keys: t.References, fires: f.env.firing(t.Fires)},
		making:    making{expressions: newExpressions(t.Table, t.Expressions, f.env.Expr)}}
	w.violation = w.uniqueViolation
	if w.partial, err = partial(w.layouts, t.Holds, f.env.Expr); err != nil {
		return nil, err
	}
	if w.inverted, err = newInvertings(p.inverted, t.Holds, f.env.Expr); err != nil {
		return nil, err
	}
	w.family, err = newFamily(f, p, t)
	return w, err
}

// making is how entries are made of rows.
type making struct {
	partial  []expr.Predicate // which rows have items in each of the layouts; nil: all have
	inverted []inverting
	expressions
}

// relations are those of the rows to rows of other tables.
type relations struct {
	family *family          // of a table that lies with others; nil: it lies alone
	keys   plan.References  // foreign keys
	fires  []plan.Trigger   // those of the triggers that fire in the session
	set    []int            // the columns that the statement sets, for triggers
	among  *plan.Partitions // of a partition those of its parent; nil: it is none
}

// care is how a writer keeps others from writing the same.
type care struct {
	// blind says that rows are put without a look at whether their keys are taken, and replacing that they take the
	// place of the rows that have them.
	blind, replacing bool
	// watched says that the rows are not guarded, so that entries must not have been written by others.
	watched bool
}

// placement is what a change means for one layout.
type placement struct {
	held  bool      // the layout has an item of the new row
	key   store.Key // of the new row, if it is held
	stays bool      // and it was the key of the old one
	// foreign says that another row has the entry at the key of the old one.
	foreign bool
	alone   bool // no other row may have it
	asked   bool // it is known whether another row has it
	taken   bool // another row has it
	fresh   bool // the statement has locked it
	extra   bool // another row may have it until it is checked
}

// apply makes changes, and counts those that it made. All keys that rows leave are free
// before any is taken, so that rows may exchange theirs.
func (w *writer) apply(changes []change) (int64, error) {
	changes, placements, err := w.resolve(changes)
	if err == nil {
		err = w.putAll(changes, placements)
	}
	if err != nil {
		return 0, err
	}
	return int64(len(changes)), note(w, changes)
}

// note notes what follows from changes that were made.
func note(w *writer, changes []change) error {
	if err := (firedFor{w}).note(changes); err != nil {
		return err
	}
	return referring{w}.note(changes)
}

// resolve deletes what is at the keys that rows leave, and finds which changes can be made.
func (w *writer) resolve(changes []change) ([]change, []placement, error) {
	if err := w.canceled(); err != nil {
		return nil, nil, err
	}
	placements, err := w.leave(changes)
	if err == nil {
		err = unique{w}.lockAll(changes, placements)
	}
	if err == nil {
		err = w.look(changes, placements)
	}
	if err == nil && w.table.TTL != nil {
		err = w.evict(changes, placements)
	}
	if err != nil {
		return nil, nil, err
	}
	var claimed *claims
	if !w.env.Sorted {
		claimed = newClaims(len(changes))
	}
	n, made := len(w.layouts), 0
	for i, c := range changes {
		at := placements[i*n:][:n]
		ok, err := w.claim(c, at, claimed)
		if err == nil && ok && c.new != nil {
			err = checkViews(w, c.new)
		}
		if err != nil && w.lines != nil && w.lines[i] > 0 {
			err = &LineError{err, w.lines[i]}
		}
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			continue
		}
		if made < i {
			changes[made] = c
			copy(placements[made*n:], at)
		}
		made++
	}
	changes, placements = changes[:made], placements[:made*n]
	if err := (kin{w}).leaveChildren(changes, placements); err != nil {
		return nil, nil, err
	}
	return changes, placements, kin{w}.checkParents(changes, placements)
}

// putAll writes the rows of changes that are settled.
func (w *writer) putAll(changes []change, placements []placement) error {
	for i, c := range changes {
		w.follow(w.table, c)
		if err := w.put(c, placements[i*len(w.layouts):][:len(w.layouts)]); err != nil {
			return err
		}
		if err := (postings{w}).put(c); err != nil {
			return err
		}
	}
	w.env.counted(w.table, changes)
	return parts{w.frame}.note(w.table, changes)
}

// counted notes changes of a table in the tally of the run.
func (e *Env) counted(t *table, changes []change) {
	if len(changes) == 0 {
		return
	}
	t.learn(changes[e.Noted.Known(len(changes)):])
	var n tally.Changes
	for i := range changes {
		switch c := &changes[i]; {
		case c.old == nil:
			n.Inserted++
		case c.new == nil:
			n.Deleted++
		default:
			n.Updated++
		}
	}
	e.Tally.Note(t.ID, n)
}

// leave works out the keys of all changes, layout by layout of each, and deletes the
// items at keys that are left. An entry needs no guard, since that of its row stands for
// both.
func (w *writer) leave(changes []change) ([]placement, error) {
	out := make([]placement, 0, len(changes)*len(w.layouts))
	for _, c := range changes {
		if c.old != nil {
			if err := w.compute(c.old); err != nil {
				return nil, err
			}
		}
	}
	foreign, err := w.foreign(changes)
	if err != nil {
		return nil, err
	}
	for i, c := range changes {
		for j, l := range w.layouts {
			var p placement
			was, err := w.holdings(j, c, &p)
			if err != nil {
				return nil, err
			}
			if p.held {
				p.key = l.codec.Key(c.new)
			}
			if was {
				old := l.codec.Key(c.old)
				p.foreign = foreign.has(j, i)
				if l.deferrable() {
					if tied, extra, err := (deferring{w}).entry(l, c.old); err != nil {
						return nil, err
					} else if extra {
						old, p.foreign = tied, false
					}
				}
				// What another row has taken from one that has expired is no key of it any more.
				p.stays = p.held && sameKey(old, p.key) && (!p.foreign || l.unverified)
				if l.unique && !p.foreign && w.promises(l) { // others that want the key wait for the end of the row
					if _, err := (unique{w}).lock(l, l.standFor(old, c.old)); err != nil {
						return nil, err
					}
				}
				if !p.stays && !p.foreign {
					guard := c.guard(l.leaving())
					if w.mayHaveLost(l) && w.expired(c.old) {
						guard = store.Unchanged
					}
					if err := removeItem(w.frame, l, old, change{old: c.old}, guard); err != nil {
						return nil, err
					}
				}
			}
			p.alone = p.held && (!p.stays || w.rises(j, c)) && l.unique && !l.codec.KeyHasNull(c.new)
			out = append(out, p)
		}
	}
	return out, postings{w}.leave(changes)
}

func sameKey(a, b store.Key) bool {
	return bytes.Equal(a.Partition, b.Partition) && bytes.Equal(a.Sort, b.Sort)
}

// guard is that of a write at a key that the row had before.
func (l *layout) guard() store.Guard {
	if l.index == nil || l.unverified {
		return store.Unchanged
	}
	return store.Always
}

// leaving is the guard of a delete at such a key.
func (l *layout) leaving() store.Guard {
	if l.ahead {
		return store.Loose
	}
	return l.guard()
}

// look asks which of the keys that rows must have alone are taken. A row id is new, so
// the store is not asked for it.
func (w *writer) look(changes []change, placements []placement) error {
	for j, l := range w.layouts {
		if !l.unique || !w.promises(l) || w.blind || w.env.Sorted {
			continue
		}
		var asked []*placement
		var keys []store.Key
		for i, c := range changes {
			p := &placements[i*len(w.layouts)+j]
			if !p.alone {
				continue
			}
			if p.asked = (c.old == nil || w.rises(j, c)) && slices.Contains(w.looked, j); p.asked {
				p.taken = j == 0 && w.taken != nil && w.taken[i]
				continue
			}
			if asked = append(asked, p); l.keysPerRow == 1 {
				keys = append(keys, p.key)
				continue
			}
			if keys = append(keys, l.codec.Everywhere(c.new)...); len(keys) >= writeChunk {
				if err := w.ask(l, keys, asked); err != nil {
					return err
				}
				asked, keys = asked[:0], keys[:0]
			}
		}
		if err := w.ask(l, keys, asked); err != nil {
			return err
		}
	}
	return nil
}

// promises says whether a layout promises that no two rows have equal keys: row ids, which
// are not looked at, need not.
func (w *writer) promises(l *layout) bool { return l.index != nil || w.table.KeyName() != "" }

// ask asks which keys of some rows are taken: a key of each row, or all those that may
// hold what it must have alone.
func (w *writer) ask(l *layout, keys []store.Key, asked []*placement) error {
	if len(keys) == 0 {
		return nil
	}
	late := unique{w}.late(l, keys)
	get := &store.Get{Keys: keys, Remember: true, Latest: late != nil, Stats: &w.profile.Stats}
	found, err := w.env.Txn.Get(w.ctx, l.space, get, types.NewBatch(0))
	if err == nil && late != nil { // whether a key is taken may be answered
		err = w.env.Txn.AwaitDurable(w.ctx)
	}
	if err != nil {
		return w.storeError(err, "get from", l.space.Name)
	}
	for i, p := range asked {
		p.asked, p.taken = true, slices.Contains(found[i*l.keysPerRow:][:l.keysPerRow], true)
		if p.taken && late != nil && late[i*l.keysPerRow] && w.yields != nil && w.env.Locks.Fixed() {
			return concurrent("update")
		}
	}
	return nil
}

// claim takes the unique keys of a change for it, unless another row has one: then it is
// an error, or the change is dropped. Whether it is dropped goes first, as in PostgreSQL. Whatever
// makes items comes by here, so here it is seen that no key is too long.
func (w *writer) claim(c change, at []placement, by *claims) (bool, error) {
	var violation error
	for j := range at {
		p, l := &at[j], w.layouts[j]
		if w.yields != nil && w.yields(l) {
			if err := (deferring{w}).arbitrates(l); err != nil {
				return false, err
			}
		}
		if !p.alone || !p.taken && !by.has(j, l.standFor(p.key, c.new)) {
			continue
		}
		if l.deferrable() {
			p.key, p.alone, p.extra = l.codec.TiedKey(c.new), false, true
			continue
		}
		if w.yields != nil && w.yields(l) {
			unique{w}.unlock(c, at)
			return false, nil
		}
		if violation == nil {
			violation = w.violation(l, c.new)
		}
	}
	if violation != nil {
		return false, violation
	}
	for j := range at {
		if at[j].alone {
			by.add(j, w.layouts[j].standFor(at[j].key, c.new))
		}
	}
	return true, w.checkKeys(c, at)
}

// put writes the new row of a change, and those of its entries that are not there as
// they are. The guards Absent and Unchanged keep two transactions from putting a unique key at
// once.
func (w *writer) put(c change, at []placement) error {
	for j := range at {
		p, l := &at[j], w.layouts[j]
		if !p.held || p.stays && (p.foreign || l.index != nil && w.sameItem(l, c)) {
			continue
		}
		guard := store.Always
		switch {
		case p.extra: // no other transaction puts there, and what was asked is about another key
		case p.stays:
			guard = c.guard(l.guard())
		case p.asked:
			guard = store.Unchanged // from nothing, which spares the commit to look again
		case p.alone && w.replacing:
			guard = store.Blind
		case p.alone:
			guard = store.Absent
		case l.loose:
			guard = store.Loose
		case w.watched:
			guard = store.Unchanged
		}
		if p.alone && l.keysPerRow > 1 && w.promises(l) {
			if err := w.keepAlone(l, p.key, c.new); err != nil {
				return err
			}
		}
		if err := putNew(w, l, p.key, c.at(p.stays), guard); err != nil {
			return err
		}
		if p.extra {
			if err := (deferring{w}).note(l, c.new, p.key); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepAlone guards the keys at which a row could stand, but for the one at which it will,
// so that no other transaction puts there what the row must have alone.
func (w *writer) keepAlone(l *layout, key store.Key, row types.Row) error {
	for _, k := range l.codec.Everywhere(row) {
		if sameKey(k, key) {
			continue
		}
		if err := removeItem(w.frame, l, k, change{}, store.Absent); err != nil {
			return err
		}
	}
	return nil
}

// removeItem deletes the item at a key, which stands for a change, and counts what that is charged.
func removeItem(f frame, l *layout, key store.Key, c change, g store.Guard) error {
	if err := f.spend(l, key, c, g); err != nil {
		return err
	}
	if err := f.deleteItem(l, key, g); err != nil {
		return f.storeError(err, "delete from", l.space.Name)
	}
	return nil
}

// putNew puts the item of the new row of a change at a key, and counts what that is charged.
func putNew(w *writer, l *layout, key store.Key, c change, g store.Guard) error {
	if err := w.spend(l, key, c, g); err != nil {
		return err
	}
	w.values = l.item(w.values[:0], c.new)
	if err := w.putItem(l, store.Item{Key: key, Values: w.values}, g); err != nil {
		return w.storeError(err, "put into", l.space.Name)
	}
	return nil
}

// sameItem says whether a layout stores the same of the old row and the new one.
func (w *writer) sameItem(l *layout, c change) bool {
	for _, i := range l.stored {
		element := l.elements != nil && i == l.elements.column
		if !element && !types.Identical(c.old[i], c.new[i]) {
			return false
		}
	}
	return true
}

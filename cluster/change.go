package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster/lock"
	"zproxy/store"
)

// Change is what a transaction has changed of the schema. The descriptors are among the writes of its store
// transaction; spaces are made at once, and dropped at the end.
type Change struct {
	ChangeMark
	// Snap is the newest catalog when the statement began, base, as the transaction changed it.
	Snap, base *catalog.Snapshot
	announced  bool            // other processes know of it
	frozen     map[uint32]bool // tables of which other processes commit no rows; true: which they do not use
}

// ChangeMark is a state of a Change that a savepoint goes back to.
type ChangeMark struct {
	edits   []edit
	alone   []exclusion
	created []store.Space // to be dropped if it is rolled back
	dropped []store.Space // to be dropped once it is committed
	// States of sequences are, like spaces, no part of the transaction: numbers are taken
	// for good.
	begun []uint64 // to be forgotten if it is rolled back
	ended []uint64 // to be forgotten once it is committed
	made  []madeDatabase
}

// madeDatabase is a database that begins with some objects.
type madeDatabase struct {
	id      uint32
	objects []catalog.Object
}

// in is the catalog of a process with the change.
func (c *Change) in(whole *catalog.Whole, changed *catalog.Snapshot) *catalog.Whole {
	whole = whole.With(changed)
	for _, m := range c.made {
		whole = whole.Beginning(m.id, m.objects)
	}
	return whole
}

// exclusion is a table that no others may commit rows of, unless whole nor hold.
type exclusion struct {
	table uint32
	whole bool
}

// edit puts objects into the catalog, or takes them out of it.
type edit struct {
	objects []catalog.Object
	gone    bool
}

func (e edit) of(snap *catalog.Snapshot) *catalog.Snapshot {
	if e.gone {
		return snap.Without(e.objects...)
	}
	return snap.With(e.objects...)
}

// on is a catalog with what the transaction has changed.
func (c *Change) on(base *catalog.Snapshot) *catalog.Snapshot {
	switch {
	case c == nil:
		return base
	case c.base == base:
		return c.Snap
	}
	return c.over(base)
}

func (c *Change) over(base *catalog.Snapshot) *catalog.Snapshot {
	var run edit // equal edits are applied at once
	for _, e := range c.edits {
		if e.gone != run.gone && run.objects != nil {
			base, run.objects = run.of(base), nil
		}
		run = edit{append(run.objects, e.objects...), e.gone}
	}
	if run.objects != nil {
		base = run.of(base)
	}
	return base
}

// follow makes the change one of a newer catalog. Others have not changed the objects that it is about.
func (c *Change) follow(base *catalog.Snapshot) {
	if c.base != base {
		c.base, c.Snap = base, c.over(base)
	}
}

// Changes gives the schema change of the transaction, and begins it if there is none. Where processes share the store
// it waits until the one of another session has ended.
func (t *Transaction) Changes(ctx context.Context) (*Change, error) {
	if t.change != nil {
		return t.change, nil
	}
	if t.node.shared != nil {
		if _, err := t.owner.Locks().Acquire(t.owner.Wait(ctx), wholeCatalog, lock.AccessExclusive,
			lock.Block); err != nil {
			return nil, err
		}
		if err := t.node.beginChange(t.owner.Wait(ctx)); err != nil {
			return nil, err
		}
		if t.txn != nil && t.writes && t.schema != t.node.Snapshot() {
			t.node.giveChange(nil)
			return nil, errChanged
		}
	}
	snap := t.node.Snapshot()
	t.change = &Change{Snap: snap, base: snap, frozen: map[uint32]bool{}}
	return t.change, nil
}

// FollowSchema lets a statement that changes the schema go by the newest one, whatever rows the transaction sees.
func (t *Transaction) FollowSchema() {
	if t.change != nil && t.node.shared == nil {
		t.change.follow(t.node.Snapshot())
	}
}

// WithTable does something with the newest version of a table, or with nil if it is no more: again where others have
// changed the catalog before a lock was granted.
func WithTable(ctx context.Context, t *Transaction, id uint32, do func(*catalog.Table) error) error {
	c, err := t.Changes(ctx)
	if err != nil {
		return err
	}
	for {
		t.FollowSchema()
		now, _ := c.Snap.ByID(id).(*catalog.Table)
		if err := do(now); !errors.Is(err, ErrMoved) {
			return err
		}
	}
}

// excludes says whether no other transaction commits rows of a table, and whether none holds it.
func (c *Change) excludes(id uint32) (yes, whole bool) {
	for _, e := range c.alone {
		if e.table == id {
			yes, whole = true, whole || e.whole
		}
	}
	return yes, whole
}

// IsMine notes that no other transaction sees a table, since this one made it.
func (c *Change) IsMine(id uint32) { c.alone = append(slices.Clip(c.alone), exclusion{id, true}) }

// excluded are the tables of exclusions.
func excluded(of []exclusion) map[uint32]bool {
	out := map[uint32]bool{}
	for _, e := range of {
		out[e.table] = true
	}
	return out
}

// Alone keeps others from a table until the transaction ends, in all processes.
func (t *Transaction) Alone(ctx context.Context, of *catalog.Table) error {
	return (objectLocks{t}).alone(ctx, of, lock.AccessExclusive)
}

// WithoutWriters is Alone for a statement that lets others read the table.
func (t *Transaction) WithoutWriters(ctx context.Context, of *catalog.Table) error {
	return (objectLocks{t}).alone(ctx, of, lock.Share)
}

// WithoutChanges keeps others from changing a relation, which they go on to use.
func (t *Transaction) WithoutChanges(ctx context.Context, of catalog.Relation) error {
	return (objectLocks{t}).lock(ctx, lock.Relation(of.Ref().ID), lock.ShareUpdateExclusive)
}

// AloneHere keeps others in this process from committing rows of a table while a step of the state of an index is
// committed. They go on to write rows, and may hold the table.
func (t *Transaction) AloneHere(ctx context.Context, of *catalog.Table) error {
	return (objectLocks{t}).exclude(ctx, of, lock.ShareUpdateExclusive, false)
}

// RowsOf is the transaction to read all rows of a table with that is to be changed. It
// fails when others have committed rows that the transaction does not see.
func (t *Transaction) RowsOf(ctx context.Context, of *catalog.Table) (store.Txn, error) {
	if err := t.WithoutWriters(ctx, of); err != nil {
		return nil, err
	}
	txn, err := t.Store(ctx, true)
	if err == nil && t.node.Store.Capabilities().Snapshots && t.node.Locks.WrittenSince(of.ID, t.seen) {
		err = fmt.Errorf("table %q was written to: %w", of.Name, store.ErrConflict)
	}
	return txn, err
}

// Put makes objects part of the transaction's schema.
func (t *Transaction) Put(ctx context.Context, objects ...catalog.Object) error {
	c, err := t.Changes(ctx)
	if err != nil {
		return err
	}
	for _, o := range objects {
		if next, ok := o.(*catalog.Table); ok {
			if old, there := c.Snap.ByID(next.ID).(*catalog.Table); there {
				if err := (objectLocks{t}).aloneWith(ctx, old, next); err != nil {
					return err
				}
			}
		}
		if err := (objectLocks{t}).toPut(ctx, o); err != nil {
			return err
		}
	}
	return t.edit(ctx, func(c *Change, txn store.Txn) error {
		for _, o := range objects {
			if err := catalogstore.Put(txn, t.node.database, o); err != nil {
				return err
			}
			switch o := o.(type) {
			case *catalog.Table:
				before, _ := c.Snap.ByID(o.ID).(*catalog.Table)
				if err := catalogstore.PutSketches(txn, before, o); err != nil {
					return err
				}
			case *catalog.Sequence:
				c.noteState(o)
			}
		}
		t.apply(edit{objects: objects})
		return nil
	})
}

// Remove takes objects out of the transaction's schema, and their spaces away.
func (t *Transaction) Remove(ctx context.Context, objects ...catalog.Object) error {
	for _, o := range objects {
		in := t.node.database
		if err := (objectLocks{t}).lock(ctx, tagOf(in, o), lock.AccessExclusive); err != nil {
			return err
		}
		if err := (objectLocks{t}).lock(ctx, descriptorOf(in, o), lock.Update); err != nil {
			return err
		}
		if table, ok := o.(*catalog.Table); ok {
			if err := t.Alone(ctx, table); err != nil {
				return err
			}
		}
	}
	return t.edit(ctx, func(c *Change, txn store.Txn) error {
		for _, o := range objects {
			if err := catalogstore.Delete(txn, t.node.database, o); err != nil {
				return err
			}
			switch o := o.(type) {
			case *catalog.Table:
				c.dropped = append(slices.Clip(c.dropped), SpacesOf(o)...)
			case *catalog.Sequence:
				c.ended = append(slices.Clip(c.ended), o.State)
			}
		}
		t.apply(edit{objects: objects, gone: true})
		return nil
	})
}

// Created are the spaces that were made since a mark, or with nil all of them. They are not to be changed.
func (c *Change) Created(since *ChangeMark) []store.Space {
	switch {
	case c == nil:
		return nil
	case since == nil:
		return c.created
	}
	return c.created[len(since.created):]
}

// noteState notes that a sequence begins a state, in the place of another if it was there.
func (c *Change) noteState(q *catalog.Sequence) {
	old, _ := c.Snap.ByID(q.ID).(*catalog.Sequence)
	switch {
	case old == nil:
		c.begun = append(slices.Clip(c.begun), q.State)
	case old.State != q.State:
		c.begun, c.ended = append(slices.Clip(c.begun), q.State), append(slices.Clip(c.ended), old.State)
	}
}

// edit changes the schema of the transaction.
func (t *Transaction) edit(ctx context.Context, f func(*Change, store.Txn) error) error {
	c, err := t.Changes(ctx)
	if err != nil {
		return err
	}
	txn, err := t.Store(ctx, true)
	if err != nil {
		return err
	}
	return f(c, txn)
}

// apply notes an edit, and makes it part of what the transaction sees and is planned with.
func (t *Transaction) apply(e edit) {
	c := t.change
	same := t.schema == c.Snap
	c.edits = append(slices.Clip(c.edits), e)
	if c.Snap = e.of(c.Snap); same {
		t.schema = c.Snap
	} else {
		t.schema = e.of(t.schema)
	}
}

// Mark is the present state of the change, nil when there is none.
func (c *Change) Mark() *ChangeMark {
	if c == nil {
		return nil
	}
	m := c.ChangeMark
	return &m
}

// RollbackChangeTo undoes what was changed of the schema since a mark, or with nil since the transaction began. The
// locks of the objects are the caller's to give back.
func (t *Transaction) RollbackChangeTo(m *ChangeMark) {
	c := t.change
	if c == nil {
		return
	}
	if m == nil {
		m = &ChangeMark{}
	}
	t.node.dropSpaces(c.created[len(m.created):])
	t.node.dropStates(c.begun[len(m.begun):])
	t.node.Locks.EndExclusions(excluded(c.alone[len(m.alone):]))
	c.ChangeMark = *m
	c.Snap = c.over(c.base)
	t.goBy(t.base)
}

// endChange ends a schema change, which was kept or not.
func (t *Transaction) endChange(c *Change, kept bool) {
	n := t.node
	if !kept {
		n.giveChange(excluded(c.alone))
		n.dropSpaces(c.created)
		n.dropStates(c.begun)
		return
	}
	n.Locks.EndChange(excluded(c.alone))
	if n.shared != nil {
		if len(c.created)+len(c.dropped) > 0 {
			n.Background.Run(n.shared.dropPending) // others may still read what was dropped
		}
	} else {
		n.dropSpaces(c.dropped)
	}
	n.dropStates(c.ended)
}

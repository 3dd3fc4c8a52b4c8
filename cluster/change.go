package cluster

import (
	"context"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/store"
)

// Change is what a transaction has changed of the schema. The descriptors are among the writes of its store
// transaction; spaces are made at once, and dropped at the end.
type Change struct {
	ChangeMark
	// alone are the tables that no others may commit rows of, and sequences that no others may move: true
	// unless a table may still be held.
	alone  map[uint32]bool
	frozen map[uint32]bool // of the tables, those of which other processes commit no rows, either
}

// ChangeMark is a state of a Change that a savepoint goes back to.
type ChangeMark struct {
	Snap    *catalog.Snapshot // what the transaction sees
	created []store.Space     // to be dropped if it is rolled back
	dropped []store.Space     // to be dropped once it is committed
	// States of sequences are, like spaces, no part of the transaction: numbers are taken
	// for good.
	begun []uint64 // to be forgotten if it is rolled back
	ended []uint64 // to be forgotten once it is committed
}

// Changes gives the schema change of the transaction, and begins it if there is none. It
// waits until the one of another session has ended.
func (t *Transaction) Changes(ctx context.Context) (*Change, error) {
	if t.change != nil {
		return t.change, nil
	}
	if err := t.node.beginChange(t.owner.Wait(ctx)); err != nil {
		return nil, err
	}
	snap := t.node.Snapshot()
	if t.txn != nil && t.writes && t.schema != snap {
		t.node.giveChange(nil)
		return nil, fmt.Errorf("the schema changed: %w", store.ErrConflict)
	}
	t.change = &Change{ChangeMark: ChangeMark{Snap: snap}, alone: map[uint32]bool{}, frozen: map[uint32]bool{}}
	return t.change, nil
}

// IsAlone says whether no other transaction commits rows of a table, or moves a sequence.
func (c *Change) IsAlone(id uint32) bool { return c != nil && c.alone[id] }

// IsMine notes that no other transaction sees an object, since this one made it.
func (c *Change) IsMine(id uint32) { c.alone[id] = true }

// Alone keeps others from committing rows of a table until the transaction ends, also in other
// processes.
func (t *Transaction) Alone(ctx context.Context, of *catalog.Table) error {
	if err := t.AloneHere(ctx, of.ID, true); err != nil || t.node.shared == nil || t.change.frozen[of.ID] {
		return err
	}
	if err := t.node.shared.freezeElsewhere(t.owner.Wait(ctx), of.ID); err != nil {
		return err
	}
	t.change.frozen[of.ID] = true
	return nil
}

// AloneHere is Alone for a table or a sequence but for other processes, and unless it is a whole change for the
// transaction that holds the table.
func (t *Transaction) AloneHere(ctx context.Context, id uint32, whole bool) error {
	c, err := t.Changes(ctx)
	if err != nil || c.alone[id] {
		return err
	}
	if _, already := c.alone[id]; already && !whole {
		return nil
	}
	if err := t.node.Locks.Exclude(t.owner.Wait(ctx), id, whole); err != nil {
		return err
	}
	c.alone[id] = whole
	return nil
}

// aloneWith is Alone with a table that is about to change in a way that rows which were written by the
// version before must not be committed.
func (t *Transaction) aloneWith(ctx context.Context, old, next *catalog.Table) error {
	if _, known := t.node.Snapshot().ByID(old.ID).(*catalog.Table); !known || next != nil && next.Accepts(old.Version) {
		return nil
	}
	return t.Alone(ctx, old)
}

// RowsOf is the transaction to read all rows of a table with that is to be changed. It
// fails when others have committed rows that the transaction does not see.
func (t *Transaction) RowsOf(ctx context.Context, of *catalog.Table) (store.Txn, error) {
	if err := t.Alone(ctx, of); err != nil {
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
	for _, o := range objects {
		if next, ok := o.(*catalog.Table); ok {
			c, err := t.Changes(ctx)
			if err != nil {
				return err
			}
			if old, there := c.Snap.ByID(next.ID).(*catalog.Table); there {
				if err := t.aloneWith(ctx, old, next); err != nil {
					return err
				}
			}
		}
	}
	return t.edit(ctx, func(c *Change, txn store.Txn) error {
		for _, o := range objects {
			if err := catalogstore.Put(txn, o); err != nil {
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
		c.Snap = c.Snap.With(objects...)
		return nil
	})
}

// Remove takes objects out of the transaction's schema, and their spaces away.
func (t *Transaction) Remove(ctx context.Context, objects ...catalog.Object) error {
	for _, o := range objects {
		if table, ok := o.(*catalog.Table); ok {
			if err := t.aloneWith(ctx, table, nil); err != nil {
				return err
			}
		}
	}
	return t.edit(ctx, func(c *Change, txn store.Txn) error {
		for _, o := range objects {
			if err := catalogstore.Delete(txn, o); err != nil {
				return err
			}
			switch o := o.(type) {
			case *catalog.Table:
				c.dropped = append(slices.Clip(c.dropped), SpacesOf(o)...)
			case *catalog.Sequence:
				c.ended = append(slices.Clip(c.ended), o.State)
			}
		}
		c.Snap = c.Snap.Without(objects...)
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
		c.alone[q.ID] = true // no other transaction sees it
		c.begun = append(slices.Clip(c.begun), q.State)
	case old.State != q.State:
		c.begun, c.ended = append(slices.Clip(c.begun), q.State), append(slices.Clip(c.ended), old.State)
	}
}

// edit changes the schema of the transaction, and what it is planned with.
func (t *Transaction) edit(ctx context.Context, f func(*Change, store.Txn) error) error {
	c, err := t.Changes(ctx)
	if err != nil {
		return err
	}
	txn, err := t.Store(ctx, true)
	if err != nil {
		return err
	}
	err = f(c, txn)
	t.schema = c.Snap
	return err
}

// Mark is the present state of the change, nil when there is none.
func (c *Change) Mark() *ChangeMark {
	if c == nil {
		return nil
	}
	m := c.ChangeMark
	return &m
}

// RollbackChangeTo undoes what was changed of the schema since a mark, or with nil since
// the transaction began. The locks stay.
func (t *Transaction) RollbackChangeTo(m *ChangeMark) {
	c := t.change
	if c == nil {
		return
	}
	if m == nil {
		m = &ChangeMark{Snap: t.node.Snapshot()} // no other transaction can have changed it
	}
	t.node.dropSpaces(c.created[len(m.created):])
	t.node.dropStates(c.begun[len(m.begun):])
	c.ChangeMark = *m
	t.schema = c.Snap
}

// endChange ends a schema change, which was kept or not.
func (t *Transaction) endChange(c *Change, kept bool) {
	n := t.node
	if !kept {
		n.giveChange(c.alone)
		n.dropSpaces(c.created)
		n.dropStates(c.begun)
		return
	}
	n.Locks.EndChange(c.alone)
	if n.shared != nil {
		if len(c.created)+len(c.dropped) > 0 {
			n.Background.Run(n.shared.dropPending) // others may still read what was dropped
		}
	} else {
		n.dropSpaces(c.dropped)
	}
	n.dropStates(c.ended)
}

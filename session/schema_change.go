package session

import (
	"context"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster/lock"
	"zproxy/store"
)

// schemaChange is what a transaction has changed of the schema. The descriptors are among
// the writes of its store transaction; spaces are made at once, and dropped at the end.
type schemaChange struct {
	schemaMark
	// alone are the tables that no others may commit rows of, and sequences that no others may move: true
	// unless a table may still be held.
	alone  map[uint32]bool
	frozen map[uint32]bool // of the tables, those of which other processes commit no rows, either
}

// schemaMark is a state of a schemaChange that a savepoint goes back to.
type schemaMark struct {
	snap    *catalog.Snapshot // what the transaction sees
	created []store.Space     // to be dropped if it is rolled back
	dropped []store.Space     // to be dropped once it is committed
	// States of sequences are, like spaces, no part of the transaction: numbers are taken
	// for good.
	begun []uint64 // to be forgotten if it is rolled back
	ended []uint64 // to be forgotten once it is committed
}

// changes gives the schema change of the transaction, and begins it if there is none. It
// waits until the one of another session has ended.
func (s *Session) changes(ctx context.Context) (*schemaChange, error) {
	if s.txn.change != nil {
		return s.txn.change, nil
	}
	if err := s.db.beginChange(s.lockWait(ctx)); err != nil {
		return nil, err
	}
	snap := s.db.snapshot()
	if s.txn.txn != nil && s.txn.writes && s.txn.schema != snap {
		s.db.giveChange(nil)
		return nil, fmt.Errorf("the schema changed: %w", store.ErrConflict)
	}
	s.txn.change = &schemaChange{schemaMark: schemaMark{snap: snap}, alone: map[uint32]bool{}, frozen: map[uint32]bool{}}
	return s.txn.change, nil
}

// beginChange waits until no other transaction changes the schema, in this process or another.
func (db *DB) beginChange(p lock.Wait) error {
	err := db.locks.BeginChange(p)
	if err != nil || db.shared == nil {
		return err
	}
	if err = db.shared.takeChange(p); err != nil {
		db.locks.EndChange(nil)
	}
	return err
}

// giveChange lets others change the schema, of which nothing was changed, and commit rows of tables.
func (db *DB) giveChange(tables map[uint32]bool) {
	if db.shared != nil {
		db.shared.giveChange()
	}
	db.locks.EndChange(tables)
}

// alone keeps others from committing rows of a table until the transaction ends, also in other
// processes.
func (s *Session) alone(ctx context.Context, t *catalog.Table) error {
	if err := s.aloneHere(ctx, t, true); err != nil || s.db.shared == nil || s.txn.change.frozen[t.ID] {
		return err
	}
	if err := s.db.shared.freezeElsewhere(s.lockWait(ctx), t.ID); err != nil {
		return err
	}
	s.txn.change.frozen[t.ID] = true
	return nil
}

// aloneHere is alone but for other processes, and unless it is a whole change for who holds the table.
func (s *Session) aloneHere(ctx context.Context, t *catalog.Table, whole bool) error {
	c, err := s.changes(ctx)
	if err != nil || c.alone[t.ID] {
		return err
	}
	if _, already := c.alone[t.ID]; already && !whole {
		return nil
	}
	if err := s.db.locks.Exclude(s.lockWait(ctx), t.ID, whole); err != nil {
		return err
	}
	c.alone[t.ID] = whole
	return nil
}

// aloneWith is alone with a table that is about to change in a way that who wrote rows by the
// version before must not commit them.
func (s *Session) aloneWith(ctx context.Context, old, next *catalog.Table) error {
	if _, known := s.db.snapshot().ByID(old.ID).(*catalog.Table); !known || next != nil && next.Accepts(old.Version) {
		return nil
	}
	return s.alone(ctx, old)
}

// rowsOf is the transaction to read all rows of a table with that is to be changed. It
// fails when others have committed rows that the transaction does not see.
func (s *Session) rowsOf(ctx context.Context, t *catalog.Table) (store.Txn, error) {
	if err := s.alone(ctx, t); err != nil {
		return nil, err
	}
	txn, err := s.store(ctx, true)
	if err == nil && s.db.store.Capabilities().Snapshots && s.db.locks.WrittenSince(t.ID, s.txn.seen) {
		err = fmt.Errorf("table %q was written to: %w", t.Name, store.ErrConflict)
	}
	return txn, err
}

// put makes objects part of the transaction's schema.
func (s *Session) put(ctx context.Context, objects ...catalog.Object) error {
	for _, o := range objects {
		if next, ok := o.(*catalog.Table); ok {
			c, err := s.changes(ctx)
			if err != nil {
				return err
			}
			if old, there := c.snap.ByID(next.ID).(*catalog.Table); there {
				if err := s.aloneWith(ctx, old, next); err != nil {
					return err
				}
			}
		}
	}
	return s.edit(ctx, func(c *schemaChange, txn store.Txn) error {
		for _, o := range objects {
			if err := catalogstore.Put(txn, o); err != nil {
				return err
			}
			switch o := o.(type) {
			case *catalog.Table:
				before, _ := c.snap.ByID(o.ID).(*catalog.Table)
				if err := catalogstore.PutSketches(txn, before, o); err != nil {
					return err
				}
			case *catalog.Sequence:
				c.noteState(o)
			}
		}
		c.snap = c.snap.With(objects...)
		return nil
	})
}

// remove takes objects out of the transaction's schema, and their spaces away.
func (s *Session) remove(ctx context.Context, objects ...catalog.Object) error {
	for _, o := range objects {
		if t, ok := o.(*catalog.Table); ok {
			if err := s.aloneWith(ctx, t, nil); err != nil {
				return err
			}
		}
	}
	return s.edit(ctx, func(c *schemaChange, txn store.Txn) error {
		for _, o := range objects {
			if err := catalogstore.Delete(txn, o); err != nil {
				return err
			}
			switch o := o.(type) {
			case *catalog.Table:
				c.dropped = append(slices.Clip(c.dropped), spacesOf(o)...)
			case *catalog.Sequence:
				c.ended = append(slices.Clip(c.ended), o.State)
			}
		}
		c.snap = c.snap.Without(objects...)
		return nil
	})
}

// noteState notes that a sequence begins a state, in the place of another if it was there.
func (c *schemaChange) noteState(q *catalog.Sequence) {
	old, _ := c.snap.ByID(q.ID).(*catalog.Sequence)
	switch {
	case old == nil:
		c.alone[q.ID] = true // no other transaction sees it
		c.begun = append(slices.Clip(c.begun), q.State)
	case old.State != q.State:
		c.begun, c.ended = append(slices.Clip(c.begun), q.State), append(slices.Clip(c.ended), old.State)
	}
}

// edit changes the schema of the transaction, and what it is planned with.
func (s *Session) edit(ctx context.Context, f func(*schemaChange, store.Txn) error) error {
	c, err := s.changes(ctx)
	if err != nil {
		return err
	}
	txn, err := s.store(ctx, true)
	if err != nil {
		return err
	}
	err = f(c, txn)
	s.txn.schema, s.txn.redo = c.snap, nil
	return err
}

// create makes a space, which is dropped if the transaction is rolled back.
func (s *Session) create(ctx context.Context, space *store.Space) error {
	c, err := s.changes(ctx)
	if err != nil {
		return err
	}
	if s.db.shared != nil {
		if err := s.db.shared.announceDrop(ctx, space); err != nil {
			return err
		}
	}
	if err := s.db.store.Create(ctx, space); err != nil {
		return fmt.Errorf("create %s: %w", space.Name, err)
	}
	c.created = append(slices.Clip(c.created), *space)
	return nil
}

// createSpaces makes the spaces of a table and its indexes.
func (s *Session) createSpaces(ctx context.Context, t *catalog.Table) error {
	for _, space := range spacesOf(t) {
		if err := s.create(ctx, &space); err != nil {
			return err
		}
	}
	return nil
}

// dropLater drops spaces once the transaction is committed.
func (s *Session) dropLater(spaces ...store.Space) {
	c := s.txn.change
	c.dropped = append(slices.Clip(c.dropped), spaces...)
}

// spacesOf are the spaces of a table and its indexes.
func spacesOf(t *catalog.Table) []store.Space {
	if t.Foreign != nil {
		return nil // they are not ours
	}
	out := []store.Space{*t.TableSpace()}
	for i := range t.Indexes {
		out = append(out, *t.IndexSpace(&t.Indexes[i]))
	}
	return out
}

// mark is the present state, nil when there is none.
func (c *schemaChange) mark() *schemaMark {
	if c == nil {
		return nil
	}
	m := c.schemaMark
	return &m
}

// rollbackChangeTo undoes what was changed of the schema since a mark, or with nil since
// the transaction began. The locks stay.
func (s *Session) rollbackChangeTo(m *schemaMark) {
	c := s.txn.change
	if c == nil {
		return
	}
	if m == nil {
		m = &schemaMark{snap: s.db.snapshot()} // no other transaction can have changed it
	}
	s.dropSpaces(c.created[len(m.created):])
	s.forgetStates(c.begun[len(m.begun):])
	c.schemaMark = *m
	s.txn.schema = c.snap
}

// endChange ends a schema change, which was kept or not.
func (s *Session) endChange(c *schemaChange, kept bool) {
	if !kept {
		s.db.giveChange(c.alone)
		s.dropSpaces(c.created)
		s.forgetStates(c.begun)
		return
	}
	s.db.locks.EndChange(c.alone)
	if s.db.shared != nil {
		if len(c.created)+len(c.dropped) > 0 {
			s.db.background.run(s.db.shared.dropPending) // others may still read what was dropped
		}
	} else {
		s.dropSpaces(c.dropped)
	}
	s.forgetStates(c.ended)
}

// forgetStates forgets states that no sequence has any more. What is left by a failure is
// swept at the next start.
func (s *Session) forgetStates(states []uint64) {
	if err := s.db.forgetStates(context.Background(), states); err != nil {
		s.db.log.Warn("forgetting the states of sequences", "error", err)
	}
}

// dropSpaces drops spaces that nothing refers to any more. What is left by a failure is
// swept at the next start.
func (s *Session) dropSpaces(spaces []store.Space) {
	for i := range spaces {
		err := s.db.store.Drop(context.Background(), &spaces[i])
		if err == nil && s.db.shared != nil {
			err = s.db.shared.forgetDrop(context.Background(), pendingDropOf(&spaces[i], s.db.memberID(), 0))
		}
		if err != nil {
			s.db.log.Warn("dropping a space", "space", spaces[i].Name, "error", err)
		}
	}
}

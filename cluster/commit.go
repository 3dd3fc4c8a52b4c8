package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zproxy/catalog"
	"zproxy/cluster/lock"
	"zproxy/store"
	"zproxy/store/heat"
	"zproxy/store/rowcache"
)

// Begin starts a transaction of the store, with the schema of what it sees: every index
// in it has the entries of the rows, and is not being dropped yet.
func (n *Node) Begin(ctx context.Context, m store.Mode) (store.Txn, *catalog.Snapshot, error) {
	return n.beginIn(ctx, m, &wrappers{})
}

// wrappers are what the store's transactions are in: one piece of memory for each.
type wrappers struct {
	heat   heat.Txn
	reader rowcache.Reader
	writer rowcache.Writer
}

func (n *Node) beginIn(ctx context.Context, m store.Mode, in *wrappers) (store.Txn, *catalog.Snapshot, error) {
	var start rowcache.Start // of a transaction whose reads may be kept
	if m.Stale {
		start = n.Rows.Start(m.Eventual)
	}
	txn, schema, err := n.begin(ctx, m)
	if err != nil {
		return nil, nil, err
	}
	txn = n.Heat.Watch(txn, &in.heat)
	switch {
	case !m.ReadOnly:
		txn = n.Rows.Writer(txn, &in.writer)
	case m.Stale:
		txn = n.Rows.Reader(txn, start, &in.reader)
	}
	return txn, schema, nil
}

func (n *Node) begin(ctx context.Context, m store.Mode) (store.Txn, *catalog.Snapshot, error) {
	if n.shared != nil {
		txn, whole, err := n.shared.begin(ctx, m)
		return txn, whole.In(n.database), err
	}
	for {
		schema := n.Snapshot()
		txn, err := n.Store.Begin(ctx, m)
		if err != nil || schema == n.Snapshot() {
			return txn, schema, err
		}
		txn.Rollback()
	}
}

// CommitRows commits rows of some tables, one of which may be held. Their schema must not have changed since
// they were written: they may then lack entries of an index.
func (n *Node) CommitRows(p lock.Wait, txn store.Txn, wrote []*catalog.Table, h *Hold) error {
	return n.committing(p, txn, wrote, h.over(txn), func() error { return txn.Commit(p.Ctx) })
}

// committing commits while nothing changes the tables of which rows were written.
func (n *Node) committing(p lock.Wait, txn store.Txn, wrote []*catalog.Table, held uint32, commit func() error) error {
	written := numbersOf(wrote)
	err := n.Locks.BeginCommit(p, written, held)
	switch {
	case errors.Is(err, lock.ErrAwaited):
		return fmt.Errorf("%w: %w", err, errChanged)
	case err != nil:
		return err
	}
	perhaps := true // also after a panic
	defer func() { n.EndCommit(txn, written, perhaps) }()
	if err = n.Moved(wrote); err == nil {
		err = commit()
	}
	perhaps = err == nil || errors.Is(err, store.ErrUnknown)
	return err
}

// commitChange commits a change of the schema, and makes it that of all sessions.
func (t *Transaction) commitChange(ctx context.Context) (err error) {
	n, c := t.node, t.change
	if n.shared != nil {
		c.Snap, err = n.shared.commitChange(ctx, t.txn, c)
		return err
	}
	alone := slices.DeleteFunc(slices.Clone(c.dropped), func(s store.Space) bool { return !nested(&s) })
	if err := notePendingDrops(t.txn, alone, 0, 0); err != nil { // the next start finds other spaces by themselves
		return err
	}
	others := slices.DeleteFunc(slices.Clone(t.Wrote), func(w *catalog.Table) bool {
		alone, _ := c.excludes(w.ID)
		return alone // no other transaction changes it
	})
	return n.committing(t.owner.Wait(ctx), t.txn, others, t.Hold.over(t.txn), func() error {
		n.publishing.Lock()
		defer n.publishing.Unlock()
		c.follow(n.Snapshot())
		err := t.txn.Commit(ctx)
		if err == nil {
			n.current.Store(c.in(n.Whole(), c.Snap))
		}
		return err
	})
}

// Moved is the error of a transaction that goes by some versions of tables, if they are not as good as those of now:
// rows that were written by them lack entries, say.
func (n *Node) Moved(by []*catalog.Table) error {
	now := n.Snapshot()
	for _, t := range by {
		u, _ := now.ByID(t.ID).(*catalog.Table)
		if u == nil || !u.Accepts(t.Version) {
			return errChanged
		}
	}
	return nil
}

// EndCommit ends a commit of rows of tables. While writes of it may still arrive the tables are held, and the
// transaction counts as open: they would come by a version that is not known any more.
func (n *Node) EndCommit(txn store.Txn, tables map[uint32]bool, written bool) {
	if t := sharedOf(txn); t != nil && t.late {
		n.Locks.HoldTables(tables)
		n.shared.afterArrival(func() { n.Locks.ReleaseTables(tables) })
	}
	n.Locks.EndCommit(tables, written)
}

// beginChange waits until no other transaction changes the schema of a store that processes share, in this process or
// another.
func (n *Node) beginChange(p lock.Wait) error {
	err := n.Locks.BeginChange(p)
	if err != nil {
		return err
	}
	if err = n.shared.takeChange(p); err != nil {
		n.Locks.EndChange(nil)
	}
	return err
}

// giveChange lets others change the schema, of which nothing was changed, and commit rows of tables.
func (n *Node) giveChange(tables map[uint32]bool) {
	if n.shared != nil {
		n.shared.giveChange()
	}
	n.Locks.EndChange(tables)
}

// numbersOf are the numbers of tables.
func numbersOf(tables []*catalog.Table) map[uint32]bool {
	numbers := map[uint32]bool{}
	for _, t := range tables {
		numbers[t.ID] = true
	}
	return numbers
}

package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/tally"
	"zproxy/cluster/lock"
	"zproxy/store"
	"zproxy/store/eventual"
)

// Owner is what a transaction asks of the session, or of the work of the process, that it belongs to.
type Owner interface {
	// Locks are those that end with the transaction, and Wait is how long it waits for one.
	Locks() *lock.Owner
	Wait(ctx context.Context) lock.Wait
	// Mode is how a transaction of the store begins, to read or to write.
	Mode(write bool) store.Mode
	// Order says how its transactions are to be in an order with others.
	Order() Order
	// Charge charges the writes of a transaction to the owner.
	Charge(txn store.Txn) store.Txn
	Now() time.Time
}

// Order is how a transaction is in an order with others.
type Order uint8

// The orders.
const (
	Unordered    Order = iota
	Serializable       // it is in one with all that are serializable
	Deferred           // and waits for a snapshot with which it needs no watch: it only reads
)

// Transaction is a transaction of the store, with the catalog that it goes by and what it changes of that. The store's
// is begun when it is first asked for; one that only read is begun anew for the first write.
type Transaction struct {
	Written
	Began time.Time // zero: it has not
	Hold  *Hold     // of the table of a COPY; nil: it holds none

	node   *Node
	owner  Owner
	txn    store.Txn
	past   []store.Txn    // those before txn, which only read: portals may still read from them; end with txn
	writes bool           // txn may write
	reads  eventual.Reads // those of txn that may miss the last commits
	sight
	schema *catalog.Snapshot // base, as the transaction changed it
	change *Change           // nil: the schema is as it was

	exported []string // identifiers of the snapshots that others may use

	free, used *wrappers // for the next transaction of the store, and of the first one; nil: none
}

// sight is what a transaction of the store sees.
type sight struct {
	base *catalog.Snapshot // the catalog of that
	seen uint64            // the number of the last commit before
}

// Written is what the statements of a transaction have written, in their order.
type Written struct {
	Wrote []*catalog.Table // one entry for each statement and table
	Tally tally.Log        // the rows that were changed
	Large bool             // large objects were written, perhaps
}

// NewTransaction makes a transaction that has not begun.
func NewTransaction(n *Node, o Owner) Transaction { return Transaction{node: n, owner: o} }

// Txn is the store's transaction, nil while none has begun.
func (t *Transaction) Txn() store.Txn { return t.txn }

// Writes says whether the store's transaction may write.
func (t *Transaction) Writes() bool { return t.txn != nil && t.writes }

// Changed is what the transaction has changed of the schema, nil if nothing.
func (t *Transaction) Changed() *Change { return t.change }

// Schema is the catalog that the transaction goes by.
func (t *Transaction) Schema() *catalog.Snapshot {
	if t.txn != nil {
		return t.schema
	}
	return t.node.Snapshot()
}

// Store gives the transaction of the store, and begins it if there is none. One that only read is begun anew for the
// first write, since it was promised nothing.
func (t *Transaction) Store(ctx context.Context, write bool) (store.Txn, error) {
	if t.txn != nil && (t.writes || !write) {
		return t.txn, nil
	}
	return t.Begin(ctx, t.owner.Mode(write))
}

// Reads says which reads of the transaction that Store would give may miss the last commits.
func (t *Transaction) Reads(write bool) eventual.Reads {
	if t.txn != nil && (t.writes || !write) {
		return t.reads
	}
	return t.owner.Mode(write).Eventual
}

// Refresh lets the transaction see what has been committed, with the catalog of that. Portals that are open see what
// they saw. Where processes share the store, others go on to wait for it as one of the catalog with which it began.
func (t *Transaction) Refresh() {
	if t.txn == nil {
		return
	}
	for {
		seen, base := t.node.Locks.LastCommit(), t.node.Snapshot()
		t.txn.Refresh()
		if base == t.node.Snapshot() {
			t.seen = seen
			if t.base != base {
				t.goBy(base)
			}
			return
		}
	}
}

// goBy makes the transaction go by a catalog, with what it has changed.
func (t *Transaction) goBy(base *catalog.Snapshot) {
	t.base, t.schema = base, t.change.on(base)
}

// Behind says whether the catalog has changed since the one that the transaction goes by.
func (t *Transaction) Behind() bool {
	return t.txn != nil && t.base != t.node.Snapshot()
}

// Begin begins a transaction of the store. One there was only read.
func (t *Transaction) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	if t.txn != nil {
		t.past, t.txn = append(t.past, t.txn), nil
	}
	txn, err := t.ordered(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	t.txn, t.writes, t.reads = txn, !m.ReadOnly, m.Eventual
	if t.Began.IsZero() {
		t.Began = t.owner.Now()
	}
	return txn, nil
}

// ordered begins a transaction of the store that has the order with others that its owner asks for: it is watched, or
// waits until it needs none.
func (t *Transaction) ordered(ctx context.Context, m store.Mode) (store.Txn, error) {
	switch t.owner.Order() {
	case Deferred:
		return t.deferred(ctx, m)
	case Serializable:
		order := t.node.Serial.Begin(t.owner.Locks().PID(), m.ReadOnly)
		txn, err := t.take(ctx, m)
		if err != nil {
			order.End()
			return nil, err
		}
		return order.Watch(txn), nil
	}
	return t.take(ctx, m)
}

// take begins a transaction of the store.
func (t *Transaction) take(ctx context.Context, m store.Mode) (store.Txn, error) {
	t.seen = t.node.Locks.LastCommit()
	txn, schema, err := t.node.beginIn(ctx, m, t.wrappers())
	if err != nil {
		return nil, err
	}
	t.goBy(schema)
	if !m.ReadOnly {
		txn = t.owner.Charge(txn)
	}
	return txn, nil
}

// deferred begins transactions of the store until one has a snapshot that is safe.
func (t *Transaction) deferred(ctx context.Context, m store.Mode) (txn store.Txn, err error) {
	err = t.node.Serial.Defer(ctx, t.owner.Locks().PID(), func() (err error) {
		txn, err = t.take(ctx, m)
		return err
	}, func() { txn.Rollback() })
	return txn, err
}

// wrappers are memory for a transaction of the store.
func (t *Transaction) wrappers() *wrappers {
	in := t.free
	if t.free = nil; in == nil {
		in = &wrappers{}
	}
	if t.used == nil {
		t.used = in
	}
	return in
}

// Reuse takes memory from a transaction that has ended: nothing reads from it any more, so its wrappers may be those of
// another one.
func (t *Transaction) Reuse(ended *Transaction) {
	if t.free = cmp.Or(ended.used, ended.free); t.free != nil {
		*t.free = wrappers{}
	}
}

// EndReading ends the store's transaction if it has only read, since it was promised nothing. Portals may still read
// from it.
func (t *Transaction) EndReading() {
	if t.txn != nil && !t.writes {
		t.past, t.txn = append(t.past, t.txn), nil
	}
}

// Commit commits what the transaction wrote, and makes its schema that of all sessions.
func (t *Transaction) Commit(ctx context.Context) error {
	t.node.exports.end(t)
	if t.change == nil {
		err := t.node.CommitRows(t.owner.Wait(ctx), t.txn, t.Wrote, t.Hold)
		if err == nil {
			t.node.Tally.Add(t.Tally)
		}
		return err
	}
	if t.txn == nil { // what was to be changed was skipped
		return nil
	}
	if err := t.commitChange(ctx); err != nil {
		if errors.Is(err, store.ErrUnknown) {
			t.change.created, t.change.begun = nil, nil // they may be in use now
		}
		return err
	}
	t.node.hooks.Adopted()
	t.node.Locks.NoteCommit(numbersOf(t.Wrote))
	t.node.Tally.Add(t.Tally)
	t.node.noteStatistics()
	change := t.change
	t.change = nil
	t.endChange(change, true)
	return nil
}

// End ends the transaction. What was not committed is forgotten.
func (t *Transaction) End() {
	t.node.exports.end(t)
	if t.txn != nil {
		t.txn.Rollback() // after a commit of nothing
	}
	for _, past := range t.past {
		past.Rollback()
	}
	t.Hold.End()
	if t.change != nil {
		t.endChange(t.change, false)
	}
}

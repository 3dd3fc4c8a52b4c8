// Package serial keeps serializable transactions in an order. They read snapshots, and lock nothing that they read: the
// package notes what each reads, as ranges of keys, and what each writes, and ends one where several could otherwise
// come to a result that no order of them has.
//
// The method is serializable snapshot isolation (Cahill, Röhm and Fekete, 2008), as Ports and Grittner (2012) describe
// it for PostgreSQL. A transaction that reads what a concurrent one writes later comes before it. In each circle of
// transactions there are two such steps in a row, of which the last transaction commits first. Where that may come to
// pass, one of the three is refused. Read Order first, then conflict.
package serial

import (
	"sync"

	"zproxy/sqlerr"
	"zproxy/store"
)

// Order has the serializable transactions of a process that others may still have to be ordered with.
type Order struct {
	mu sync.Mutex
	// clock counts the steps of commits.
	clock uint64
	known map[*member]struct{} // those that are open, and those that were committed while one of these was open

	deferred map[*deferred]struct{} // that are not resolved
}

// NewOrder has no transactions.
func NewOrder() *Order {
	return &Order{known: map[*member]struct{}{}, deferred: map[*deferred]struct{}{}}
}

// member is one transaction.
type member struct {
	pid      uint32 // of its session
	began    uint64 // the clock before it took its snapshot
	taken    uint64 // the clock behind which its snapshot sees nothing; notTaken: it is being taken
	prepared uint64 // the clock when it was let commit; 0: it was not
	visible  uint64 // the clock when its commit was seen by all that began later; 0: it is not
	readOnly bool   // it said so, or has committed without a write
	doomed   bool   // it must not commit
	ended    bool   // it was rolled back, or has committed
	in, out  map[*member]struct{}
	reads    readSet
	writes   keySet
}

// Begun is a transaction that has no snapshot yet. The zero value is of one that is not serializable.
type Begun struct {
	order *Order
	of    *member
}

// Begin notes a transaction of a session, before it takes its snapshot.
func (o *Order) Begin(pid uint32, readOnly bool) Begun {
	o.mu.Lock()
	defer o.mu.Unlock()
	m := &member{pid: pid, began: o.clock, taken: notTaken, readOnly: readOnly, in: map[*member]struct{}{},
		out: map[*member]struct{}{}}
	o.known[m] = struct{}{}
	for d := range o.deferred {
		if d.taken == notTaken && !readOnly {
			d.open[m] = struct{}{}
		}
	}
	return Begun{o, m}
}

// End forgets the transaction, which has not begun after all.
func (b Begun) End() {
	if b.order != nil {
		b.order.end(b.of)
	}
}

// Watch is the transaction of the store, which has its snapshot. Its reads and writes are noted from now on.
func (b Begun) Watch(txn store.Txn) store.Txn {
	if b.order == nil {
		return txn
	}
	b.order.mu.Lock()
	b.of.taken = b.order.clock
	b.order.mu.Unlock()
	return &Txn{Txn: txn, order: b.order, of: b.of}
}

// refused is the error of a transaction that is refused.
func refused(why string) error {
	return sqlerr.Wrap(store.ErrConflict, sqlerr.SerializationFailure,
		"could not serialize access due to read/write dependencies among transactions").
		WithDetail("Reason code: Canceled on %s.", why).
		WithHint("The transaction might succeed if retried.")
}

// saw says whether a transaction surely sees what another one has committed.
func (m *member) saw(other *member) bool { return other.visible != 0 && other.visible <= m.began }

// maySee says whether a transaction sees, perhaps, what another one has committed: a commit is first seen at some
// time between the clocks at which it was prepared and visible.
func (m *member) maySee(other *member) bool { return other.preparedBy(m.taken) }

// preparedBy says whether a transaction was let commit by some clock.
func (m *member) preparedBy(clock uint64) bool { return m.prepared != 0 && m.prepared <= clock }

// prepare lets a transaction commit, if it is in no dangerous structure, and dooms those that would complete one.
func (o *Order) prepare(m *member) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m.doomed {
		return refused("identification as a pivot, during commit attempt")
	}
	for near := range m.in {
		if near.prepared != 0 || near.doomed {
			continue
		}
		for far := range near.in {
			if far == m || far.prepared == 0 && !far.readOnly && !far.doomed {
				near.doomed = true // it would come after far and before m, which is committed first
				break
			}
		}
	}
	o.clock++
	m.prepared = o.clock
	m.readOnly = m.readOnly || m.writes.empty()
	return nil
}

// committed notes that what a transaction wrote can be seen by those that begin from now on.
func (o *Order) committed(m *member) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.clock++
	m.visible, m.ended = o.clock, true
	o.resolveAll(m, true)
	o.forget()
}

// end ends a transaction that has not committed: nothing depends on it.
func (o *Order) end(m *member) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if m.ended {
		return
	}
	m.ended = true
	o.resolveAll(m, false)
	for other := range m.in {
		delete(other.out, m)
	}
	for other := range m.out {
		delete(other.in, m)
	}
	delete(o.known, m)
	o.forget()
}

// forget forgets committed transactions that every open one sees. Others that have been committed may still depend on
// them, and need to know when that was.
func (o *Order) forget() {
	oldest := o.clock
	for m := range o.known {
		if !m.ended {
			oldest = min(oldest, m.began)
		}
	}
	for m := range o.known {
		if m.ended && m.visible <= oldest {
			m.in, m.out, m.reads, m.writes = nil, nil, readSet{}, keySet{}
			delete(o.known, m)
		}
	}
}

package fleet

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"zproxy/catalog/catalogstore"
	"zproxy/store"
)

// Begin takes the change of the schema as soon as no other member holds it. The host then goes by
// the newest catalog. It must be given back by Give, or with Publish. It ends with the error of patient, which it asks
// while it waits.
func (m *Member) Begin(ctx context.Context, patient func() error) error {
	for try := 0; ; try++ {
		taken := false
		err := m.serialized(ctx, func() (err error) { // else a renewal might give it back for the change before
			taken, err = m.take(ctx)
			return err
		})
		if err != nil {
			return err
		}
		if taken {
			if err := m.Renew(ctx); err != nil {
				return errors.Join(err, m.Give(ctx))
			}
			return nil
		}
		if err := patient(); err != nil {
			return err
		}
		if _, err := m.Living(ctx); err != nil { // the owner may be dead
			return err
		}
		if err := store.Pause(ctx, try, leastPause, mostPause); err != nil {
			return err
		}
	}
}

// take takes the change if it is free.
func (m *Member) take(ctx context.Context) (taken bool, err error) {
	self := m.ID()
	err = m.inOwnTxn(ctx, func(txn store.Txn) error {
		a, err := catalogstore.ReadAgreed(ctx, txn)
		if err != nil {
			return err
		}
		if taken = a.Owner == self; taken {
			return nil
		}
		held, err := holds(ctx, txn, a.Owner)
		if taken = !held; held || err != nil {
			return err
		}
		a = a.Given() // what an owner that is gone has frozen is not any more
		a.Owner = self
		return catalogstore.PutAgreed(txn, a)
	})
	return taken, err
}

// holds says whether the owner of the change is a member: the request by which it took the change may have arrived
// when it was evicted.
func holds(ctx context.Context, txn store.Txn, owner uint64) (bool, error) {
	if owner == 0 {
		return false, nil
	}
	_, there, err := catalogstore.ReadMember(ctx, txn, owner)
	return there, err
}

// Announce returns when all others know of the change: from then on they look often. So when a table is frozen, none
// keeps its commits waiting for another one that has yet to look, or that is dead and has to be evicted.
func (m *Member) Announce(ctx context.Context) error {
	return m.confirmed(ctx, func(*catalogstore.Agreed) bool { return true })
}

// Freeze keeps all others from committing rows of a table until the change is given back. It
// returns when none of them does any more. The host sees to itself. The change need not be announced.
func (m *Member) Freeze(ctx context.Context, table uint32) error {
	return m.confirmed(ctx, func(a *catalogstore.Agreed) bool { return add(&a.Frozen, table) })
}

// CloseTable is Freeze that also keeps transactions of others from using the table, and waits for those that do.
func (m *Member) CloseTable(ctx context.Context, table uint32) error {
	return m.confirmed(ctx, func(a *catalogstore.Agreed) bool {
		frozen, closed := add(&a.Frozen, table), add(&a.Closed, table)
		return frozen || closed
	})
}

// add adds a table to some, and says whether it was missing.
func add(to *[]uint32, table uint32) bool {
	missing := !slices.Contains(*to, table)
	if missing {
		*to = append(slices.Clip(*to), table)
	}
	return missing
}

// confirmed changes what is agreed on, if change says that it has, and returns when all others go by that.
func (m *Member) confirmed(ctx context.Context, change func(*catalogstore.Agreed) bool) error {
	var seq uint64
	self := m.ID()
	err := m.inOwnTxn(ctx, func(txn store.Txn) error {
		a, err := catalogstore.ReadAgreed(ctx, txn)
		if err != nil {
			return err
		}
		if a.Owner != self {
			return ErrLost
		}
		if change(&a) {
			a.Seq++
		}
		seq = a.Seq
		return catalogstore.PutAgreed(txn, a)
	})
	if err != nil {
		return err
	}
	seen := func(o catalogstore.Member) bool { return o.Seen >= seq }
	return m.await(ctx, mostLook, seen, func() bool { return true })
}

// Publication is the next version of the catalog, as part of a transaction.
type Publication struct{ next catalogstore.Agreed }

// Version is that of the catalog when the transaction is committed.
func (p Publication) Version() uint64 { return p.next.Version }

// Publish makes the writes of a transaction the next version of the catalog, and gives the
// change back with it. The transaction fails if this process does not hold the change any more.
func (m *Member) Publish(ctx context.Context, txn store.Txn) (Publication, error) {
	a, err := catalogstore.ReadAgreed(ctx, txn)
	if err != nil {
		return Publication{}, err
	}
	self := m.ID()
	if a.Owner != self || a.Version != m.going().Version {
		return Publication{}, ErrLost
	}
	next := a.Given()
	next.Seq, next.Version, next.By = a.Seq+1, a.Version+1, self
	return Publication{next}, catalogstore.PutAgreed(txn, next)
}

// Published says that a publication was committed, and the host goes by it already.
func (m *Member) Published(p Publication) {
	m.mu.Lock()
	if m.agreed.Version+1 == p.next.Version {
		m.agreed = p.next
	}
	m.mu.Unlock()
	m.kick()
}

// Outcome says whether a publication was committed of which that is not known, and sees to it that
// it stays so. It is store.ErrUnknown where no member can tell any more.
func (m *Member) Outcome(ctx context.Context, p Publication) (committed bool, err error) {
	known := true
	err = m.inOwnTxn(ctx, func(txn store.Txn) error {
		a, err := catalogstore.ReadAgreed(ctx, txn)
		if err != nil {
			return err
		}
		committed = a.Version == p.next.Version && a.By == p.next.By
		if known = a.Version <= p.next.Version; committed || !known || a.Owner != p.next.By {
			return nil // or it comes too late already, as what it has read has changed
		}
		return catalogstore.PutAgreed(txn, a.Given()) // over what the publication has read: it comes too late now
	})
	if err == nil && !known {
		err = fmt.Errorf("another process has changed the schema since: %w", store.ErrUnknown)
	}
	return committed, err
}

// Doubt ends the present life of this process, after a publication of which it cannot tell whether it was committed:
// rows must not be committed any more by a catalog that may not be the newest. The next life begins with a renewal,
// which sees to it that a publication that is still under way comes too late.
func (m *Member) Doubt() {
	m.semaphore <- struct{}{}
	defer func() { <-m.semaphore }()
	m.renewed = time.Time{}
	m.until.Store(0)
	m.lives.Add(1)
}

// Give gives the change back without a new version, if this process holds it.
func (m *Member) Give(ctx context.Context) error {
	err := m.inOwnTxn(ctx, func(txn store.Txn) error { return give(ctx, txn, m.ID()) })
	if err != nil {
		return fmt.Errorf("giving the change of the schema back: %w", err)
	}
	return nil
}

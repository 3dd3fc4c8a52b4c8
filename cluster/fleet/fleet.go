// Package fleet keeps the processes that share a store on one schema, without a coordinator: they communicate only
// through the store.
//
// Each process is a member: an item in the catalog that it renews periodically. A member commits rows only within a
// lease, which begins when it sent a renewal. Other members remove its item when they have seen no renewal for
// three leases by their own clocks. So no two clocks are ever compared, and a process that was frozen detects this
// before it writes. One case is not prevented: a request that was in flight for longer than that.
//
// There is one change of the schema at a time. Its process freezes the tables whose rows others must not commit
// meanwhile, and continues when all living members have confirmed that they do not. A table of which others must not
// read by the schema before, either, is closed: they confirm that no transaction uses it. It may announce the change
// before: they then look often at what is agreed on, so that commits wait for little more than the change itself. The
// states of an index need no freezing (Rae and others, Online, Asynchronous Schema Change in F1, 2013): the next state
// waits until no transaction is open that began with the version before.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/internal/routine"
	"zproxy/store"
)

// Host is the process, as far as what is agreed on changes what it does.
type Host interface {
	// Apply makes a catalog the one that transactions begin with from now on, unless it is nil or
	// not newer than the present one, keeps commits of rows of frozen tables waiting, and keeps transactions from
	// closed tables. It says whether no such commit is under way any more, and no such table is in use.
	Apply(ctx context.Context, whole *catalog.Whole, frozen, closed []uint32) bool
	// Oldest is the version of the catalog that the oldest open transaction began with.
	Oldest() uint64
	// Sessions is how many sessions use databases that are frozen.
	Sessions() int
	// Changing says whether the process is about to change the schema, or at it.
	Changing() bool
	// Evicted says that a member was evicted: its lease was over, and it had not left.
	Evicted(id uint64)
}

// Options are how often members renew.
type Options struct {
	Lease time.Duration // 0: 10 s
	Renew time.Duration // how often a member looks what is agreed on; 0: a tenth of the lease
}

const defaultLease = 10 * time.Second

// deadAfter is for how many leases nothing must have been heard of a member that is dead. One is
// how long it may go on, one for requests that are on their way, one for clocks that run unevenly.
const deadAfter = 3

// ErrLost means that this process was taken for dead while a transaction was open.
var ErrLost = fmt.Errorf("this process was not heard of for too long: %w", store.ErrConflict)

// Member is this process in the fleet.
type Member struct {
	store store.Store
	host  Host
	lease time.Duration
	renew time.Duration

	id       atomic.Uint64 // of this process
	lives    atomic.Uint64 // how often it has joined
	until    atomic.Int64  // the end of the lease, after start
	start    time.Time
	kicked   chan struct{}
	watching watching

	semaphore chan struct{}       // holds who renews, whose the rest is
	self      catalogstore.Member // as it was written
	renewed   time.Time           // when that was sent; zero: since then a publication may be under way

	mu     sync.Mutex
	agreed catalogstore.Agreed // as it goes by it
}

// Join makes this process a member, which goes by the catalog as it is. Run must be called then.
func Join(ctx context.Context, st store.Store, host Host, o Options) (*Member, error) {
	m := &Member{
		store: st, host: host, lease: o.Lease, renew: o.Renew, start: time.Now(),
		kicked: make(chan struct{}, 1), semaphore: make(chan struct{}, 1),
	}
	if m.lease == 0 {
		m.lease = defaultLease
	}
	if m.renew == 0 {
		m.renew = m.lease / 10
	}
	return m, m.serialized(ctx, func() error { return m.join(ctx) })
}

// serialized does something while no other goroutine renews.
func (m *Member) serialized(ctx context.Context, f func() error) error {
	select {
	case m.semaphore <- struct{}{}:
		defer func() { <-m.semaphore }()
		return f()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// going is what is agreed on as this process goes by it.
func (m *Member) going() catalogstore.Agreed {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.agreed
}

func (m *Member) goBy(a catalogstore.Agreed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.agreed = a
}

// join gets a number, becomes a member, and only then reads the catalog: who changed it before
// did not wait for us. The lease begins when the process goes by that.
func (m *Member) join(ctx context.Context) error {
	var id uint64
	err := m.inOwnTxn(ctx, func(txn store.Txn) (err error) {
		id, err = catalogstore.NextID(ctx, txn)
		return err
	})
	if err != nil {
		return err
	}
	self := catalogstore.Member{ID: id, Beat: 1}
	err = m.inOwnTxn(ctx, func(txn store.Txn) error {
		if _, _, err := catalogstore.ReadMember(ctx, txn, id); err != nil {
			return err
		}
		return catalogstore.PutMember(txn, self)
	})
	if err != nil {
		return err
	}
	m.self = self
	m.goBy(catalogstore.Agreed{})
	m.until.Store(0)
	m.id.Store(id)
	m.lives.Add(1)
	return m.renewOnce(ctx, true)
}

// ID is the number of this process, which changes when it was taken for dead.
func (m *Member) ID() uint64 { return m.id.Load() }

// Life is how often this process has joined: what was begun in an earlier life must not go on.
func (m *Member) Life() uint64 { return m.lives.Load() }

// leaseEnd is when the lease is over.
func (m *Member) leaseEnd() time.Time { return m.start.Add(time.Duration(m.until.Load())) }

func (m *Member) extend(sent time.Time) {
	m.renewed = sent
	m.until.Store(int64(sent.Add(m.lease).Sub(m.start)))
}

// Run renews until the context ends.
func (m *Member) Run(ctx context.Context, failed func(error)) {
	timer := time.NewTimer(m.renew)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-m.kicked:
		}
		if err := routine.Do(func() error { return m.Renew(ctx) }); err != nil && ctx.Err() == nil {
			failed(err)
		}
		timer.Reset(m.pause())
	}
}

// pause is when to look again at what is agreed on: soon while another member changes the schema, which may be for this
// one to confirm something, and while commits of this process may be waiting for its end.
func (m *Member) pause() time.Duration {
	if m.watching.changing.Load() {
		return min(m.renew, mostLook)
	}
	return m.renew
}

// kick lets Run renew at once.
func (m *Member) kick() {
	select {
	case m.kicked <- struct{}{}:
	default:
	}
}

// Renew looks what is agreed on, goes by it, and renews the lease if that is due. A process
// that was taken for dead joins anew.
func (m *Member) Renew(ctx context.Context) error {
	return m.serialized(ctx, func() error { return m.renewOrJoin(ctx) })
}

func (m *Member) renewOrJoin(ctx context.Context) error {
	err := m.renewOnce(ctx, false)
	if errors.Is(err, ErrLost) {
		err = m.join(ctx)
	}
	return err
}

// Alive says until when what began in a life of this process may go on, and renews the lease if
// that is over. What began in an earlier life is ErrLost.
func (m *Member) Alive(ctx context.Context, life uint64) (until time.Time, err error) {
	until = m.leaseEnd()
	if !time.Now().Before(until) {
		err = m.serialized(ctx, func() error {
			if time.Now().Before(m.leaseEnd()) { // another goroutine was faster
				return nil
			}
			return m.renewOrJoin(ctx)
		})
		if err != nil {
			return until, fmt.Errorf("renewing the lease of the schema: %w", err)
		}
		until = m.leaseEnd()
	}
	if life != m.Life() { // behind until, which is never that of a later life then
		return until, ErrLost
	}
	return until, nil
}

// renewOnce reads what is agreed on and writes what others are to know of this process: if it is
// news, or its lease is a third over.
func (m *Member) renewOnce(ctx context.Context, joining bool) error {
	sent := time.Now()
	agreed, err := m.readAgreed(ctx)
	if err == nil && agreed.Owner == m.ID() && (m.renewed.IsZero() || !m.host.Changing()) { // it was not given back
		if err = m.Give(ctx); err == nil {
			agreed, err = m.readAgreed(ctx)
		}
	}
	if err != nil {
		return err
	}
	changing := agreed.Owner != 0 && agreed.Owner != m.ID()
	if !m.watching.changing.Swap(changing) && changing {
		m.kick() // Run may be in a long pause
	}
	next := m.self
	if agreed.Seq != m.going().Seq || joining || m.self.Seen != agreed.Seq {
		done, err := m.apply(ctx, agreed)
		if err != nil {
			return err
		}
		if done {
			next.Seen = agreed.Seq
		}
	}
	next.Oldest, next.Sessions = m.host.Oldest(), m.host.Sessions()
	if next == m.self && sent.Sub(m.renewed) < m.lease/3 && !joining {
		return nil
	}
	next.Beat++
	sent = time.Now()
	if err := m.write(ctx, next); err != nil {
		return err
	}
	m.self = next
	m.extend(sent)
	return nil
}

func (m *Member) readAgreed(ctx context.Context) (a catalogstore.Agreed, err error) {
	txn, err := m.store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return a, err
	}
	defer txn.Rollback()
	return catalogstore.ReadAgreed(ctx, txn)
}

// apply makes the host go by what is agreed on, and says whether it does.
func (m *Member) apply(ctx context.Context, agreed catalogstore.Agreed) (bool, error) {
	var whole *catalog.Whole
	if going := m.going(); agreed.Version != going.Version || going.Seq == 0 {
		var err error
		if whole, agreed, err = m.load(ctx, agreed); err != nil {
			return false, err
		}
	}
	frozen, closed := agreed.Frozen, agreed.Closed
	if agreed.Owner == m.ID() {
		frozen, closed = nil, nil // it keeps them to itself by its own means
	}
	done := m.host.Apply(ctx, whole, frozen, closed)
	m.goBy(agreed)
	return done, nil
}

// load reads the catalog as it is at one version: reads of several items may see several.
func (m *Member) load(ctx context.Context, agreed catalogstore.Agreed) (*catalog.Whole, catalogstore.Agreed, error) {
	for {
		txn, err := m.store.Begin(ctx, store.Mode{ReadOnly: true})
		if err != nil {
			return nil, agreed, err
		}
		whole, err := catalogstore.Load(ctx, txn)
		txn.Rollback()
		if err != nil {
			return nil, agreed, err
		}
		after, err := m.readAgreed(ctx)
		if err != nil || after.Version == agreed.Version {
			return whole.At(agreed.Version), agreed, err
		}
		agreed = after
	}
}

// write renews the item of this process. It is ErrLost if that is not there any more.
func (m *Member) write(ctx context.Context, next catalogstore.Member) error {
	return m.inOwnTxn(ctx, func(txn store.Txn) error {
		now, there, err := catalogstore.ReadMember(ctx, txn, next.ID)
		if err != nil {
			return err
		}
		if !there {
			return ErrLost
		}
		next.Beat = max(next.Beat, now.Beat+1)
		return catalogstore.PutMember(txn, next)
	})
}

// Leave ends the membership, when no transaction is open any more.
func (m *Member) Leave(ctx context.Context) error {
	return m.serialized(ctx, func() error {
		return m.inOwnTxn(ctx, func(txn store.Txn) error {
			_, there, err := catalogstore.ReadMember(ctx, txn, m.ID())
			if err != nil || !there {
				return err
			}
			return takeAway(ctx, txn, m.ID())
		})
	})
}

// takeAway ends a membership that was read, and gives the change back if it is held by it: no other
// member can.
func takeAway(ctx context.Context, txn store.Txn, id uint64) error {
	if err := catalogstore.DeleteMember(txn, id); err != nil {
		return err
	}
	return give(ctx, txn, id)
}

// give gives the change back if a member holds it.
func give(ctx context.Context, txn store.Txn, id uint64) error {
	a, err := catalogstore.ReadAgreed(ctx, txn)
	if err != nil || a.Owner != id {
		return err
	}
	return catalogstore.PutAgreed(txn, a.Given())
}

// apart does something in a transaction of its own, perhaps more than once.
func (m *Member) inOwnTxn(ctx context.Context, f func(store.Txn) error) error {
	return store.InOwnTxn(ctx, m.store, f)
}

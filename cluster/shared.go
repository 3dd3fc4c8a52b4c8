package cluster

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster/fleet"
	"zproxy/cluster/lock"
	"zproxy/store"
	"zproxy/types"
)

// shared is what a process does when others use its store, too: it is a member of
// their fleet, counts its open transactions by the version of the catalog that they began with, and
// lets them commit only while others take it for living.
type shared struct {
	node   *Node
	member *fleet.Member

	mu       sync.Mutex
	open     map[uint64]int // transactions by version
	dropping chan struct{}  // taken by the goroutine that drops spaces
	closing  closing        // of tables that another process changes
	late     atomic.Int32   // commits of which writes may still arrive
	sessions atomic.Int32   // in databases that another process closes
}

// quiesceWait is how long a renewal waits for commits of rows of frozen tables and for transactions that use closed
// ones. They are looked at again with the next one.
const quiesceWait = 200 * time.Millisecond

// Share makes the process a member of the fleet, with the catalog as it is.
func (n *Node) Share(ctx context.Context, o fleet.Options) error {
	n.shared = &shared{node: n, open: map[uint64]int{}, dropping: make(chan struct{}, 1)}
	var err error
	if n.shared.member, err = fleet.Join(ctx, n.Store, n.shared, o); err != nil {
		return err
	}
	n.Background.Run(func(ctx context.Context) {
		n.shared.member.Run(ctx, func(err error) { n.Log.Warn("renewing the lease of the schema", "error", err) })
	})
	n.Background.Run(n.shared.watch)
	return nil
}

// MemberID is the number of this process among those that share the store; 0: it is alone.
func (n *Node) MemberID() uint64 {
	if n.shared == nil {
		return 0
	}
	return n.shared.member.ID()
}

// Living are the processes that share the store.
func (n *Node) Living(ctx context.Context) ([]catalogstore.Member, error) {
	return n.shared.member.Living(ctx)
}

// Apply implements fleet.Host. Tables are opened again by the newest catalog.
func (h *shared) Apply(ctx context.Context, whole *catalog.Whole, frozen, closed []uint32) bool {
	if whole != nil {
		h.adopt(whole.Over(h.node.system))
		h.node.noteStatistics()
		h.node.hooks.Adopted()
	}
	h.closing.want(h.node, closed)
	using := 0
	if f := h.node.hooks.Close; f != nil {
		using = f(frozen, closed)
	}
	h.sessions.Store(int32(using))
	ctx, stop := context.WithTimeout(ctx, quiesceWait)
	defer stop()
	return h.node.Locks.Freeze(lock.Wait{Ctx: ctx}, frozen) == nil && h.closing.done(ctx) && using == 0
}

// adopt makes a catalog that of new transactions, unless they begin by a newer one.
func (h *shared) adopt(whole *catalog.Whole) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if now := h.node.Whole(); now == nil || now.Version() < whole.Version() || whole.Version() == 0 {
		h.node.current.Store(whole)
	}
}

// Oldest implements fleet.Host.
func (h *shared) Oldest() uint64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.open) == 0 {
		return h.node.Whole().Version()
	}
	return slices.Min(slices.Collect(maps.Keys(h.open)))
}

// Sessions implements fleet.Host.
func (h *shared) Sessions() int { return int(h.sessions.Load()) }

// Changing implements fleet.Host.
func (h *shared) Changing() bool { return h.node.Locks.UnderChange() }

// Evicted implements fleet.Host.
func (h *shared) Evicted(id uint64) {
	h.node.Log.Warn("a process that shares the store was not heard of any more", "member", id)
	h.node.Background.Run(h.inherit)
}

// life is the present one of the process, in which it goes by the newest catalog.
func (h *shared) life(ctx context.Context) (uint64, error) {
	for {
		life := h.member.Life()
		if _, err := h.member.Alive(ctx, life); !errors.Is(err, fleet.ErrLost) {
			return life, err
		}
	}
}

// begin starts a transaction of the store, with the catalog that it goes by.
func (h *shared) begin(ctx context.Context, m store.Mode) (store.Txn, *catalog.Whole, error) {
	life, err := h.life(ctx)
	if err != nil {
		return nil, nil, err
	}
	h.mu.Lock()
	whole := h.node.Whole()
	h.open[whole.Version()]++
	h.mu.Unlock()
	if m.Stats == nil {
		m.Stats = &store.Stats{}
	}
	t := &sharedTxn{shared: h, version: whole.Version(), life: life}
	m.Decide = t.decide
	t.mode = m
	if t.Txn, err = h.node.Store.Begin(ctx, m); err != nil {
		t.end()
		return nil, nil, err
	}
	return t, whole, nil
}

// sharedTxn is a transaction that ends with its process' membership.
type sharedTxn struct {
	store.Txn
	shared        *shared
	version, life uint64
	mode          store.Mode
	ended         bool
	late          bool // some of its writes may still arrive
}

// sharedOf is the sharedTxn of a transaction, which others wrap; nil: the process does not share its store.
func sharedOf(txn store.Txn) *sharedTxn {
	for {
		wrapped, ok := txn.(interface{ Unwrap() store.Txn })
		if !ok {
			break
		}
		txn = wrapped.Unwrap()
	}
	t, _ := txn.(*sharedTxn)
	return t
}

func (t *sharedTxn) end() {
	if t.ended {
		return
	}
	t.ended = true
	over := func() {
		h := t.shared
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.open[t.version]--; h.open[t.version] == 0 {
			delete(h.open, t.version)
		}
	}
	if !t.late {
		over()
		return
	}
	t.shared.afterArrival(over)
}

func (t *sharedTxn) alive(ctx context.Context) error {
	_, err := t.shared.member.Alive(ctx, t.life)
	return err
}

// Scan implements store.Txn. What was read while others took this process for dead may lack
// entries that they did not make any more.
func (t *sharedTxn) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return func(yield func(*types.Batch, error) bool) {
		for batch, err := range t.Txn.Scan(ctx, s, r) {
			if err == nil {
				err = t.alive(ctx)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(batch, nil) {
				return
			}
		}
		if err := t.alive(ctx); err != nil {
			yield(nil, err)
		}
	}
}

// Get implements store.Txn.
func (t *sharedTxn) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	found, err := t.Txn.Get(ctx, s, g, out)
	if err == nil {
		err = t.alive(ctx)
	}
	return found, err
}

// errLeaseOver is why a commit is given up: others may go on without us from now on.
var errLeaseOver = errors.New("the lease of the schema was over")

// decide implements store.Mode: no request begins after the lease.
func (t *sharedTxn) decide(ctx context.Context) (context.Context, context.CancelFunc, error) {
	until, err := t.shared.member.Alive(ctx, t.life)
	if err != nil {
		return nil, nil, err
	}
	within, stop := context.WithDeadlineCause(ctx, until, errLeaseOver)
	return within, stop, nil
}

// Commit implements store.Txn.
func (t *sharedTxn) Commit(ctx context.Context) error {
	defer t.end()
	if err := t.alive(ctx); err != nil {
		return err
	}
	lost := t.mode.Stats.Lost
	err := t.Txn.Commit(ctx)
	t.late = t.mode.Stats.Lost > lost || err != nil && t.mode.NonAtomic || errors.Is(err, store.ErrUnknown) ||
		errors.Is(err, store.ErrUnreachable)
	if errors.Is(err, errLeaseOver) && !errors.Is(err, store.ErrUnknown) { // it was not even sent
		err = fmt.Errorf("%w: %w", err, store.ErrConflict)
	}
	return err
}

// Rollback implements store.Txn.
func (t *sharedTxn) Rollback() {
	t.end()
	t.Txn.Rollback()
}

// Refresh looks whether others have changed the schema since one was gone by, and says so.
func (n *Node) Refresh(ctx context.Context, since *catalog.Snapshot) (news bool, err error) {
	if n.shared == nil {
		return false, nil
	}
	err = n.shared.member.Renew(ctx)
	return n.Snapshot() != since, err
}

// takeChange takes the change of the schema from other processes.
func (h *shared) takeChange(p lock.Wait) error {
	ctx, stop := p.Context()
	defer stop()
	patient := func() error {
		if h.node.Locks.Awaited(p.Owner) {
			return errChanged
		}
		return nil
	}
	if err := h.member.Begin(ctx, patient); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("taking the change of the schema: %w", err)
	}
	return nil
}

// confirmed does something that others have to confirm, within a wait.
func confirmed(p lock.Wait, f func(context.Context) error) error {
	ctx, stop := p.Context()
	defer stop()
	err := f(ctx)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// commitChange commits a change of the schema as its next version. It resolves an outcome that is
// not known, as long as the fleet can.
func (h *shared) commitChange(ctx context.Context, txn store.Txn, c *Change) (*catalog.Snapshot, error) {
	p, err := h.member.Publish(ctx, txn)
	if err == nil {
		err = notePendingDrops(txn, c.dropped, h.member.ID(), p.Version())
	}
	if err != nil {
		return c.Snap, err
	}
	if err = txn.Commit(ctx); errors.Is(err, store.ErrUnknown) {
		done, asked := h.member.Outcome(context.WithoutCancel(ctx), p)
		switch {
		case asked != nil:
			h.member.Doubt()
			err = errors.Join(err, asked)
		case done:
			err = nil
		default:
			err = fmt.Errorf("the commit did not arrive: %w", store.ErrConflict)
		}
	}
	if err != nil {
		return c.Snap, err
	}
	snap := c.Snap.At(p.Version())
	h.adopt(c.in(h.node.Whole(), snap))
	h.member.Published(p)
	return snap, nil
}

// giveChange gives the change back, of which nothing was published.
func (h *shared) giveChange() {
	ctx, stop := context.WithTimeout(context.Background(), giveWait)
	defer stop()
	if err := h.member.Give(ctx); err != nil { // a renewal does it then
		h.node.Log.Warn("after a change of the schema", "error", err)
	}
}

const giveWait = 5 * time.Second

// StepAside lets changes of the schema go on while a statement waits for them: they wait for
// transactions that are open. This one reads nothing any more.
func (t *Transaction) StepAside() {
	for _, txn := range append(slices.Clip(t.past), t.txn) {
		if s := sharedOf(txn); s != nil {
			s.end()
			s.life = 0
		}
	}
}

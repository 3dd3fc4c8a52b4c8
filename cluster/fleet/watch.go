package fleet

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"zproxy/catalog/catalogstore"
	"zproxy/store"
)

// watching is what was heard of the others, and when, by the clock of this process.
type watching struct {
	changing atomic.Bool // one of them changes the schema
	mu       sync.Mutex
	lastSeen map[uint64]lastSeen
}

type lastSeen struct {
	beat uint64
	at   time.Time
}

// silent notes what the members say, and gives those of whom nothing was heard for a time.
func (w *watching) silent(members []catalogstore.Member, most time.Duration) map[uint64]bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	now, before, out := time.Now(), w.lastSeen, map[uint64]bool{}
	w.lastSeen = make(map[uint64]lastSeen, len(members))
	for _, m := range members {
		h, known := before[m.ID]
		if !known || h.beat != m.Beat {
			h = lastSeen{m.Beat, now}
		}
		w.lastSeen[m.ID] = h
		out[m.ID] = now.Sub(h.at) >= most
	}
	return out
}

// Living are the members that live. The others are evicted.
func (m *Member) Living(ctx context.Context) ([]catalogstore.Member, error) {
	txn, err := m.store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	members, err := catalogstore.Members(ctx, txn)
	txn.Rollback()
	if err != nil {
		return nil, err
	}
	silent, self := m.watching.silent(members, deadAfter*m.lease), m.ID()
	living := members[:0]
	for _, other := range members {
		if other.ID == self || !silent[other.ID] {
			living = append(living, other)
			continue
		}
		gone, err := m.evict(ctx, other)
		if err != nil {
			return nil, err
		}
		if !gone {
			living = append(living, other)
		}
	}
	return living, nil
}

// evict takes a member away of which nothing was heard, and the change if it holds that. It says
// false if it is heard of at last.
func (m *Member) evict(ctx context.Context, dead catalogstore.Member) (gone bool, err error) {
	err = m.inOwnTxn(ctx, func(txn store.Txn) error {
		now, there, err := catalogstore.ReadMember(ctx, txn, dead.ID)
		if err != nil {
			return err
		}
		if gone = !there || now.Beat == dead.Beat; !there || !gone {
			return nil
		}
		return takeAway(ctx, txn, dead.ID)
	})
	if err == nil && gone {
		m.host.Evicted(dead.ID)
	}
	return gone, err
}

// AwaitOldest waits until no member has a transaction open that began by a version of the catalog
// before one.
func (m *Member) AwaitOldest(ctx context.Context, version uint64) error {
	others := func(o catalogstore.Member) bool { return o.Oldest >= version }
	return m.await(ctx, mostPause, others, func() bool { return m.host.Oldest() >= version })
}

// await waits until something holds of all living members, and looks at them after pauses up to most.
func (m *Member) await(
	ctx context.Context, most time.Duration, of func(catalogstore.Member) bool, here func() bool,
) error {
	for try := 0; ; try++ {
		living, err := m.Living(ctx)
		if err != nil {
			return err
		}
		all, self := here(), m.ID()
		for _, other := range living {
			all = all && (other.ID == self || of(other))
		}
		if all {
			return nil
		}
		if err := store.Pause(ctx, try, leastPause, most); err != nil {
			return err
		}
	}
}

// The pauses between two looks at what others do.
const (
	leastPause = 20 * time.Millisecond
	mostPause  = time.Second
	// mostLook is the longest while commits may be waiting for it.
	mostLook = 100 * time.Millisecond
)

package pebblestore

import (
	"context"
	"sync"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/routine"
	"zproxy/store"
)

const (
	// roomAge is for how long what was found out about the disk is good.
	roomAge = time.Second
	// probeAge is the same of a write that tests the store.
	probeAge = 5 * time.Second
)

// room knows whether the disk has room for more rows. Without a least it always has.
type room struct {
	fs    vfs.FS
	dir   string
	least int64

	mu    sync.Mutex
	asked time.Time
	err   error
}

// check is an error when less is left than there should be: to write until nothing is left would end the process.
func (r *room) check() error {
	if r.least <= 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.asked) < roomAge {
		return r.err
	}
	r.asked, r.err = time.Now(), nil
	usage, err := r.fs.GetDiskUsage(r.dir)
	if left := int64(min(usage.AvailBytes, 1<<62)); err == nil && left < r.least {
		r.err = &store.Full{Dir: r.dir, Left: left, Least: r.least}
	}
	return r.err
}

// probe is a small synced write that tests the store.
type probe struct {
	mu    sync.Mutex
	asked time.Time
	done  chan struct{}
	err   error
}

// Probe implements store.Prober. A write that did not end in time is waited for by the next call.
func (s *Store) Probe(ctx context.Context) error {
	if err := s.room.check(); err != nil {
		return err
	}
	p := &s.probe
	p.mu.Lock()
	if p.done == nil || time.Since(p.asked) >= probeAge && isClosed(p.done) {
		done := make(chan struct{})
		p.asked, p.done = time.Now(), done
		routine.Go(func() {
			defer close(done)
			p.err = routine.Do(func() error {
				return s.change(context.Background(),
					func(b *pebble.Batch) error { return b.Set(identityKey(), s.ledger.identity[:], nil) })
			})
		}, s.broke)
	}
	done := p.done
	p.mu.Unlock()
	select {
	case <-done:
		return p.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

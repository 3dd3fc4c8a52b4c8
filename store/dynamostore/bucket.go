package dynamostore

import (
	"context"
	"sync"
	"time"
)

// The bucket of a store: how many repeated attempts may come at once, and how many a second when
// none succeeds.
const (
	bucketSize = 500
	bucketRate = 10
)

// bucket has the tokens that repeated attempts take, so that an outage does not multiply the load:
// as many attempts are repeated as others succeed, and a few. The zero bucket is full.
type bucket struct {
	mu    sync.Mutex
	taken float64
	at    time.Time // when time last gave tokens back
}

// take takes a token, if there is one.
func (b *bucket) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = max(0, b.taken-bucketRate*now.Sub(b.at).Seconds())
	b.at = now
	if b.taken+1 > bucketSize {
		return false
	}
	b.taken++
	return true
}

// succeeded gives a token back for a request that was served.
func (b *bucket) succeeded() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = max(0, b.taken-1)
}

// gate bounds the requests that are under way at once.
type gate struct{ room chan struct{} }

func newGate(n int) gate { return gate{make(chan struct{}, n)} }

// enter waits for room.
func (g *gate) enter(ctx context.Context) error {
	select {
	case g.room <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g *gate) leave() { <-g.room }

// inside is how many requests are under way.
func (g *gate) inside() int { return len(g.room) }

// Package memory bounds the memory of all statements of a process together.
//
// A Pool is that bound. Each session has an Account, which is charged for memory before the memory is used: values
// of functions, sorts, hash tables, the writes of its transaction, portals, prepared statements. Memory that the
// estimates leave out, such as garbage that is not collected yet, has to fit between the pool and the limit of the
// process.
package memory

import (
	"context"
	"slices"
	"sync"
	"time"

	"zproxy/sqlerr"
)

const (
	// allowance is what an account may hold without the pool, so that a point read never waits.
	allowance = 256 << 10
	// quantum is what accounts take from the pool at once.
	quantum = 1 << 20
	// patience is how long an account that holds nothing waits for others to give back.
	patience = 10 * time.Second
)

// Pool is the memory that accounts take from. A nil Pool has no bound.
type Pool struct {
	limit int64

	mu      sync.Mutex
	used    int64
	refused int64
	queue   []*request
}

// request is an account that waits. It is granted by an account that gives back, in the order of the queue.
type request struct {
	bytes   int64
	granted chan struct{}
}

// NewPool makes a pool of so many bytes.
func NewPool(limit int64) *Pool { return &Pool{limit: limit} }

// Counts tell how a pool is used.
type Counts struct {
	Limit, Used int64 // bytes
	Waiting     int   // accounts
	Refused     int64 // requests that found no room, since the start
}

// Counts counts.
func (p *Pool) Counts() Counts {
	if p == nil {
		return Counts{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return Counts{Limit: p.limit, Used: p.used, Waiting: len(p.queue), Refused: p.refused}
}

// take reserves bytes. A patient caller waits for its turn, until ctx ends or patience does.
func (p *Pool) take(ctx context.Context, bytes int64, patient bool) error {
	p.mu.Lock()
	fits := p.used+bytes <= p.limit
	switch {
	case fits && (!patient || len(p.queue) == 0):
		p.used += bytes
		p.mu.Unlock()
		return nil
	case !patient || bytes > p.limit:
		defer p.mu.Unlock()
		return p.refuse()
	}
	r := &request{bytes: bytes, granted: make(chan struct{})}
	p.queue = append(p.queue, r)
	p.mu.Unlock()
	return p.wait(ctx, r)
}

// wait waits until a request is granted.
func (p *Pool) wait(ctx context.Context, r *request) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-r.granted:
		return nil
	case <-ctx.Done():
	case <-timer.C:
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.Index(p.queue, r)
	if at < 0 { // it was granted meanwhile
		if ctx.Err() == nil {
			return nil
		}
		p.free(r.bytes)
		return context.Cause(ctx)
	}
	p.queue = slices.Delete(p.queue, at, at+1)
	p.admit() // those behind may be smaller
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return p.refuse()
}

// give returns bytes to the pool.
func (p *Pool) give(bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free(bytes)
}

func (p *Pool) free(bytes int64) {
	p.used -= bytes
	p.admit()
}

// admit grants the requests at the head of the queue that fit.
func (p *Pool) admit() {
	for len(p.queue) > 0 && p.used+p.queue[0].bytes <= p.limit {
		p.used += p.queue[0].bytes
		close(p.queue[0].granted)
		p.queue = slices.Delete(p.queue, 0, 1)
	}
}

// refuse is the error of a request that finds no room.
func (p *Pool) refuse() error {
	p.refused++
	return sqlerr.New(sqlerr.OutOfMemory, "out of memory").
		WithDetail("All statements together may hold %d kB, of which %d kB are in use.", p.limit>>10, p.used>>10).
		WithHint("Run fewer large statements at once, or start zproxy with a larger --memory.")
}

// Package build runs index builds in the background of a process: each in a goroutine of its own, of which one at a
// time takes a step. A build is a record of the catalog, so that another process continues it when this one ends.
// The steps are in cluster/backfill, and the statements about builds in catalog/ddl/index.
//
// Read `Builds` first, then `pace`.
package build

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster"
	"zproxy/cluster/backfill"
	"zproxy/cluster/failure"
	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/internal/routine"
	"zproxy/sqlerr"
	"zproxy/store"
)

const (
	// maxBuildPause bounds the pause after a step that failed through no fault of the data.
	maxBuildPause = 10 * time.Second
	// drainPause is how long others may take their steps before one tries again that met transactions which write by an
	// older version.
	drainPause = 10 * time.Millisecond
)

// Builds are the builds of indexes that go on in this process.
type Builds struct {
	// Clients are those of the process, beside which builds take their time.
	Clients
	steps     backfill.Builder
	remote    bool // each request to the store is waited for
	node      *cluster.Node
	tables    *executor.Tables
	now       func() time.Time
	mu        sync.Mutex
	running   map[uint32]chan struct{} // by index; closed when it has ended
	semaphore chan struct{}            // holds the build that takes a step
}

// New makes the builds of a process, of which none goes on yet.
func New(n *cluster.Node, tables *executor.Tables, now func() time.Time) *Builds {
	b := &Builds{node: n, tables: tables, now: now, running: map[uint32]chan struct{}{},
		semaphore: make(chan struct{}, 1)}
	b.steps = backfill.Builder{
		Catalog: publisher{b: b}, Tables: tables, Prepare: b.prepare, Owner: n.MemberID, Now: now, NewID: n.NextID,
		Make: n.Store.Create,
	}
	c := n.Store.Capabilities()
	b.steps.Segments, b.remote = c.Segments, c.RangeRequests
	if b.steps.Guard, b.steps.MostWrites = !c.Snapshots, c.MostTogether; !c.Snapshots {
		b.steps.Compare = b.compare
	}
	return b
}

// Change changes a build that goes on, here or in another process. It says whether there is one.
func (b *Builds) Change(ctx context.Context, index uint32, change func(*catalog.Build)) (bool, error) {
	return b.steps.Change(ctx, index, change)
}

// Fail turns the build of an index back, because of an error that its client is told by the catalog.
func (b *Builds) Fail(ctx context.Context, index uint32, why error) error {
	return b.steps.Fail(ctx, index, why)
}

// Begin begins or goes on with the build of an index, and says when it has ended. After the end of the process
// the next one goes on with it.
func (b *Builds) Begin(index uint32) <-chan struct{} {
	ended := make(chan struct{})
	b.mu.Lock()
	before := b.running[index]
	b.running[index] = ended
	b.mu.Unlock()
	end := func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.running[index] == ended {
			delete(b.running, index)
		}
		close(ended)
	}
	if !b.node.Background.Run(func(ctx context.Context) {
		defer end()
		if before != nil {
			<-before
		}
		b.run(ctx, index)
	}) {
		end()
	}
	return ended
}

// Ended says when the build of an index that goes on has ended, here or in another process.
func (b *Builds) Ended(ctx context.Context, index uint32) <-chan struct{} {
	b.mu.Lock()
	ended := b.running[index]
	b.mu.Unlock()
	if ended != nil {
		return ended
	}
	if b.node.Shared() {
		return b.node.BuildElsewhere(ctx, index)
	}
	none := make(chan struct{})
	close(none)
	return none
}

// UnderWay says whether a build of an index goes on, here or in another process.
func (b *Builds) UnderWay(ctx context.Context, index uint32) (bool, error) {
	if b.node.Shared() {
		of, err := b.node.ReadBuild(ctx, index)
		return of != nil && !of.Ended(), err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running[index] != nil, nil
}

// run takes steps until there are none left, or the process ends.
func (b *Builds) run(ctx context.Context, index uint32) {
	pace := b.newPace(ctx)
	for failures := 0; ctx.Err() == nil; {
		_ = pace.limit.Wait(ctx) // while no transaction is open, and other builds take their steps
		p, err := b.step(ctx, index, pace)
		var known *sqlerr.Error
		switch {
		case err == nil && p.Ended:
			return
		case err == nil:
			failures = 0
			pace.done(p)
			continue
		case errors.Is(err, store.ErrConflict), errors.Is(err, store.ErrTooLarge) && pace.most > 1:
			pace.met()
			continue
		case errors.Is(err, store.ErrUnknown), errors.Is(err, store.ErrBusy), errors.Is(err, store.ErrUnreachable):
		case errors.Is(err, store.ErrGone) && failures < retry.Most: // by a change of the schema that shows soon
		case errors.Is(err, store.ErrClosed), ctx.Err() != nil:
			return
		case errors.As(err, new(*routine.Bug)):
			b.node.Log.Error("a bug in the build of an index", "index", index, "error", err)
			err = b.Fail(ctx, index, sqlerr.Wrap(err, sqlerr.InternalError, "internal error"))
		case errors.As(failure.Explain(ctx, failure.Known{Catalog: b.node.Snapshot(), Heat: b.node.Heat}, err), &known):
			// Such as that a step is too large for the store.
			err = b.Fail(ctx, index, known)
		}
		if err == nil {
			continue
		}
		if failures++; failures > 3 {
			b.node.Log.Warn("building an index", "index", index, "error", err)
		}
		_ = store.Sleep(ctx, min(time.Millisecond<<min(failures, 20), maxBuildPause))
	}
}

// step takes one step while no other build does.
func (b *Builds) step(ctx context.Context, index uint32, p *pace) (done backfill.Progress, err error) {
	select {
	case b.semaphore <- struct{}{}:
		defer func() { <-b.semaphore }()
		err = routine.Do(func() (err error) {
			done, err = b.steps.Step(ctx, index, p.step())
			return err
		})
		return done, err
	case <-ctx.Done():
		return backfill.Progress{}, ctx.Err()
	}
}

// List are the builds as they are now, also those that other processes do.
func (b *Builds) List(ctx context.Context) ([]*catalog.Build, error) {
	txn, err := b.node.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	return catalogstore.Builds(ctx, txn)
}

// Package routine starts goroutines. A bug in one of them is an error for whatever waits for it, and not the end of the
// process with all that it serves. What the goroutines do is not here. Read Go, Do and Group first.
package routine

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Bug is the error of a goroutine that has panicked.
type Bug struct {
	value any
	stack []byte
}

// Error says what the panic did, and where.
func (b *Bug) Error() string { return fmt.Sprintf("panic: %v\n%s", b.value, b.stack) }

// Do does something. A panic in it is its error, which is a Bug.
func Do(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &Bug{value, debug.Stack()}
		}
	}()
	return f()
}

// Go does something in a goroutine of its own, where bug gets what a panic was.
func Go(f func(), bug func(error)) { go run(f, bug) }

func run(f func(), bug func(error)) {
	err := Do(func() error {
		f()
		return nil
	})
	if err != nil {
		bug(err)
	}
}

// Group is goroutines that are waited for together. A Group that is nothing is ready.
type Group struct{ running sync.WaitGroup }

// Go starts one more, as Go does.
func (g *Group) Go(f func(), bug func(error)) { g.running.Go(func() { run(f, bug) }) }

// Wait waits for all of them, and for what their bugs are told to.
func (g *Group) Wait() { g.running.Wait() }

// Team is goroutines that do parts of one thing: the first error ends it.
type Team struct{ group *errgroup.Group }

// NewTeam makes a team, so many at once, and the context of what it does.
func NewTeam(ctx context.Context, limit int) (*Team, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(limit)
	return &Team{group}, ctx
}

// Start does one part as soon as fewer than the limit are at work.
func (t *Team) Start(f func() error) { t.group.Go(func() error { return Do(f) }) }

// Wait waits for all parts, and gives the first error, be it a Bug.
func (t *Team) Wait() error { return t.group.Wait() }

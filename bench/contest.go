package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"
)

var transactionsPerSecond = unit{"transactions/s", true}

// synced says how durable commits are where many clients write.
const synced = "Every commit is synced to the disk on both sides, as each does by default. A transaction that fails is counted " +
	"as failed, and not tried again by the client; the figures are those that committed."

// turnout is what came of the transactions of a while.
type turnout struct {
	committed, failed int
	perSecond         float64 // committed ones
}

// contest has both sides do the same in turns, and notes how many transactions failed on each. Round -1 is not
// counted.
func (b *bench) contest(name string, run func(side, round int) (turnout, error)) (line, error) {
	l := line{name: name}
	var committed, failed [2]int
	for round := -1; round < b.rounds; round++ {
		for n := range b.sides {
			i := (n + round&1) % 2 // neither side is always the first one
			t, err := run(i, round)
			if err != nil {
				return l, fmt.Errorf("%s: %s: %w", b.sides[i].name, name, err)
			}
			if round < 0 {
				continue
			}
			l.sides[i] = append(l.sides[i], t.perSecond)
			committed[i], failed[i] = committed[i]+t.committed, failed[i]+t.failed
		}
	}
	var notes []string
	for i, s := range b.sides {
		notes = append(notes, s.name+" "+share(failed[i], committed[i]+failed[i]))
	}
	l.note = strings.Join(notes, ", ")
	return l, nil
}

// share tells how many of how many.
func share(some, all int) string {
	percent := 0.0
	if all > 0 {
		percent = 100 * float64(some) / float64(all)
	}
	return fmt.Sprintf("%s of %s (%.1f %%)", whole(some), whole(all), percent)
}

// refused says whether an error ends a transaction that was not to blame: a conflict or a deadlock.
func refused(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

// transact counts what n clients commit, and what they are refused, until a while is over or more says that there is
// nothing left to do.
func transact(ctx context.Context, n int, while time.Duration,
	run func(ctx context.Context, client int) (more bool, err error)) (turnout, error) {
	group, ctx := errgroup.WithContext(ctx)
	var committed, failed atomic.Int64
	start := time.Now()
	for i := range n {
		group.Go(func() error {
			for more := true; more && time.Since(start) < while; {
				var err error
				switch more, err = run(ctx, i); {
				case refused(err):
					failed.Add(1)
					more = true
				case err != nil:
					return err
				case more:
					committed.Add(1)
				}
			}
			return nil
		})
	}
	err := group.Wait()
	t := turnout{committed: int(committed.Load()), failed: int(failed.Load())}
	t.perSecond = float64(t.committed) / time.Since(start).Seconds()
	return t, err
}

// inBlock runs statements between BEGIN and COMMIT, and rolls back when one is refused.
func inBlock(ctx context.Context, conn *pgx.Conn, run func() error) error {
	_, err := conn.Exec(ctx, "BEGIN")
	if err == nil {
		err = run()
	}
	if err == nil {
		_, err = conn.Exec(ctx, "COMMIT")
	}
	if refused(err) {
		if _, failed := conn.Exec(ctx, "ROLLBACK"); failed != nil {
			return failed
		}
	}
	return err
}

package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"golang.org/x/sync/errgroup"
)

// waits are how long writes took, in milliseconds.
type waits struct {
	each    samples
	seconds float64 // of all writers together
}

func (w *waits) perSecond() float64 { return float64(len(w.each)) / w.seconds }

// writers are connections that run a statement over and over, each time with a random id below rows and a random
// number.
type writers struct {
	conns []*pgx.Conn
	seed  uint64
	rows  int
	sql   string
}

// until writes until done says so. A conflict is tried again, within the time of its write.
func (w *writers) until(ctx context.Context, done *atomic.Bool) (*waits, error) {
	group, ctx := errgroup.WithContext(ctx)
	each := make([]samples, len(w.conns))
	start := time.Now()
	for i, conn := range w.conns {
		group.Go(func() error {
			random := rand.New(rand.NewPCG(w.seed, uint64(i)))
			for !done.Load() {
				began := time.Now()
				_, err := conn.Exec(ctx, w.sql, random.IntN(w.rows), random.Int32())
				for conflict(err) {
					_, err = conn.Exec(ctx, w.sql, random.IntN(w.rows), random.Int32())
				}
				if err != nil {
					return err
				}
				each[i] = append(each[i], float64(time.Since(began).Microseconds())/1000)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	out := &waits{seconds: time.Since(start).Seconds()}
	for _, s := range each {
		out.each = append(out.each, s...)
	}
	return out, nil
}

// conflict says whether an error is that of a transaction that may be tried again.
func conflict(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "40001"
}

// during writes for a while.
func (w *writers) during(ctx context.Context, while time.Duration) (*waits, error) {
	var done atomic.Bool
	time.AfterFunc(while, func() { done.Store(true) })
	return w.until(ctx, &done)
}

package main

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

const (
	buildGoal   = 1.5 // how many times as long the slowest reads may take during a build
	buildIndex  = "CREATE INDEX CONCURRENTLY lindorm_c2 ON lindorm (c2)"
	buildGone   = "DROP INDEX lindorm_c2"
	buildUnder  = "SELECT count(*) FROM pg_stat_progress_create_index"
	buildPause  = 20 * time.Millisecond
	buildAtMost = 5 * time.Minute
)

// measureLindormBuild compares the latency of point reads during the background build of an index with that in quiet.
func measureLindormBuild(ctx context.Context, b *bench) (*section, error) {
	sides, end, err := openLindorm(ctx, b, lindormConnections)
	defer end()
	if err != nil {
		return nil, err
	}
	result := &section{
		unit: microseconds, note: "first as a multiple of second, round by round; reads per second",
		columns: [2]string{"during a build", "in quiet"},
		about: append(aboutLindorm(b, sides),
			fmt.Sprintf("The 99th percentile of the time of a single-row read by the primary key, during `%s` in the "+
				"background and in quiet, %v a round. The goal is to take at most %.1f times as long.", buildIndex, lindormTime, buildGoal)),
	}
	for _, s := range sides {
		for _, n := range []int{1, lindormConnections} {
			l, err := s.readsDuringBuild(ctx, n, b.rounds)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.name, err)
			}
			result.lines = append(result.lines, l)
		}
	}
	return result, nil
}

// readsDuringBuild measures the reads of some clients.
func (s *lindormSide) readsDuringBuild(ctx context.Context, clients, rounds int) (line, error) {
	l := line{name: fmt.Sprintf("%s, %d connections", s.name, clients)}
	conns, err := connectAll(ctx, s.side, 1)
	if err != nil {
		return l, err
	}
	defer closeAll(conns)
	var multiples, rates samples
	for range rounds {
		start := time.Now()
		quiet, err := s.readWhile(ctx, clients, func() bool { return time.Since(start) < lindormTime })
		if err != nil {
			return l, err
		}
		during, rate, err := s.readDuring(ctx, clients, conns[0])
		if err != nil {
			return l, err
		}
		l.sides[0], l.sides[1] = append(l.sides[0], percentile(during, 99)), append(l.sides[1], percentile(quiet, 99))
		multiples, rates = append(multiples, percentile(during, 99)/percentile(quiet, 99)), append(rates, rate)
	}
	l.note = fmt.Sprintf("%.2f (%.2f-%.2f), goal %.1f; %s", median(multiples), slices.Min(multiples),
		slices.Max(multiples), buildGoal, thousands(median(rates)))
	return l, nil
}

// readDuring has clients read while an index is built, and says how long each read took and how many there were in a
// second.
func (s *lindormSide) readDuring(ctx context.Context, clients int, conn *pgx.Conn) ([]float64, float64, error) {
	ctx, cancel := context.WithTimeout(ctx, buildAtMost)
	defer cancel()
	group, reading := errgroup.WithContext(ctx)
	var built atomic.Bool
	group.Go(func() error {
		defer built.Store(true)
		return build(reading, conn)
	})
	start := time.Now()
	times, err := s.readWhile(reading, clients, func() bool { return !built.Load() })
	took := time.Since(start)
	if e := group.Wait(); e != nil {
		err = e
	}
	if err == nil {
		err = execAll(ctx, conn, buildGone)
	}
	return times, float64(len(times)) / took.Seconds(), err
}

// build builds the index. The statement may return before the build has ended.
func build(ctx context.Context, conn *pgx.Conn) error {
	if err := execAll(ctx, conn, buildIndex); err != nil {
		return err
	}
	for {
		var under int
		if err := conn.QueryRow(ctx, buildUnder).Scan(&under); err != nil || under == 0 {
			return err
		}
		select {
		case <-time.After(buildPause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// readWhile has clients read as long as more says so, and returns how many microseconds each read took.
func (s *lindormSide) readWhile(ctx context.Context, clients int, more func() bool) ([]float64, error) {
	group, ctx := errgroup.WithContext(ctx)
	times := make([][]float64, clients)
	for i, c := range s.clients[:clients] {
		group.Go(func() (err error) {
			times[i], err = c.latencies(ctx, lindormOperations[0], more)
			return err
		})
	}
	err := group.Wait()
	return slices.Concat(times...), err
}

package main

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
)

const (
	moveRows    = 20_000
	moveWriters = 8
	moveTime    = 5 * time.Second
	moveWrite   = "UPDATE moved SET n = $2 WHERE id = $1"
	// What a move may cost writers.
	moveWaitGoal = 100 // milliseconds
	moveTailGoal = 1.5 // times the 99th percentile of before
)

// measureMoves changes the number of shards of a table while clients write to it.
func measureMoves(ctx context.Context, b *bench) (*section, error) {
	at := b.sideOf(zproxy)
	if at < 0 {
		return nil, errNoZproxy
	}
	conns, err := connectAll(ctx, b.sides[at], moveWriters+1)
	if err != nil {
		return nil, err
	}
	defer closeAll(conns)
	mover, clients := conns[moveWriters], conns[:moveWriters]
	rows := b.scaled(moveRows)
	out := &section{about: []string{fmt.Sprintf("`%s` by %d clients, prepared, on random rows of %s of id int4 primary "+
		"key, n int4, payload text of %d bytes; first for %v, then while `ALTER TABLE moved SET (shards = 16)` takes it "+
		"from 2 shards to 16. A wait is the time of a write, with what is tried again. The statement and all clients "+
		"share the machine; beside so many clients a move leaves them nearly all of the time.", moveWrite, moveWriters, thousands(float64(rows)), payloadSize, moveTime)}}
	t := table{heads: []string{"round", "writes/s before", "during", "99 % within, ms: before", "during",
		"longest wait, ms: before", "during", "the move takes, s"}}
	var longest, tails samples
	for round := range b.rounds {
		m, err := moveOnce(ctx, mover, &writers{clients, b.seed + uint64(round), rows, moveWrite})
		if err != nil {
			return nil, err
		}
		before, during := percentile(m.before.each, 99), percentile(m.during.each, 99)
		longest, tails = append(longest, slices.Max(m.during.each)), append(tails, during/before)
		t.add(fmt.Sprint(round+1), thousands(m.before.perSecond()), thousands(m.during.perSecond()), digits(before),
			digits(during), digits(slices.Max(m.before.each)), digits(slices.Max(m.during.each)),
			digits(m.took.Seconds()))
	}
	out.tables = []table{t, goalTable([]goal{
		{what: "longest wait during a move, ms, median of rounds", wanted: moveWaitGoal, reached: median(longest)},
		{what: "99 % during a move, times that before, median of rounds", wanted: moveTailGoal, reached: median(tails)},
	})}
	return out, nil
}

// move is one change of the number of shards.
type move struct {
	before, during *waits
	took           time.Duration
}

func moveOnce(ctx context.Context, mover *pgx.Conn, w *writers) (*move, error) {
	for _, sql := range []string{
		"DROP TABLE IF EXISTS moved",
		"CREATE TABLE moved (id int PRIMARY KEY, n int, payload text) WITH (shards = 2)",
		fmt.Sprintf("INSERT INTO moved SELECT i, 0, repeat('x', %d) FROM generate_series(0, %d) AS i",
			payloadSize, w.rows-1),
	} {
		if _, err := mover.Exec(ctx, sql); err != nil {
			return nil, err
		}
	}
	if err := rest(ctx); err != nil {
		return nil, err
	}
	m := &move{}
	var err error
	if m.before, err = w.during(ctx, moveTime); err != nil {
		return nil, err
	}
	var done atomic.Bool
	moved := make(chan error, 1)
	go func() {
		defer done.Store(true)
		start := time.Now()
		_, err := mover.Exec(ctx, "ALTER TABLE moved SET (shards = 16)")
		m.took = time.Since(start)
		moved <- err
	}()
	if m.during, err = w.until(ctx, &done); err != nil {
		return nil, err
	}
	return m, <-moved
}

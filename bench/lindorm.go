package main

import (
	"context"
	"fmt"
	"time"
)

const (
	lindormRows        = 1_000_000
	lindormConnections = 8
	lindormTime        = 2 * time.Second
	lindormBatch       = 100  // rows of a batch
	lindormScan        = 1000 // rows of a scan
)

// lindormGoal is how many times as fast as the other side an operation should be.
const (
	lindormWriteGoal = 1.0
	lindormReadGoal  = 1.2
)

// lindormSide is a side of these measurements with its table.
type lindormSide struct {
	*side
	clients []*lindormClient
	load    time.Duration
}

// openLindorm loads the table on both sides and connects so many clients to each.
func openLindorm(ctx context.Context, b *bench, connections int) (sides [2]*lindormSide, end func(), err error) {
	end = func() {
		for _, s := range sides {
			if s != nil {
				s.close()
			}
		}
	}
	for i, s := range b.sides {
		table := &lindormTable{seed: b.seed, rows: int64(b.scaled(lindormRows))}
		table.last.Store(table.rows - 1)
		sides[i] = &lindormSide{side: s}
		if err := sides[i].open(ctx, table, connections); err != nil {
			return sides, end, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return sides, end, rest(ctx)
}

func (s *lindormSide) open(ctx context.Context, table *lindormTable, connections int) error {
	conns, err := connectAll(ctx, s.side, connections)
	if err != nil {
		return err
	}
	for i, conn := range conns {
		s.clients = append(s.clients, newLindormClient(conn, table, uint64(i)))
	}
	if s.load, err = load(ctx, conns[0], table.loading(s.side)); err != nil {
		return err
	}
	for _, c := range s.clients {
		if err := c.prepare(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *lindormSide) close() {
	for _, c := range s.clients {
		_ = c.conn.Close(context.Background()) // does not matter
	}
}

// aboutLindorm describes the table.
func aboutLindorm(b *bench, sides [2]*lindormSide) []string {
	return []string{
		fmt.Sprintf("A table of %s rows, `%s`, about %d rows for each value of p1, with one index that covers, `%s`. Statements are prepared and "+
			"values go in binary; the client reads every row and checks what came. Every write is on disk before it is answered "+
			"(synchronous_commit is on).", thousands(float64(b.scaled(lindormRows))), lindormColumns, lindormPerDevice, lindormIndex),
		loadNote(b.sides, [2]time.Duration{sides[0].load, sides[1].load}),
	}
}

// measureLindormLatency measures how long an operation takes on one connection with nothing else under way.
func measureLindormLatency(ctx context.Context, b *bench) (*section, error) {
	sides, end, err := openLindorm(ctx, b, 1)
	defer end()
	if err != nil {
		return nil, err
	}
	result := &section{unit: microseconds, note: "99th percentile, median of the rounds",
		about: append(aboutLindorm(b, sides),
			fmt.Sprintf("One operation after the other on one connection, %v a round; a sample is the median of a round.",
				lindormTime))}
	for _, op := range lindormOperations {
		l := line{name: op.single}
		var late [2]samples
		err := lindormRounds(b.rounds, sides, func(i int, counted bool) error {
			start := time.Now()
			times, err := sides[i].clients[0].latencies(ctx, op, func() bool { return time.Since(start) < lindormTime })
			if err == nil && counted {
				l.sides[i] = append(l.sides[i], median(times))
				late[i] = append(late[i], percentile(times, 99))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		l.note = fmt.Sprintf("%s, %s", thousands(median(late[0])), thousands(median(late[1])))
		result.lines = append(result.lines, l)
	}
	return result, nil
}

// lindormRounds gives the sides their turns. Round -1 fills caches and is not counted.
func lindormRounds(rounds int, sides [2]*lindormSide, measure func(side int, counted bool) error) error {
	for round := -1; round < rounds; round++ {
		for i, s := range sides {
			if err := measure(i, round >= 0); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	return nil
}

// measureLindormThroughput counts the rows that several connections write or read at once.
func measureLindormThroughput(ctx context.Context, b *bench) (*section, error) {
	sides, end, err := openLindorm(ctx, b, lindormConnections)
	defer end()
	if err != nil {
		return nil, err
	}
	result := &section{unit: rowsPerSecond, note: "goal", about: append(aboutLindorm(b, sides),
		fmt.Sprintf("%d connections at once, %v a round.", lindormConnections, lindormTime))}
	for _, op := range lindormOperations {
		l := line{name: op.name}
		if op.goal > 0 {
			l.note = fmt.Sprintf("%.1f", op.goal)
		}
		err := lindormRounds(b.rounds, sides, func(i int, counted bool) error {
			clients := sides[i].clients
			rate, err := countFor(ctx, len(clients), lindormTime,
				func(ctx context.Context, j int) error { return op.run(clients[j], ctx, op) })
			if err == nil && counted {
				l.sides[i] = append(l.sides[i], rate*float64(op.rows))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		result.lines = append(result.lines, l)
	}
	return result, nil
}

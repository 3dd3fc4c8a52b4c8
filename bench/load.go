package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

const (
	loadRows    = 1_000_000
	loadScale   = 10
	loadBatch   = 100
	loadWriting = 3 * time.Second
)

// measureLoad compares what brings rows into tables: COPY of many, pgbench's initialization, and small synced inserts.
func measureLoad(ctx context.Context, b *bench) (*section, error) {
	rows := b.scaled(loadRows)
	out := &section{unit: milliseconds, note: "goal", about: []string{
		fmt.Sprintf("COPY is one statement of %s rows of id int8 primary key, a, b, c int4, note text of 50 bytes, in the order of id, "+
			"with and without an index on (a, b) and one on (c) INCLUDE (a, b). `pgbench -i` is the whole program, at scale %d. "+
			"An INSERT is of one row of the same table, without indexes, in a transaction of its own, prepared, or of %d rows; "+
			"what it takes is the mean of %v.", thousands(float64(rows)), loadScale, loadBatch, loadWriting), synced}}
	text := loadText(rows, b.seed)
	for _, c := range []struct {
		name, goal string
		indexes    []string
	}{
		{"COPY with two indexes", "1.5", []string{
			"CREATE INDEX load_ab ON load (a, b)", "CREATE INDEX load_c ON load (c) INCLUDE (a, b)"}},
		{"*COPY*", "", nil},
	} {
		l, err := b.alternate(c.name, c.goal, func(s *side) (float64, error) {
			return s.copyLoad(ctx, text, rows, c.indexes)
		})
		if err != nil {
			return nil, err
		}
		out.lines = append(out.lines, l)
	}
	l, err := b.alternate("pgbench -i", "1.0", func(s *side) (float64, error) {
		start := time.Now()
		_, err := b.pgbench(ctx, s, "-i", "-q", "-s", strconv.Itoa(loadScale))
		return milliseconds64(time.Since(start)), err
	})
	if err != nil {
		return nil, err
	}
	out.lines = append(out.lines, l)
	inserts, err := b.loadInserts(ctx)
	out.lines = append(out.lines, inserts...)
	return out, err
}

func milliseconds64(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// alternate measures the sides by turns.
func (b *bench) alternate(name, goal string, measure func(*side) (float64, error)) (line, error) {
	l := line{name: name, note: goal}
	for round := range b.rounds {
		for i := range b.sides {
			at := (i + round) % len(b.sides)
			took, err := measure(b.sides[at])
			if err != nil {
				return l, fmt.Errorf("%s: %s: %w", name, b.sides[at].name, err)
			}
			l.sides[at] = append(l.sides[at], took)
		}
	}
	return l, nil
}

// loadText is rows in COPY's text format.
func loadText(rows int, seed uint64) []byte {
	random := rand.New(rand.NewPCG(seed, 0))
	var text []byte
	for i := range rows {
		text = fmt.Appendf(text, "%d\t%d\t%d\t%d\t%050x\n", i, random.IntN(1000), random.Int32(), random.Int32(),
			random.Uint64())
	}
	return text
}

const loadTable = "CREATE TABLE load (id int8 PRIMARY KEY, a int4, b int4, c int4, note text)"

// copyLoad copies rows into a new table, and says how long that took.
func (s *side) copyLoad(ctx context.Context, text []byte, rows int, indexes []string) (float64, error) {
	conns, err := connectAll(ctx, s, 1)
	if err != nil {
		return 0, err
	}
	defer closeAll(conns)
	statements := append([]string{"DROP TABLE IF EXISTS load", loadTable}, indexes...)
	if err := execAll(ctx, conns[0], statements...); err != nil {
		return 0, err
	}
	start := time.Now()
	err = copyText(ctx, conns[0], "load", text, rows)
	return milliseconds64(time.Since(start)), err
}

// loadInserts measures inserts.
func (b *bench) loadInserts(ctx context.Context) (lines []line, err error) {
	for _, s := range b.sides {
		if _, err := s.copyLoad(ctx, nil, 0, nil); err != nil {
			return nil, err
		}
	}
	var last atomic.Int64
	for _, c := range []struct {
		name, goal    string
		clients, rows int
	}{
		{"INSERT, 1 connection", "0.95", 1, 1}, {"INSERT, 8 connections", "1.1", 8, 1},
		{"INSERT, 64 connections", "1.3", 64, 1}, {"INSERT of 100 rows, 1 connection", "1.3", 1, loadBatch},
	} {
		sql := fmt.Sprintf("INSERT INTO load SELECT $1 + n, $2, $2, $2, repeat('x', 50) "+
			"FROM generate_series(1, %d) AS n", c.rows)
		if c.rows == 1 {
			sql = "INSERT INTO load VALUES ($1, $2, $2, $2, repeat('x', 50))"
		}
		l, err := b.alternate(c.name, c.goal, func(s *side) (float64, error) {
			conns, err := connectAll(ctx, s, c.clients)
			if err != nil {
				return 0, err
			}
			defer closeAll(conns)
			count, err := insertFor(ctx, conns, sql, &last, c.rows)
			return milliseconds64(loadWriting) / float64(count), err
		})
		if err != nil {
			return lines, err
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// insertFor runs a statement by all connections for a while, each time with another id, and says how often.
func insertFor(ctx context.Context, conns []*pgx.Conn, sql string, last *atomic.Int64, rows int) (int64, error) {
	var count atomic.Int64
	end := time.Now().Add(loadWriting)
	group, ctx := errgroup.WithContext(ctx)
	for _, conn := range conns {
		group.Go(func() error {
			for time.Now().Before(end) {
				if _, err := conn.Exec(ctx, sql, last.Add(int64(rows)), rand.Int32()); err != nil {
					return err
				}
				count.Add(1)
			}
			return nil
		})
	}
	err := group.Wait()
	return count.Load(), err
}

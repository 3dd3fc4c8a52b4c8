package main

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"
)

const (
	pointRows        = 1_000_000
	pointConnections = 8
	pointTime        = 2 * time.Second
	pointQuery       = "SELECT k, payload FROM points WHERE id = $1"
	payloadSize      = 100
)

// pointCases are the ways to send a statement: prepared is the extended protocol with the client's statement cache, the
// unnamed statement is parsed each time.
var pointCases = []struct {
	name        string
	mode        pgx.QueryExecMode
	connections int
	goal        string
}{
	{"prepared", pgx.QueryExecModeCacheStatement, pointConnections, "1.0"},
	{"unnamed Parse", pgx.QueryExecModeExec, pointConnections, "0.9"},
	{"simple protocol", pgx.QueryExecModeSimpleProtocol, pointConnections, "0.9"},
	{"prepared", pgx.QueryExecModeCacheStatement, 1, "1.2"},
	{"unnamed Parse", pgx.QueryExecModeExec, 1, "1.1"},
	{"simple protocol", pgx.QueryExecModeSimpleProtocol, 1, "1.1"},
}

// pointTable makes the rows of the table; row i has the id i+1 and depends on nothing but seed and id.
type pointTable struct {
	seed uint64
	rows int
}

// measurePoint counts lookups by primary key over several connections.
func measurePoint(ctx context.Context, b *bench) (*section, error) {
	table := pointTable{b.seed, b.scaled(pointRows)}
	var conns [2][]*pgx.Conn
	var loads [2]time.Duration
	for i, s := range b.sides {
		var err error
		if conns[i], err = connectAll(ctx, s, pointConnections); err != nil {
			return nil, err
		}
		defer closeAll(conns[i])
		if loads[i], err = load(ctx, conns[i][0], table.loading(s)); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	if err := rest(ctx); err != nil {
		return nil, err
	}
	result := &section{unit: operationsPerSecond, note: "goal", about: []string{
		fmt.Sprintf("`%s` with random ids over %s rows of id int8 primary key, k int4, payload text of %d bytes; %v a round.",
			pointQuery, thousands(float64(table.rows)), payloadSize, pointTime),
		loadNote(b.sides, loads),
	}}
	for _, c := range pointCases {
		l := line{name: fmt.Sprintf("%s, %d connections", c.name, c.connections), note: c.goal}
		// Round -1 fills caches and is not counted.
		for round := -1; round < b.rounds; round++ {
			for n := range b.sides {
				i := (n + round&1) % 2 // neither side is always the first one
				rate, err := table.lookups(ctx, conns[i][:c.connections], c.mode, round)
				if err != nil {
					return nil, fmt.Errorf("%s: %w", b.sides[i].name, err)
				}
				if round >= 0 {
					l.sides[i] = append(l.sides[i], rate)
				}
			}
		}
		result.lines = append(result.lines, l)
	}
	return result, nil
}

func (t pointTable) loading(s *side) loading {
	return loading{
		table:   "points",
		columns: "(id int8 PRIMARY KEY, k int4, payload text)",
		rows:    t.rows,
		appendRow: func(text []byte, i int) []byte {
			id := int64(i + 1)
			k, payload := t.row(id)
			text = append(strconv.AppendInt(text, id, 10), '\t')
			text = append(strconv.AppendInt(text, int64(k), 10), '\t')
			return append(append(text, payload[:]...), '\n')
		},
		after: s.atRest("points"),
	}
}

func (t pointTable) row(id int64) (k int32, payload [payloadSize]byte) {
	random := rand.NewPCG(t.seed, uint64(id))
	k = int32(random.Uint64() >> 33)
	for i := range payload {
		payload[i] = 'a' + byte(random.Uint64()%26)
	}
	return k, payload
}

// lookups has every connection look up random rows for a while and returns the operations per second of all of them.
func (t pointTable) lookups(ctx context.Context, conns []*pgx.Conn, mode pgx.QueryExecMode, round int) (float64,
	error) {
	random := make([]*rand.Rand, len(conns))
	for i := range conns {
		random[i] = rand.New(rand.NewPCG(t.seed, uint64(round*len(conns)+i)))
	}
	return countFor(ctx, len(conns), pointTime, func(ctx context.Context, i int) error {
		return t.lookup(ctx, conns[i], mode, 1+random[i].Int64N(int64(t.rows)))
	})
}

// countFor has n clients do something over and over for a while and returns the operations per second of all of them.
func countFor(ctx context.Context, n int, while time.Duration,
	operation func(ctx context.Context, client int) error) (float64, error) {
	group, ctx := errgroup.WithContext(ctx)
	counts := make([]int, n)
	start := time.Now()
	for i := range n {
		group.Go(func() (err error) {
			for err == nil && time.Since(start) < while {
				err = operation(ctx, i)
				counts[i]++
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return 0, err
	}
	elapsed, total := time.Since(start), 0
	for _, count := range counts {
		total += count
	}
	return float64(total) / elapsed.Seconds(), nil
}

// lookup fetches one row and checks it.
func (t pointTable) lookup(ctx context.Context, conn *pgx.Conn, mode pgx.QueryExecMode, id int64) error {
	var k int32
	var payload []byte
	if err := conn.QueryRow(ctx, pointQuery, mode, id).Scan(&k, &payload); err != nil {
		return err
	}
	if wantK, want := t.row(id); k != wantK || !bytes.Equal(payload, want[:]) {
		return fmt.Errorf("id %d has k %d and payload %q, want %d and %q", id, k, payload, wantK, want)
	}
	return nil
}

func connectAll(ctx context.Context, s *side, n int) ([]*pgx.Conn, error) {
	conns := make([]*pgx.Conn, 0, n)
	for range n {
		conn, err := pgx.Connect(ctx, s.dsn)
		if err != nil {
			closeAll(conns)
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		conns = append(conns, conn)
	}
	return conns, nil
}

// closeAll hangs up; an error on the way does not matter.
func closeAll(conns []*pgx.Conn) {
	for _, conn := range conns {
		_ = conn.Close(context.Background())
	}
}

// loadNote tells the time of the load with its indexes and upkeep; it was done once.
func loadNote(sides [2]*side, loads [2]time.Duration) string {
	return fmt.Sprintf("Loading by COPY in batches of %s rows, with indexes: %s %.1f s, %s %.1f s.",
		thousands(copyBatch),
		sides[0].name, loads[0].Seconds(), sides[1].name, loads[1].Seconds())
}

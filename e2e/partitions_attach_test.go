package e2e

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"zproxy/cluster/fleet"
	"zproxy/internal/indextest"
	"zproxy/internal/testseed"
	"zproxy/session"
)

// TestAttachAmongWriters detaches and attaches a partition while others write rows to it, by the partitioned table and
// by its own name, also in another process. In the end each row that was acknowledged is there once, and none lies
// outside of the range of its partition.
func TestAttachAmongWriters(t *testing.T) {
	for _, k := range []kind{inMemory, onPebble, onFake} {
		t.Run(k.name, func(t *testing.T) {
			st, rounds := k.open(t), 200
			indextest.AtEnd(t, st)
			o := session.Options{Shared: k.shared, Fleet: fleet.Options{Lease: 200 * time.Millisecond}}
			servers := []*server{serve(t, st, o)}
			if k.shared { // each change waits for the other process
				rounds = 3
				servers = append(servers, serve(t, st, o))
			}
			c := servers[0].connect(t)
			must(t, c, `CREATE TABLE parts (id int, at int NOT NULL, PRIMARY KEY (at, id)) PARTITION BY RANGE (at);
				CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10);
				CREATE TABLE parts_2 PARTITION OF parts FOR VALUES FROM (10) TO (20);
				CREATE INDEX ON parts (id)`)
			w := &attachWriters{t: t, written: map[string]bool{}}
			var writers sync.WaitGroup
			for i := range 4 {
				own := servers[i%len(servers)].connect(t)
				rng := rand.New(rand.NewPCG(testseed.Of(t), uint64(i)))
				writers.Go(func() { w.write(own, rng, i) })
			}
			for range rounds {
				w.alter(c, "ALTER TABLE parts DETACH PARTITION parts_2")
				// What is written outside of the range meanwhile keeps the table from being attached.
				w.alter(c, "DELETE FROM parts_2 WHERE at < 10; "+
					"ALTER TABLE parts ATTACH PARTITION parts_2 FOR VALUES FROM (10) TO (20)")
			}
			w.done.Store(true)
			writers.Wait()
			for table, where := range map[string]string{"parts_1": "at >= 10", "parts_2": "at < 10"} {
				if got := spoken(t.Context(), c.PgConn(), "SELECT * FROM "+table+" WHERE "+where); got != "" {
					t.Errorf("%s has rows of another partition: %s", table, got)
				}
			}
			var want strings.Builder
			for _, row := range slices.Sorted(maps.Keys(w.written)) {
				want.WriteString(row + "|")
			}
			got := spoken(t.Context(), c.PgConn(), `SELECT at || ' ' || id FROM parts ORDER BY (at || ' ' || id) COLLATE "C"`)
			if got != want.String() {
				t.Errorf("there are rows\n%s\nof\n%s", got, want.String())
			}
		})
	}
}

// attachWriters write rows while a partition comes and goes.
type attachWriters struct {
	t       *testing.T
	done    atomic.Bool
	mu      sync.Mutex
	written map[string]bool // and acknowledged, but for those that are deleted
}

// alter runs statements until no writer is in their way.
func (w *attachWriters) alter(c *pgx.Conn, sql string) {
	for {
		switch code := codeOf(run(c, sql)); code {
		case "<nil>":
			return
		case "40001", "23514":
		default:
			w.t.Errorf("%s: %s", sql, code)
			return
		}
	}
}

func (w *attachWriters) write(c *pgx.Conn, rng *rand.Rand, client int) {
	for id := client; !w.done.Load(); id += 4 {
		table, at := "parts", rng.IntN(20)
		if rng.IntN(3) == 0 {
			table, at = "parts_2", 5+rng.IntN(15)
		}
		sql := fmt.Sprintf("INSERT INTO %s VALUES (%d, %d)", table, id, at)
		switch code := codeOf(run(c, sql)); code {
		case "<nil>":
			if table == "parts" || at >= 10 {
				w.mu.Lock()
				w.written[fmt.Sprintf("%d %d", at, id)] = true
				w.mu.Unlock()
			}
		case "23514", "40001":
		default:
			w.t.Errorf("%s: %s", sql, code)
		}
	}
}

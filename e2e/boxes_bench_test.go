package e2e

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"zproxy/metrics"
	"zproxy/session"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/pebblestore"
	"zproxy/types"
)

var (
	boxRows = flag.Int("box-rows", 2_000_000, "how many rows BenchmarkBox has")
	boxDir  = flag.String("box-dir", "",
		"where BenchmarkBox finds its store, or leaves it for the next time; empty: it makes one each time")
)

// BenchmarkBox asks for the ids of the rows in boxes of 2 to 4 dimensions that hold about so many rows,
// of a table with a Z-order index for each number of dimensions: inside the engine, with no client that
// looks at the rows, and over the wire.
func BenchmarkBox(b *testing.B) {
	dir := *boxDir
	if dir == "" {
		dir = b.TempDir()
	}
	if there, _ := filepath.Glob(filepath.Join(dir, "*.sst")); there == nil {
		makeBoxes(b, dir)
	}
	st := openBoxes(b, dir)
	b.Cleanup(func() { _ = st.Close() })
	b.Run("engine", func(b *testing.B) {
		engine := newBoxEngine(b, st)
		eachBox(b, func(b *testing.B, dims int, boxes [][]int64) { engine.bench(b, dims, boxes) })
	})
	b.Run("wire", func(b *testing.B) {
		c := serve(b, st, session.Options{}).connect(b)
		eachBox(b, func(b *testing.B, dims int, boxes [][]int64) { benchBoxWire(b, c, dims, boxes) })
	})
}

func openBoxes(b *testing.B, dir string) store.Store {
	st, err := pebblestore.Open(dir, pebblestore.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return st
}

// makeBoxes makes the store and leaves it compacted.
func makeBoxes(b *testing.B, dir string) {
	st := openBoxes(b, dir)
	s := serve(b, st, session.Options{})
	c := s.connect(b)
	must(b, c, "CREATE TABLE boxes (id int8 PRIMARY KEY, a int4, b int4, c int4, d int4)")
	rng, row := rand.New(rand.NewPCG(1, 2)), 0
	source := pgx.CopyFromFunc(func() ([]any, error) {
		if row++; row > *boxRows {
			return nil, nil
		}
		return []any{int64(row), rng.Int32(), rng.Int32(), rng.Int32(), rng.Int32()}, nil
	})
	if _, err := c.CopyFrom(b.Context(), pgx.Identifier{"boxes"}, []string{"id", "a", "b", "c", "d"},
		source); err != nil {
		b.Fatal(err)
	}
	must(b, c, "CREATE INDEX z2 ON boxes USING zorder (a, b)", "CREATE INDEX z3 ON boxes USING zorder (a, b, c)",
		"CREATE INDEX z4 ON boxes USING zorder (a, b, c, d)", "ANALYZE boxes")
	_ = c.Close(b.Context())
	s.stop()
	awaitMerged(st)
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
}

// awaitMerged waits until the store has merged what was loaded.
func awaitMerged(st store.Store) {
	for before := -1.; ; time.Sleep(2 * time.Second) {
		now := st.(store.Measured).Measures()["compactions"]
		if now == before {
			return
		}
		before = now
	}
}

// eachBox runs a benchmark for each number of dimensions and each size of boxes, which are the bounds
// of one dimension after the other.
func eachBox(b *testing.B, run func(b *testing.B, dims int, boxes [][]int64)) {
	for _, dims := range []int{2, 3, 4} {
		for _, rows := range []int{20, 200, 2_000, 20_000, 200_000} {
			rng := rand.New(rand.NewPCG(uint64(dims), uint64(rows)))
			share := math.Pow(min(1, float64(rows)/float64(*boxRows)), 1/float64(dims))
			width := int64(share * math.MaxInt32)
			boxes := make([][]int64, 64)
			for i := range boxes {
				for range dims {
					low := rng.Int64N(math.MaxInt32 - width + 1)
					boxes[i] = append(boxes[i], low, low+width)
				}
			}
			b.Run(fmt.Sprintf("d=%d/V=%d", dims, rows), func(b *testing.B) { run(b, dims, boxes) })
		}
	}
}

func boxQuery(dims int) string {
	var conds []string
	for i := range dims {
		conds = append(conds, fmt.Sprintf("%c BETWEEN $%d AND $%d", 'a'+i, 2*i+1, 2*i+2))
	}
	return "SELECT id FROM boxes WHERE " + strings.Join(conds, " AND ")
}

// boxEngine is a session whose rows are not looked at.
type boxEngine struct {
	session.Client
	*session.Session
	db   *session.DB
	rows int
}

func (*boxEngine) Done(session.Outcome) error { return nil }
func (*boxEngine) Notice(*sqlerr.Error) error { return nil }
func (e *boxEngine) Rows(_ *session.Portal, batch *types.Batch) error {
	e.rows += batch.Len()
	return nil
}

func newBoxEngine(b *testing.B, st store.Store) *boxEngine {
	db, err := session.Open(b.Context(), st, session.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(db.Close)
	e := &boxEngine{db: db}
	if e.Session, err = db.Connect(session.Startup{User: "joe", Database: "postgres"}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(e.Close)
	for dims := 2; dims <= 4; dims++ {
		if err := e.Prepare(b.Context(), fmt.Sprint(dims), boxQuery(dims), nil); err != nil {
			b.Fatal(err)
		}
	}
	return e
}

// bench runs the prepared statement of so many dimensions as the messages of a client do.
func (e *boxEngine) bench(b *testing.B, dims int, boxes [][]int64) {
	params := make([][]types.Value, len(boxes))
	for i, box := range boxes {
		for _, bound := range box {
			params[i] = append(params[i], types.NewInt(bound))
		}
	}
	name := fmt.Sprint(dims)
	e.rows = 0
	keys := e.db.Totals().Usage[metrics.KeysRead]
	b.ReportAllocs()
	began := processorTime()
	for i := 0; b.Loop(); i++ {
		st, err := e.Statement(name)
		if err == nil {
			err = e.Bind(b.Context(), "", session.Binding{Statement: st, Params: params[i%len(params)]})
		}
		if err != nil {
			b.Fatal(err)
		}
		p, err := e.Portal("")
		if err == nil {
			err = e.Execute(b.Context(), p, session.Ask{Last: true}, e)
		}
		if err == nil {
			err = e.Sync(b.Context())
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processorTime()-began)/float64(e.rows), "cpu-ns/row")
	b.ReportMetric(float64(e.rows)/float64(b.N), "rows/op")
	b.ReportMetric(float64(e.db.Totals().Usage[metrics.KeysRead]-keys)/float64(e.rows), "keys/row")
}

func benchBoxWire(b *testing.B, c *pgx.Conn, dims int, boxes [][]int64) {
	query, total := boxQuery(dims), 0
	args := make([][]any, len(boxes))
	for i, box := range boxes {
		for _, bound := range box {
			args[i] = append(args[i], int32(bound))
		}
	}
	began := processorTime()
	for i := 0; b.Loop(); i++ {
		rows, err := c.Query(context.Background(), query, args[i%len(args)]...)
		if err != nil {
			b.Fatal(err)
		}
		var id int64
		for rows.Next() {
			if err := rows.Scan(&id); err != nil {
				b.Fatal(err)
			}
			total++
		}
		if err := rows.Err(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processorTime()-began)/float64(total), "cpu-ns/row")
}

// processorTime is what the process has had of the processors, which says more than the clock does
// where others want them, too.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

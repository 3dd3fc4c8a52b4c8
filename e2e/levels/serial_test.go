package levels

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/anomaly"
	"zproxy/internal/testseed"
)

var serialFlag = flag.Int("serial", 0,
	"from how many seeds TestHistories and TestPostgresHistories make histories; 0: from one, of fewer transactions")

const (
	clients     = 8
	perClient   = 60 // with -serial, and otherwise a third
	mostReports = 3
	withDDL     = 4 // each so many seeds
)

// mix is which levels the transactions of a history ask for.
type mix struct {
	name  string
	asked []anomaly.Level
}

var mixes = []mix{
	{"read committed", levels[:1]}, {"repeatable read", levels[1:2]}, {"serializable", levels[2:]}, {"mixed", levels},
}

// TestHistories runs random transactions, and wants nothing in their history that zproxy promises to forbid.
func TestHistories(t *testing.T) {
	for _, s := range append(slices.Clone(zproxies), processes, consistent) {
		t.Run(s.name, func(t *testing.T) {
			urls, seed := s.start(t), testseed.Of(t)
			for n := range max(1, *serialFlag) {
				for i, m := range mixes {
					l := zorderLayouts[(n+i)%len(zorderLayouts)]
					(&run{s, m, l, urls, seed + uint64(n), duringOf(seed + uint64(n))}).play(t)
				}
			}
		})
	}
}

// TestHintsAreFollowed wants queries to read the indexes that they name.
func TestHintsAreFollowed(t *testing.T) {
	s := zproxies[0]
	conn := connect(t, s.start(t)[0])
	makeLists(t, conn, zorderLayouts[0], clients*perClient)
	c := &client{lists: &lists{}, Rand: rand.New(rand.NewPCG(testseed.Of(t), 0)), conn: conn}
	named := regexp.MustCompile(`USE_INDEX\(\w+, (\w+)\)`)
	found := map[string]bool{}
	for range 200 {
		r := c.draw()
		m := named.FindStringSubmatch(r.sql)
		if m == nil {
			continue
		}
		rows, err := c.conn.Query(context.Background(), "EXPLAIN "+r.sql, append([]any{pgx.QueryExecModeSimpleProtocol},
			r.args...)...)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil || !strings.Contains(strings.Join(plan, "\n"), " using "+m[1]+" on ") {
			t.Errorf("%s: %v\n%s", r.sql, err, strings.Join(plan, "\n"))
		}
		found[m[1]] = true
	}
	if len(found) < 4 {
		t.Errorf("only %v are named", found)
	}
}

// weak are anomalies that PostgreSQL allows at a level, and that are to be found there.
var weak = map[string][]anomaly.Kind{
	"read committed":  {anomaly.GSingle, anomaly.LostUpdate},
	"repeatable read": {anomaly.G2},
}

// mostSeeds is how many histories have all of these between them, if there are any.
const mostSeeds = 20

// TestPostgresHistories wants nothing, either, of PostgreSQL, and to find there what the lower levels allow, if need
// be in more histories: it is the test of the test.
func TestPostgresHistories(t *testing.T) {
	found := map[string]map[anomaly.Kind]bool{}
	missing := func() (out []string) {
		for _, m := range mixes {
			for _, k := range weak[m.name] {
				if !found[m.name][k] {
					out = append(out, fmt.Sprintf("no %s at %s", k, m.name))
				}
			}
		}
		return out
	}
	urls, seed := postgres.start(t), testseed.Of(t)
	for n := 0; n < max(1, *serialFlag) || len(missing()) > 0; n++ {
		if n >= max(mostSeeds, *serialFlag) {
			t.Fatalf("not found: %q", missing())
		}
		for _, m := range mixes {
			if found[m.name] == nil {
				found[m.name] = map[anomaly.Kind]bool{}
			}
			r := run{postgres, m, plain, urls, seed + uint64(n), duringOf(seed + uint64(n))}
			for _, a := range r.play(t) {
				found[m.name][a.Kind] = true
			}
		}
	}
}

// run makes one history.
type run struct {
	server
	mix
	layout
	urls   []string
	seed   uint64
	during [][]string // statements that run beside the clients, each list over and over
}

// duringOf makes and drops indexes beside the clients, in each fourth history.
func duringOf(seed uint64) [][]string {
	if seed%withDDL != 0 {
		return nil
	}
	return [][]string{{"CREATE INDEX a_x ON a (n, id)", "CREATE INDEX b_x ON b (v)", "DROP INDEX a_x", "DROP INDEX b_x"}}
}

// play makes the history and checks it.
func (r *run) play(t *testing.T) []anomaly.Anomaly {
	t.Helper()
	var conns []*pgx.Conn
	for i := range 1 + len(r.during) + clients {
		c := connect(t, r.urls[i%len(r.urls)])
		defer func() { _ = c.Close(context.Background()) }()
		conns = append(conns, c)
	}
	control, changers, conns := conns[0], conns[1:1+len(r.during)], conns[1+len(r.during):]
	must(t, control, "DROP TABLE IF EXISTS a, b")
	each := perClient
	if *serialFlag == 0 {
		each /= 3
	}
	makeLists(t, control, r.layout, clients*each)
	l := &lists{keeps: r.keeps, waits: r.waits && (r.atomic || r.during == nil), atomic: r.atomic,
		asked: r.asked, failed: map[string]int{}}
	var running sync.WaitGroup
	for i, c := range conns {
		x := &client{lists: l, Rand: rand.New(rand.NewPCG(r.seed, uint64(i))), conn: c}
		running.Go(func() {
			for range each {
				if err := x.transaction(); err != nil {
					t.Errorf("%s: %v\n%s", r.mix.name, err, x.at)
					return
				}
			}
		})
	}
	stop := r.change(t, changers)
	running.Wait()
	stop()
	last := &client{lists: l, Rand: rand.New(rand.NewPCG(r.seed, clients)), conn: control, at: &anomaly.Transaction{
		ID: clients*each + 1, Level: anomaly.Serializable, Began: l.now()}}
	if err := last.ask(everything(clients*each/perID + window)); err != nil {
		t.Error(err)
	}
	found := r.check(t, l, append(l.history, last.at))
	if t.Failed() {
		t.FailNow() // what follows would be much of the same
	}
	return found
}

// change runs the statements beside the clients, each until it succeeds, until it is stopped.
func (r *run) change(t *testing.T, conns []*pgx.Conn) (stop func()) {
	var changing sync.WaitGroup
	var over atomic.Bool
	for i, c := range conns {
		changing.Go(func() {
			for n := 0; !over.Load(); n++ {
				sql := r.during[i][n%len(r.during[i])]
				if err := insist(c, sql); err != nil {
					t.Errorf("%s: %v", sql, err)
					return
				}
			}
		})
	}
	return func() {
		over.Store(true)
		changing.Wait()
	}
}

// insist runs a statement until no other transaction makes it fail.
func insist(c *pgx.Conn, sql string) error {
	for {
		_, err := c.Exec(context.Background(), sql)
		var e *pgconn.PgError
		if !errors.As(err, &e) || !expected[e.Code] {
			return err
		}
		if _, err := c.Exec(context.Background(), "ROLLBACK"); err != nil {
			return err
		}
	}
}

// check reports what a history has and must not have.
func (r *run) check(t *testing.T, l *lists, history []*anomaly.Transaction) []anomaly.Anomaly {
	t.Helper()
	found := anomaly.Check(history)
	kinds := map[anomaly.Kind]int{}
	for _, a := range found {
		kinds[a.Kind]++
	}
	t.Logf("%s, %s, -seed %d: of %d transactions failed %v; found %v", r.mix.name, r.layout.name, r.seed, len(history),
		l.failed, kinds)
	forbidden := anomaly.Forbidden(found)
	for _, a := range forbidden[:min(len(forbidden), mostReports)] {
		t.Errorf("%s, %s, -seed %d: %s\n%s", r.mix.name, r.layout.name, r.seed, a.Kind, a.Text)
	}
	return found
}

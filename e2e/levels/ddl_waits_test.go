package levels

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/internal/indextest"
	"zproxy/session"
)

// ddlSteps are statements that change the schema of a table of some thousand rows.
var ddlSteps = [][]string{
	{"TRUNCATE waits"},
	{"ALTER TABLE waits ADD COLUMN c int DEFAULT 7"},
	{"ALTER TABLE waits DROP COLUMN c"},
	{"CREATE INDEX waits_a ON waits (a)"},
	{"REINDEX INDEX waits_a"},
	{"REINDEX INDEX CONCURRENTLY waits_a", "SELECT zproxy.wait_for_index('waits', 'waits_a_ccnew')"},
	{"DROP INDEX waits_a"},
	{"CREATE INDEX CONCURRENTLY waits_b ON waits (b)", "SELECT zproxy.wait_for_index('waits', 'waits_b')"},
	{"DROP INDEX CONCURRENTLY waits_b"},
	{"UPDATE waits SET a = 3 WHERE id = 1; ALTER TABLE waits ADD COLUMN d int DEFAULT 7"},
	{"CREATE INDEX CONCURRENTLY waits_kept ON waits (b, a)", "SELECT zproxy.wait_for_index('waits', 'waits_kept')"},
}

// TestWaitsForDDL writes in three processes while one of them changes the schema, and reports for each step how long
// a write took at the most, in that process and in the others. Writes that meet a conflict are made again, and count as
// one. The index that stays is compared with the rows at the end.
func TestWaitsForDDL(t *testing.T) {
	t.Parallel()
	f := newFake()
	indextest.AtEnd(t, openFake(t, f, "check", 0))
	var urls []string
	for _, name := range []string{"a", "b", "c"} {
		time.Sleep(300 * time.Millisecond) // so that they do not look at the schema at the same time
		st := openFake(t, f, name, 0)
		t.Cleanup(func() { _ = st.Close() })
		urls = append(urls, serve(t, st, session.Options{Shared: true,
			Settings: map[string]string{"zproxy.build_units": "0"}}))
	}
	changer := connect(t, urls[2])
	must(t, changer, "CREATE TABLE waits (id int PRIMARY KEY, a int, b int)")
	for i, step := range ddlSteps {
		if i == 1 { // behind the TRUNCATE
			must(t, changer, "INSERT INTO waits SELECT g, g, g FROM generate_series(1, 2000) g ON CONFLICT DO NOTHING")
		}
		writers := []*waitingWriter{
			startWriter(t, urls[0], "INSERT INTO waits (id, a, b) VALUES ($1, 1, 1) ON CONFLICT (id) DO UPDATE SET a = 2"),
			startWriter(t, urls[1], "UPDATE waits SET b = b + 1 WHERE id = $1 % 2000 + 1"),
			startWriter(t, urls[2], "UPDATE waits SET a = a + 1 WHERE id = 2000 - $1 % 2000"),
		}
		time.Sleep(100 * time.Millisecond) // for writes before
		began := time.Now()
		for _, sql := range step {
			if _, err := again(changer, sql); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
		took := time.Since(began)
		writes, conflicts := 0, 0
		for _, w := range writers {
			w.stop()
			writes, conflicts = writes+w.writes, conflicts+w.conflicts
		}
		t.Logf("%5.2f s here, %5.2f s elsewhere, of %5d writes, %3d conflicts, during %5.2f s: %s",
			writers[2].longest.Seconds(), max(writers[0].longest, writers[1].longest).Seconds(), writes, conflicts,
			took.Seconds(), step[0])
	}
}

// waitingWriter writes one row after the other.
type waitingWriter struct {
	longest           time.Duration
	writes, conflicts int
	end               context.CancelFunc
	ended             chan struct{}
}

// writePause is between two writes, so that they wait for each other and for the processor less than for the schema.
const writePause = 5 * time.Millisecond

// startWriter begins to run a statement with the numbers from 1 on.
func startWriter(t *testing.T, url, sql string) *waitingWriter {
	c := connect(t, url)
	ctx, end := context.WithCancel(t.Context())
	w := &waitingWriter{end: end, ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		for ctx.Err() == nil {
			w.writes++
			began := time.Now()
			conflicts, err := again(c, sql, w.writes)
			if err != nil {
				t.Errorf("%s: %v", sql, err)
				return
			}
			w.conflicts += conflicts
			w.longest = max(w.longest, time.Since(began))
			time.Sleep(writePause)
		}
	}()
	return w
}

// again runs a statement until it meets no conflict, and says how many it has met.
func again(c *pgx.Conn, sql string, args ...any) (conflicts int, err error) {
	for ; ; conflicts++ {
		_, err = c.Exec(context.Background(), sql, args...)
		var e *pgconn.PgError
		if !errors.As(err, &e) || e.Code != "40001" {
			return conflicts, err
		}
	}
}

// stop waits for the write that is under way.
func (w *waitingWriter) stop() {
	w.end()
	<-w.ended
}

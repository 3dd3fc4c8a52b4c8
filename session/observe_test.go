package session

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"zproxy/metrics"
	"zproxy/session/activity"
	"zproxy/sqlerr"
	"zproxy/store/memstore"
	"zproxy/types"
)

// clock is one that goes on by a millisecond whenever it is looked at.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) tell() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(time.Millisecond)
	return c.now
}

func testClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

// watched is a session with a table of 100 rows, whose log is kept.
func watched(t *testing.T, settings map[string]string) (*Session, *bytes.Buffer) {
	t.Helper()
	log := &bytes.Buffer{}
	db, err := Open(t.Context(), memstore.New(memstore.Options{}), Options{
		Log: slog.New(slog.NewTextHandler(log, nil)), Settings: settings, Now: testClock().tell,
	})
	if err != nil {
		t.Fatal(err)
	}
	s := connect(t, db, "joe")
	ask(t, s, "CREATE TABLE t (id int PRIMARY KEY, a int, b text, UNIQUE (a, id))")
	ask(t, s, "INSERT INTO t SELECT i, i % 10, 'x' FROM generate_series(1, 100) AS i")
	return s, log
}

func connect(t *testing.T, db *DB, user string) *Session {
	t.Helper()
	s, err := db.Connect(Startup{User: user, Database: "postgres", Client: netip.MustParseAddrPort("10.0.0.1:77"),
		Settings: map[string]string{"application_name": "test"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// ask runs a simple query, which may fail.
func ask(t *testing.T, s *Session, text string) error {
	t.Helper()
	return s.Query(t.Context(), text, &silent{})
}

// find is what is known of a text.
func statementOf(t *testing.T, db *DB, text string) metrics.Statement {
	t.Helper()
	for _, st := range db.Statements() {
		if st.Text == text {
			return st
		}
	}
	t.Fatalf("there is no statement %q in %v", text, db.Statements())
	return metrics.Statement{}
}

func TestStatementsAreCounted(t *testing.T) {
	s, _ := watched(t, nil)
	for id := range 3 {
		if err := ask(t, s, fmt.Sprintf("SELECT * FROM t WHERE id = %d", id+1)); err != nil {
			t.Fatal(err)
		}
	}
	point := statementOf(t, s.db, "SELECT * FROM t WHERE id = $1")
	want := metrics.Usage{metrics.RowsRead: 3, metrics.KeysRead: 3, metrics.RowsReturned: 3, metrics.Scans: 3,
		metrics.Requests: 3}
	want[metrics.BytesRead] = point.Usage[metrics.BytesRead]
	if point.Usage != want || want[metrics.BytesRead] == 0 || point.Calls != 3 || point.User != "joe" {
		t.Errorf("three rows by their keys took %+v", point)
	}
	if point.Total != 3*time.Millisecond || point.Mean() != time.Millisecond || point.Deviation() != 0 ||
		point.First.Equal(point.Last) {
		t.Errorf("three calls of a millisecond took %v, mean %v, deviation %v, from %v to %v", point.Total,
			point.Mean(), point.Deviation(), point.First, point.Last)
	}

	if err := ask(t, s, "SELECT b FROM t WHERE a = 3 LIMIT 4"); err != nil {
		t.Fatal(err)
	}
	lookup := statementOf(t, s.db, "SELECT b FROM t WHERE a = $1 LIMIT $2").Usage
	if lookup[metrics.Lookups] != 4 || lookup[metrics.RowsReturned] != 4 || lookup[metrics.Ranges] != 1 ||
		lookup[metrics.RowsRead] != 8 {
		t.Errorf("four rows behind an index took %v", lookup)
	}

	if err := ask(t, s, "UPDATE t SET a = 77 WHERE id = 1"); err != nil {
		t.Fatal(err)
	}
	update := statementOf(t, s.db, "UPDATE t SET a = $1 WHERE id = $2").Usage
	if update[metrics.ItemsWritten] != 3 || update[metrics.BytesWritten] == 0 || update[metrics.RowsReturned] != 1 {
		t.Errorf("a row and its index entry, which moves, took %v", update)
	}
}

// TestFailuresAreCounted fails in each of the steps.
func TestFailuresAreCounted(t *testing.T) {
	s, _ := watched(t, nil)
	for _, c := range []struct {
		text, outcome string
		kind          metrics.Kind
	}{
		{"SELEC", "42", metrics.Unparsed},
		{"SELECT nothing FROM t", "42", metrics.Select},
		{"INSERT INTO t VALUES (1)", "23", metrics.Insert},
		{"SELECT 1 / (id - id) FROM t", "22", metrics.Select},
		{"DROP TABLE nothing", "42", metrics.Definition},
	} {
		before := s.db.Totals().Statements[metrics.Result{Kind: c.kind, Outcome: c.outcome}]
		if ask(t, s, c.text) == nil {
			t.Errorf("%s did not fail", c.text)
		}
		if got := s.db.Totals().Statements[metrics.Result{Kind: c.kind, Outcome: c.outcome}] - before; got != 1 {
			t.Errorf("%s was counted %d times as %s of class %s", c.text, got, c.kind, c.outcome)
		}
	}
	if st := statementOf(t, s.db, "SELECT $1 / (id - id) FROM t"); st.Errors != 1 || st.Calls != 1 {
		t.Errorf("%+v", st)
	}
	if err := s.Prepare(t.Context(), "p", "SELECT nothing", nil); err == nil {
		t.Error("nothing was found")
	}
	if st := statementOf(t, s.db, "SELECT nothing"); st.Errors != 1 {
		t.Errorf("%+v", st)
	}
}

// TestPortalIsOneCall reads a portal in three messages, and leaves another one half read.
func TestPortalIsOneCall(t *testing.T) {
	s, _ := watched(t, nil)
	const text = "SELECT * FROM t WHERE id <= $1"
	if err := s.Prepare(t.Context(), "p", text, []types.OID{types.OIDInt4}); err != nil {
		t.Fatal(err)
	}
	execute := func(rows ...int) {
		t.Helper()
		st, _ := s.Statement("p")
		if err := s.Bind(t.Context(), "", Binding{Statement: st, Params: []types.Value{types.NewInt(10)}}); err != nil {
			t.Fatal(err)
		}
		p, _ := s.Portal("")
		for _, n := range rows {
			if err := s.Execute(t.Context(), p, Ask{MaxRows: n}, &silent{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	execute(4, 4, 4)
	if st := statementOf(t, s.db, text); st.Calls != 1 || st.Usage[metrics.RowsReturned] != 10 ||
		st.Total != 3*time.Millisecond {
		t.Errorf("a portal read in pieces was counted as %+v", st)
	}
	execute(4)
	if st := statementOf(t, s.db, text); st.Calls != 2 || st.Usage[metrics.RowsReturned] != 14 {
		t.Errorf("a portal left half read was counted as %+v", st)
	}
}

// TestAnalyzeCountsAsRun wants EXPLAIN ANALYZE to count what the statement alone takes.
func TestAnalyzeCountsAsRun(t *testing.T) {
	s, _ := watched(t, nil)
	const text = "SELECT count(*) FROM t WHERE a IN (SELECT a FROM t WHERE id < 5)"
	for _, verb := range []string{"", "EXPLAIN (ANALYZE) "} {
		if err := ask(t, s, verb+text); err != nil {
			t.Fatal(err)
		}
	}
	const normal = "SELECT count(*) FROM t WHERE a IN (SELECT a FROM t WHERE id < $1)"
	alone, explained := statementOf(t, s.db, normal).Usage, statementOf(t, s.db, "EXPLAIN (ANALYZE) "+normal).Usage
	explained[metrics.RowsReturned] = alone[metrics.RowsReturned]
	if alone != explained || alone[metrics.RowsRead] < 40 {
		t.Errorf("it took %v, and with EXPLAIN %v", alone, explained)
	}
}

func TestConflictsAreCounted(t *testing.T) {
	s, _ := watched(t, nil)
	other := connect(t, s.db, "ann")
	for _, step := range []struct {
		s    *Session
		text string
	}{{s, "BEGIN ISOLATION LEVEL REPEATABLE READ"}, {s, "SELECT 1 FROM t"}, {other, "UPDATE t SET b = 'z' WHERE id = 1"}} {
		if err := ask(t, step.s, step.text); err != nil {
			t.Fatal(err)
		}
	}
	err := ask(t, s, "UPDATE t SET b = 'y' WHERE id = 1")
	if sqlerr.From(err).Code != sqlerr.SerializationFailure {
		t.Fatalf("the update says %v", err)
	}
	sum := s.db.Totals()
	if sum.Usage[metrics.Conflicts] != 1 || sum.Statements[metrics.Result{Kind: metrics.Update, Outcome: "40"}] != 1 {
		t.Errorf("one conflict was counted as %+v", sum)
	}
}

func TestSlowStatementsAreLogged(t *testing.T) {
	s, log := watched(t, map[string]string{"log_min_duration_statement": "1"})
	log.Reset()
	for _, c := range []struct{ text, want string }{
		{"SELECT b FROM t WHERE id = 7 AND b <> 'secret'", `statement="SELECT b FROM t WHERE id = $1 AND b <> $2" user=joe database=postgres application_name=test rows_read=1 rows_returned=1 requests=1 sqlstate=00000`},
		{"SELECT 'secret' / 1", `statement="SELECT $1 / $2"`},
		{"SELECT \"a\x1b[31m\", 'secret'", `\x1b[31m`},
		{"SET log_min_duration_statement = -1", `SET log_min_duration_statement`},
	} {
		log.Reset()
		_ = ask(t, s, c.text)
		if c.text[:3] == "SET" {
			c.want = ""
		}
		if !strings.Contains(log.String(), c.want) || strings.Contains(log.String(), "secret") ||
			strings.Count(log.String(), "\n") > 1 {
			t.Errorf("%s is logged as %s", c.text, log)
		}
	}
	log.Reset()
	_ = ask(t, s, "SELECT 1")
	if log.Len() > 0 {
		t.Errorf("with -1 there is %s", log)
	}
}

// TestStatementsAreLogged asks for lines of statements by their kind, and of their durations.
func TestStatementsAreLogged(t *testing.T) {
	s, log := watched(t, nil)
	for _, c := range []struct{ setting, value, lines string }{
		{"log_statement", "none", "..."}, {"log_statement", "ddl", "..d"}, {"log_statement", "mod", ".md"},
		{"log_statement", "all", "smd"},
		{"log_duration", "on", "xxx"},
	} {
		_ = ask(t, s, "SET log_statement = none")
		_ = ask(t, s, "SET "+c.setting+" = '"+c.value+"'")
		for i, text := range []string{"SELECT 'secret' FROM t", "UPDATE t SET b = 'secret' WHERE id = 7",
			"COMMENT ON TABLE t IS 'secret'"} {
			log.Reset()
			_ = ask(t, s, text)
			line := log.String()
			if want := c.lines[i]; (line != "") != (want != '.') ||
				strings.Contains(line, "statement=") != (want != '.' && want != 'x') ||
				strings.Contains(line, "secret") {
				t.Errorf("%s = %s logs %s as %q", c.setting, c.value, text, line)
			}
		}
	}
}

func TestActivity(t *testing.T) {
	s, _ := watched(t, nil)
	want := func(state, query string, inTransaction bool) {
		t.Helper()
		list := s.db.Activity()
		a := list[0]
		if len(list) != 1 || a.State != state || a.Query != query || a.Transaction.IsZero() == inTransaction {
			t.Errorf("the activity is %+v, want %s, %q", list, state, query)
		}
		if a.User != "joe" || a.Application != "test" || a.Client.String() != "10.0.0.1:77" ||
			a.PID == 0 || a.Connected.IsZero() {
			t.Errorf("the client is %+v", a)
		}
	}
	_ = ask(t, s, "SELECT 1")
	want(activity.Idle, "SELECT 1", false)
	_ = ask(t, s, "BEGIN")
	want(activity.IdleInTransaction, "BEGIN", true)
	_ = ask(t, s, "nonsense")
	want(activity.IdleInFailed, "nonsense", true)
	_ = ask(t, s, "ROLLBACK")
	want(activity.Idle, "ROLLBACK", false)
	c := &peeking{look: func() { want(activity.Active, "SELECT 2", true) }}
	if err := s.Query(t.Context(), "SELECT 2", c); err != nil || c.rows != 1 {
		t.Fatal(err, c.rows)
	}
}

// peeking is a client that looks around when it gets rows.
type peeking struct {
	silent
	look func()
}

func (p *peeking) Rows(of *Portal, b *types.Batch) error {
	p.look()
	return p.silent.Rows(of, b)
}

// TestObserversDoNotRace reads everything while sessions work.
func TestObserversDoNotRace(t *testing.T) {
	s, _ := watched(t, nil)
	var working sync.WaitGroup
	for i := range 4 {
		other := connect(t, s.db, fmt.Sprintf("user%d", i))
		working.Go(func() {
			for n := range 50 {
				if err := ask(t, other, fmt.Sprintf("SELECT * FROM t WHERE id = %d", n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { working.Wait(); close(done) }()
	for {
		_, _, _ = s.db.Activity(), s.db.Totals(), s.db.Statements()
		select {
		case <-done:
			if got := s.db.Totals().Statements[metrics.Result{Kind: metrics.Select, Outcome: "ok"}]; got != 200 {
				t.Errorf("200 statements were counted as %d", got)
			}
			return
		default:
		}
	}
}

// TestOthersAreHidden asks as a superuser and as a role that may see nothing of others.
func TestOthersAreHidden(t *testing.T) {
	s, _ := watched(t, nil)
	for _, text := range []string{"CREATE ROLE ann LOGIN", "CREATE ROLE bob LOGIN IN ROLE pg_read_all_stats",
		"SELECT 'of joe'"} {
		if err := ask(t, s, text); err != nil {
			t.Fatal(err)
		}
	}
	for user, sees := range map[string]bool{"joe2": true, "bob": true, "ann": false} {
		reader := connect(t, s.db, user)
		o := ownSession{&reader.parts}
		hidden := map[string]bool{}
		for _, a := range o.Activity() {
			hidden[a.User] = a.Hidden
		}
		if hidden["joe"] == sees || hidden[user] {
			t.Errorf("%s sees %v", user, hidden)
		}
		for _, st := range o.Statements() {
			if st.Hidden == sees && st.User == "joe" {
				t.Errorf("%s and %q of joe: hidden %t", user, st.Text, st.Hidden)
			}
		}
		reader.Close()
	}
	for _, text := range []string{"SELECT query, client_addr, state, xact_start FROM pg_stat_activity",
		"SELECT query, calls, mean_exec_time, first_seen FROM zproxy.statements"} {
		c := &silent{}
		if err := s.Query(t.Context(), text, c); err != nil || c.rows == 0 {
			t.Errorf("%s: %d rows, %v", text, c.rows, err)
		}
	}
}

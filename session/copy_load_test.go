package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
)

// shaky is a store whose commits of loads end in all ways in which commits can end.
type shaky struct {
	store.Store
	mu     sync.Mutex
	random *rand.Rand
	shakes bool
	most   int // transactions that were open at once
	open   int
}

func (s *shaky) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	txn, err := s.Store.Begin(ctx, m)
	if m.Stats == nil || err != nil {
		return txn, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open++
	s.most = max(s.most, s.open)
	return &shakyTxn{Txn: txn, of: s, mode: m}, nil
}

type shakyTxn struct {
	store.Txn
	of   *shaky
	mode store.Mode
}

// Commit makes the writes, or does not, and says so or not.
func (t *shakyTxn) Commit(ctx context.Context) error {
	t.of.mu.Lock()
	luck := t.of.random.IntN(14)
	steady := !t.of.shakes
	t.of.open--
	t.of.mu.Unlock()
	switch {
	case steady || luck > 6:
	case luck == 0:
		return store.ErrConflict
	case luck == 1:
		return &store.Busy{Space: "s", Reason: "it is a test"}
	case luck == 2:
		t.mode.Stats.Throttled++
	case luck == 3:
		return store.ErrUnknown
	case luck == 4:
		return errors.Join(store.ErrUnknown, t.Txn.Commit(ctx))
	case luck == 5:
		return store.ErrUnreachable
	case luck == 6:
		return errors.Join(store.ErrUnreachable, t.Txn.Commit(ctx))
	}
	return t.Txn.Commit(ctx)
}

// copy runs a COPY while commits end in any way.
func (s *shaky) copy(t *testing.T, by *Session, text string, c *loader) error {
	t.Helper()
	shake := func(on bool) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.shakes = on
	}
	shake(true)
	defer shake(false)
	return by.Query(t.Context(), text, c)
}

// loader is a client that sends data.
type loader struct {
	silent
	data io.Reader
	tag  string
}

// CopyIn implements Client.
func (l *loader) CopyIn(CopyFormat) (io.Reader, error) { return l.data, nil }

// Done implements Client.
func (l *loader) Done(o Outcome) error {
	l.tag = string(o.AppendTag(nil))
	return nil
}

// loading is a DB on a shaky store with tables to load.
func loading(t *testing.T) (*Session, *shaky) {
	st := &shaky{Store: memstore.New(memstore.Options{Loose: true, MostTogether: 100}),
		random: rand.New(rand.NewPCG(testseed.Of(t), 7))}
	db, err := Open(t.Context(), st, Options{Settings: map[string]string{"zproxy.ttl_interval": "0",
		"zproxy.advice": "off"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	s := connect(t, db, "joe")
	accepted(t, s, "CREATE TABLE bare (k int PRIMARY KEY, a int CHECK (a < 1000), b text DEFAULT 'none')",
		"CREATE TABLE indexed (k int PRIMARY KEY, a int CHECK (a < 1000), b text DEFAULT 'none')",
		"CREATE INDEX ON indexed (a)", "CREATE UNIQUE INDEX ON indexed (b, k)",
		"CREATE TABLE once (k int PRIMARY KEY, a int CHECK (a < 1000), b text DEFAULT 'none') WITH (mutability = 'IMMUTABLE')", "CREATE INDEX ON once (a, b)",
		"CREATE TABLE keyless (k int, a int, b text) ", "CREATE INDEX ON keyless (k)")
	return s, st
}

var loadedTables = []string{"bare", "indexed", "once", "keyless"}

// lines are rows with the keys from one to another.
func lines(from, to int) string {
	var b strings.Builder
	for k := from; k <= to; k++ {
		fmt.Fprintf(&b, "%d\t%d\tb%d\n", k, k%10, k)
	}
	return b.String()
}

// TestLoad loads tables through commits that fail in all ways; each row is there once.
func TestLoad(t *testing.T) {
	s, st := loading(t)
	for i, table := range loadedTables {
		c := &loader{data: strings.NewReader(lines(1, 5000))}
		options := []string{"", "", " WITH (workers 7)", " WITH (workers 16, shuffle off)"}[i]
		if err := st.copy(t, s, "COPY "+table+" FROM STDIN"+options, c); err != nil {
			t.Fatalf("%s: %v", table, err)
		}
		if c.tag != "COPY 5000" {
			t.Errorf("%s: %s", table, c.tag)
		}
		if got := answer(t, s,
			"SELECT count(*), count(DISTINCT k), sum(k), sum(a), max(b) FROM "+table); got[0] != "5000 5000 12502500 22500 b999" {
			t.Errorf("%s: %v", table, got)
		}
	}
	if st.most < 7 {
		t.Errorf("at most %d transactions were open at once", st.most)
	}
	agreed(t, s)
}

// agreed fails a test when an index does not agree with its table.
func agreed(t *testing.T, s *Session) {
	t.Helper()
	for f, err := range s.db.Checker().All(t.Context(), false) {
		if err != nil || !f.Harmless() {
			t.Fatalf("%v, %+v", err, f)
		}
	}
}

// checkCount compares how many rows an error says were written, behind what else its detail says, with
// those that are there, but for one that was there before.
func checkCount(t *testing.T, s *Session, table string, e *sqlerr.Error, detail string) {
	t.Helper()
	there, _ := strconv.Atoi(answer(t, s, "SELECT count(*) - 1 FROM "+table)[0])
	if there == 0 && e.Detail == detail {
		return
	}
	at := strings.LastIndex("\n"+e.Detail, "\n")
	text, least := strings.CutPrefix(e.Detail[at:], "At least ")
	n, err := strconv.Atoi(strings.TrimSuffix(text, " rows were written."))
	if err != nil || n != there && !(least && n < there) || strings.TrimSuffix(e.Detail[:at], "\n") != detail {
		t.Errorf("%s: %q with %d rows, want %q", table, e.Detail, there, detail)
	}
}

// TestLoadErrors wants errors to say where in the data they are and how many rows are there in spite
// of them, which is true.
func TestLoadErrors(t *testing.T) {
	for _, c := range []struct {
		data, code, where, detail string
	}{
		{lines(1, 4200) + "4\t1\tx\n" + lines(4201, 4500), "23505", "line 4201", "Key (k)=(4) already exists."},
		{lines(1, 4) + "4\t1\tx\n", "23505", "line 5", "Key (k)=(4) already exists."},
		{lines(1, 4300) + "100000\t1\tx\n", "23505", "line 4301", "Key (k)=(100000) already exists."},
		{lines(1, 4300) + "4301\tx\tx\n" + lines(4302, 4500), "22P02", "line 4301, column a: \"x\"", ""},
		{lines(1, 4300) + "4301\t1000\tx\n" + lines(4302, 4500), "23514", "line 4301: \"4301\t1000\tx\"", "Failing row contains (4301, 1000, x)."},
	} {
		s, st := loading(t)
		for _, table := range loadedTables[:3] {
			accepted(t, s, "INSERT INTO "+table+" VALUES (100000)")
			err := st.copy(t, s, "COPY "+table+" FROM STDIN", &loader{data: strings.NewReader(c.data)})
			e := sqlerr.From(err)
			if string(e.Code) != c.code || e.Where != "COPY "+table+", "+c.where {
				t.Errorf("%s: %v, %s, %s; want %s, %s", table, err, e.Code, e.Where, c.code, c.where)
			}
			checkCount(t, s, table, e, c.detail)
		}
		agreed(t, s)
	}
}

// TestLoadInBlock writes rows of a block as any other statement does, all or none.
func TestLoadInBlock(t *testing.T) {
	s, _ := loading(t)
	accepted(t, s, "BEGIN")
	if err := s.Query(t.Context(), "COPY bare FROM STDIN", &loader{data: strings.NewReader(lines(1, 50))}); err != nil {
		t.Fatal(err)
	}
	accepted(t, s, "ROLLBACK")
	if got := answer(t, s, "SELECT count(*) FROM bare"); got[0] != "0" {
		t.Errorf("%s rows", got[0])
	}
	accepted(t, s, "BEGIN")
	err := s.Query(t.Context(), "COPY bare FROM STDIN", &loader{data: strings.NewReader(lines(1, 150))})
	if err != nil {
		t.Fatal(err)
	}
	accepted(t, s, "COMMIT")
	if got := answer(t, s, "SELECT count(*) FROM bare"); got[0] != "150" {
		t.Errorf("%s rows", got[0])
	}
}

// TestLoadOptions wants the options of a load to be checked, and those of others to be refused.
func TestLoadOptions(t *testing.T) {
	s, _ := loading(t)
	for options, code := range map[string]sqlerr.Code{
		"workers 0": sqlerr.InvalidParameterValue, "workers 'x'": sqlerr.InvalidParameterValue, "workers": sqlerr.InvalidParameterValue,
		"shuffle 7": sqlerr.SyntaxError, "workers 1, workers 1": sqlerr.SyntaxError, "worker 1": sqlerr.SyntaxError,
	} {
		if err := s.Query(t.Context(), "COPY bare FROM STDIN WITH ("+options+")",
			&loader{data: strings.NewReader("")}); !sqlerr.Has(err, code) {
			t.Errorf("%s: %v, want %s", options, err, code)
		}
	}
	refused(t, s, "COPY bare TO STDOUT WITH (workers 1)", sqlerr.SyntaxError)
}

// asking is data in the middle of which something is done.
type asking struct {
	io.Reader
	at int
	do func()
}

// Read implements io.Reader.
func (a *asking) Read(b []byte) (int, error) {
	n, err := a.Reader.Read(b[:min(len(b), 1000)])
	if a.at -= n; a.at < 0 && a.do != nil {
		a.do()
		a.do = nil
	}
	return n, err
}

// TestLoadIsWatched sees the progress of a load from another session, and cancels one.
func TestLoadIsWatched(t *testing.T) {
	s, _ := loading(t)
	other := connect(t, s.db, "joe")
	const progress = "SELECT relid = 'bare'::regclass, command, type, bytes_processed > 100000, tuples_processed > 1000 FROM pg_stat_progress_copy"
	data := lines(1, 20000)
	watch := &asking{Reader: strings.NewReader(data), at: 200000, do: func() {
		if got := answer(t, other, progress); len(got) != 1 || got[0] != "t COPY FROM PIPE t t" {
			t.Errorf("progress: %q", got)
		}
	}}
	if err := s.Query(t.Context(), "COPY bare FROM STDIN", &loader{data: watch}); err != nil {
		t.Fatal(err)
	}
	if got := answer(t, other, progress); got != nil {
		t.Errorf("progress behind the end: %q", got)
	}
	cancel := &asking{Reader: strings.NewReader(data), at: 200000, do: func() { s.db.Cancel(s.pid, s.secret) }}
	err := s.Query(t.Context(), "COPY indexed FROM STDIN", &loader{data: cancel})
	if e := sqlerr.From(err); e.Code != sqlerr.QueryCanceled || e.Detail != "" &&
		!strings.HasSuffix(e.Detail, " rows were written.") {
		t.Errorf("%v: %+v", err, e)
	}
	agreed(t, s)
}

// TestLoadInOrder wants a load to wait for a change of its table, by which it goes then, and errors of its rows to
// be those of the table as it is.
func TestLoadInOrder(t *testing.T) {
	for change, passes := range map[string]bool{
		"ALTER TABLE bare ADD CHECK (k < 150)": false, "ALTER TABLE bare ALTER a SET NOT NULL": false,
		"ALTER TABLE bare ALTER a DROP NOT NULL": true, "CREATE INDEX ON bare (a)": true,
	} {
		synctest.Test(t, func(t *testing.T) { loadInOrder(t, change, passes) })
	}
}

func loadInOrder(t *testing.T, change string, passes bool) {
	s, _ := loading(t)
	other := connect(t, s.db, "joe")
	accepted(t, other, "BEGIN", change)
	ended := make(chan error)
	go func() {
		ended <- s.Query(context.WithoutCancel(t.Context()), "COPY bare FROM STDIN",
			&loader{data: strings.NewReader(lines(1, 160) + "161\t\\N\tx\n")})
	}()
	synctest.Wait() // for the other session
	accepted(t, other, "COMMIT")
	if err := <-ended; passes != (err == nil) || !passes && !sqlerr.Has(err, sqlerr.CheckViolation) &&
		!sqlerr.Has(err, sqlerr.NotNullViolation) {
		t.Errorf("%s: %v", change, err)
	}
	agreed(t, s)
}

package session

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/testseed"
	"zproxy/metrics"
	"zproxy/session/settings"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
)

// cacheWork are statements with values, most of which have a shape.
var cacheWork = []string{
	"SELECT * FROM t WHERE id = %d",
	"SELECT id, a FROM t WHERE a = %d ORDER BY id",
	"SELECT a + %d, b FROM t WHERE b = 'b%d' ORDER BY id",
	"SELECT count(*) FROM t WHERE a BETWEEN %d AND %d",
	"SELECT a FROM t WHERE a = %d AND b <> 'b%d' ORDER BY id LIMIT 3",
	"SELECT d, d > '2024-02-%02d' FROM t WHERE d = '0%d/02/2024' ORDER BY id",
	"SELECT id FROM t WHERE at >= '2024-03-%02d 10:00' ORDER BY id",
	"SELECT id FROM t WHERE c = %d.5 OR c < -%d ORDER BY id",
	"SELECT t.id, u.v FROM t JOIN u ON t.id = u.id WHERE t.id = %d ORDER BY 1",
	"SELECT id FROM t WHERE a = 'x%d'",
	"SELECT id FROM t WHERE a > %d000000000 OR a = -2147483648 ORDER BY id",
	"INSERT INTO t VALUES (%d, %d, 'new', 1.5, '2024-02-02') RETURNING *",
	"INSERT INTO t (id, b) VALUES (%d, 'x'), (1000, 'y') " +
		"ON CONFLICT (id) DO UPDATE SET b = excluded.b, a = t.a + 1 RETURNING *",
	"UPDATE t SET a = a - %d, b = 'c%d' WHERE id = 3 RETURNING *",
	"UPDATE t SET a = %d000000000 + a WHERE id = %d RETURNING a",
	"DELETE FROM t WHERE a = %d RETURNING id",
	"SELECT id FROM v WHERE a = %d ORDER BY id",
	"SELECT %d, 'x' = 'y%d', id FROM t WHERE id < 3 ORDER BY id",
	"SELECT 1 / 0 FROM t WHERE id = %d",
	"SELECT id FROM t WHERE a = 3 AND b = 'b%d' ORDER BY id",
	"SELECT id FROM t WHERE id BETWEEN %d AND 50 ORDER BY id",
	"SELECT id FROM t WHERE a BETWEEN 1 AND %d AND b BETWEEN 'a' AND 'b%d' ORDER BY id",
	"SELECT ALL -2147483648, id FROM t WHERE id = %d",
	"SELECT 'now'::timestamptz >= now(), id FROM t WHERE id = %d",
	"SELECT at > '2024-03-04 12:00'::timestamptz, '01/02/2024'::date FROM t WHERE id < %d ORDER BY id",
	"SELECT missing FROM t WHERE id = %d",
	"SELECT * FROM t WHERE id = %d FOR UPDATE",
}

// cacheChanges change what plans were made from. Some fail when what they make is there.
var cacheChanges = []string{
	"CREATE INDEX t_a ON t (a)", "DROP INDEX t_a", "CREATE INDEX t_part ON t (b) WHERE a = 3", "DROP INDEX t_part",
	"ALTER TABLE t ADD COLUMN e int DEFAULT 7", "ALTER TABLE t DROP COLUMN e", "ALTER TABLE t RENAME COLUMN c TO cc",
	"ALTER TABLE t RENAME COLUMN cc TO c", "CREATE OR REPLACE VIEW v AS SELECT id, a FROM t WHERE a > 2", "ANALYZE t",
	"CREATE OR REPLACE VIEW v AS SELECT id, a FROM t", "CREATE TABLE other.t AS SELECT * FROM public.t WHERE id < 20",
	"DROP TABLE other.t", "GRANT SELECT ON t TO reader", "REVOKE SELECT ON t FROM reader",
}

// cacheSettings change how statements are planned and what they say, in both sessions.
var cacheSettings = []string{
	"SET DateStyle = 'ISO, DMY'", "SET DateStyle = 'ISO, MDY'", "SET TimeZone = 'Europe/Berlin'", "SET TimeZone = 'UTC'",
	"SET search_path = other, public", "SET search_path = public", "SET ROLE reader", "RESET ROLE",
	"SET zproxy.full_scan = refuse", "SET zproxy.full_scan = notice", "SET zproxy.full_scan = allow", "RESET ALL",
	"SET plan_cache_mode = force_generic_plan", "DISCARD PLANS", "SET zproxy.max_rows_read = 5",
	"SET zproxy.max_rows_read = 0", "CREATE TEMP TABLE t (id int, a int, b text)", "DROP TABLE pg_temp.t",
	"SET plan_cache_mode = auto",
}

// TestStatementCache runs random statements in sessions that plan each for its shape, and in some that plan them as
// they are sent, while another session changes the schema, and wants the same rows, columns, notices and errors.
func TestStatementCache(t *testing.T) {
	seed := testseed.Of(t)
	dice := rand.New(rand.NewPCG(seed, 0))
	db, err := Open(t.Context(), memstore.New(memstore.Options{Unordered: seed%2 == 0}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	ddl := connect(t, db, "joe")
	var pairs [3]struct{ plain, cached *Session } // those that are cached share their plans
	for i, user := range []string{"joe", "joe", "ann"} {
		pairs[i].plain, pairs[i].cached = connect(t, db, user), connect(t, db, user)
	}
	answer(t, ddl, `CREATE ROLE reader; CREATE SCHEMA other; GRANT USAGE ON SCHEMA other TO reader;
		CREATE TABLE t (id int PRIMARY KEY, a int, b varchar(5), c numeric(6, 2), d date, at timestamptz);
		CREATE TABLE u (id int PRIMARY KEY, v text); CREATE VIEW v AS SELECT id, a FROM t;
		INSERT INTO t SELECT i, i % 7, 'b' || i % 5, i / 2.0, date '2024-02-01' + i % 28,
			timestamptz '2024-03-01' + i * interval '6 hours'
			FROM generate_series(1, 60) AS i; INSERT INTO u SELECT i, 'u' || i FROM generate_series(1, 60, 2) AS i`)
	hits := 0
	for range 6000 {
		pair := pairs[dice.IntN(len(pairs))]
		switch n := dice.IntN(100); {
		case n == 0:
			_ = ask(t, ddl, cacheChanges[dice.IntN(len(cacheChanges))])
			continue
		case n == 1:
			text := cacheSettings[dice.IntN(len(cacheSettings))]
			_, _ = ask(t, pair.plain, text), ask(t, pair.cached, text)
			continue
		}
		text := cacheWork[dice.IntN(len(cacheWork))]
		for strings.Contains(text, "%") {
			verb := text[strings.Index(text, "%"):]
			verb = verb[:strings.Index(verb, "d")+1]
			text = strings.Replace(text, verb, fmt.Sprintf(verb, 1+dice.IntN(9)), 1)
		}
		extended := dice.IntN(4) == 0
		want, _ := inCacheMode(t, pair.plain, settings.CacheOff, text, extended)
		got, hit := inCacheMode(t, pair.cached, settings.CacheAlways, text, extended)
		if hit {
			hits++
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: extended %v\n%s\nwant\n%s", text, extended, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	if hits < 800 {
		t.Errorf("the cache has %d of 6000 statements", hits)
	}
	for _, pair := range pairs {
		pair.cached.Close()
	}
	if db.ownKept.used.Load() != 0 {
		t.Errorf("%d bytes are left of sessions that ended", db.ownKept.used.Load())
	}
	bytes := int64(0)
	for _, k := range db.kept.of {
		bytes += k.bytes
	}
	if db.kept.budget.used.Load() != bytes {
		t.Errorf("%d bytes are counted, %d are kept", db.kept.budget.used.Load(), bytes)
	}
}

// TestStatementCachePaths wants statements from the cache to be read by the paths, and refused in the words, of those
// whose values are known when they are planned.
func TestStatementCachePaths(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		t.Run(fmt.Sprint("unordered ", unordered), func(t *testing.T) {
			testStatementCachePaths(t, memstore.New(memstore.Options{Unordered: unordered}))
		})
	}
}

func testStatementCachePaths(t *testing.T, st store.Store) {
	t.Helper()
	db, err := Open(t.Context(), st, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := connect(t, db, "joe")
	answer(t, s, `CREATE TABLE p (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, c text);
		INSERT INTO p SELECT i, i % 100, i % 90, 'c' || i % 3 FROM generate_series(1, 3000) AS i;
		CREATE INDEX p_some ON p (c) WHERE a = 3; ANALYZE p; CREATE TABLE n (id int PRIMARY KEY);
		INSERT INTO n SELECT id FROM p; CREATE TABLE r (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL, c int NOT NULL);
		INSERT INTO r SELECT i, i * 7919 % 3000, i * 1471 % 3000, i * 1979 % 3000 FROM generate_series(1, 3000) AS i;
		CREATE INDEX r_abc ON r (a, b, c); CREATE INDEX r_z ON r USING zorder (a, b, c); ANALYZE r`)
	const box = "SELECT count(*) FROM r WHERE a BETWEEN %d AND %d AND b BETWEEN %d AND %d AND c BETWEEN 0 AND 2000"
	for _, c := range []struct{ name, set, text string }{
		{"partial index", "", "SELECT id FROM p WHERE a = 3 AND c = 'c1' ORDER BY id"},
		{"refused", "SET zproxy.full_scan = refuse", "SELECT count(*) FROM n WHERE id BETWEEN 3 AND 5000000"},
		{"noticed", "SET zproxy.full_scan = notice", "SELECT count(*) FROM n WHERE id BETWEEN 3 AND 5000000"},
		{"prefix", "SET plan_cache_mode = force_generic_plan", fmt.Sprintf(box, 5, 6, 0, 2000)},
		{"box", "SET plan_cache_mode = force_generic_plan", fmt.Sprintf(box, 0, 1000, 0, 1000)},
		{"one row", "SET zproxy.full_scan = refuse", "SELECT c FROM p WHERE id = 7"},
		{"join of few rows", "", "SELECT count(*) FROM r JOIN n ON r.id = n.id WHERE r.a < 2"},
	} {
		answer(t, s, "RESET ALL; "+c.set)
		want, _ := inCacheMode(t, s, settings.CacheOff, c.text, false)
		for range 2 {
			if got, _ := inCacheMode(t, s, settings.CacheAlways, c.text, false); !slices.Equal(got, want) {
				t.Errorf("%s: %s: %q, want %q", c.name, c.text, got, want)
			}
		}
	}
}

// TestStatementCacheSetting wants to be kept what zproxy.statement_cache says.
func TestStatementCacheSetting(t *testing.T) {
	for mode, runs := range map[string]int{"off": 0, "repeated": 2, "always": 1} {
		db, err := Open(t.Context(), memstore.New(memstore.Options{}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		s := connect(t, db, "joe")
		answer(t, s, "SET zproxy.statement_cache = "+mode)
		for run := 1; run < 4; run++ {
			answer(t, s, fmt.Sprintf("SELECT oid FROM pg_type WHERE oid = %d", run))
			kept, want := 0, min(run/max(runs, 1), 1)*min(runs, 1)
			if len(s.cache.key) > 0 && s.cache.known() {
				kept = 1
			}
			if kept != want {
				t.Errorf("%s: %d statements are kept after %d runs, want %d", mode, kept, run, want)
			}
		}
		for range 3 {
			_ = ask(t, s, "SELECT * FROM late WHERE id = 1")
		}
		answer(t, s, "CREATE TABLE late (id int)")
		answer(t, s, "SELECT * FROM late WHERE id = 1; ")
		if runs > 0 && !s.cache.known() {
			t.Errorf("%s: a statement that failed before its table was made is not kept", mode)
		}
		answer(t, s, "DROP TABLE late")
	}
}

// known says whether the cache has the statement that was looked for last.
func (c *statementCache) known() bool {
	known := c.in.of[string(c.key)]
	return known != nil && known.statement != nil
}

// inCacheMode is what a client sees of a statement in a transaction that is rolled back, and whether the cache has it.
func inCacheMode(t *testing.T, s *Session, mode settings.StatementCache, text string, extended bool) ([]string, bool) {
	t.Helper()
	s.settings.StatementCache = mode
	c := &watching{}
	_ = ask(t, s, "BEGIN")
	before := s.db.Totals().Usage
	var err error
	if extended {
		if err = s.Prepare(t.Context(), "", text, nil); err == nil {
			st, _ := s.Statement("")
			if err = s.Bind(t.Context(), "", Binding{Statement: st}); err == nil {
				p, _ := s.Portal("")
				if p.Columns != nil {
					_ = c.Columns(p)
				}
				err = s.Execute(t.Context(), p, Ask{}, c)
			}
		}
		if err != nil {
			s.Fail(err)
		}
	} else {
		err = s.Query(t.Context(), text, c)
	}
	if err != nil {
		e := sqlerr.From(err)
		c.lines = append(c.lines, fmt.Sprintf("%s %s at %d, %s, %s", e.Code, e.Message, e.Position, e.Detail, e.Hint))
	}
	after := s.db.Totals().Usage
	for _, what := range []metrics.Counter{metrics.RowsRead, metrics.KeysRead, metrics.Requests, metrics.ItemsWritten} {
		c.lines = append(c.lines, fmt.Sprint(after[what]-before[what]))
	}
	hit := len(s.cache.key) > 0 && s.cache.known()
	_ = ask(t, s, "ROLLBACK")
	for i, line := range c.lines {
		c.lines[i] = thoughtRows.ReplaceAllString(temporaryName.ReplaceAllString(line, "pg_temp"), "rows")
	}
	return c.lines, hit
}

// thoughtRows are how many rows an error says that the plan was thought to return: one without values knows less.
var thoughtRows = regexp.MustCompile(`of about \d+ rows`)

// temporaryName is the schema of a session's temporary tables.
var temporaryName = regexp.MustCompile(`pg_temp_\d+`)

// watching is a client that notes all it is told.
type watching struct{ gathering }

// Columns implements Client.
func (w *watching) Columns(p *Portal) error {
	var line []string
	for _, c := range p.Columns {
		line = append(line, c.Name+" "+c.Type.String())
	}
	w.lines = append(w.lines, strings.Join(line, ", "))
	return nil
}

// Notice implements Client.
func (w *watching) Notice(e *sqlerr.Error) error {
	w.lines = append(w.lines, fmt.Sprintf("%s: %s at %d, %s, %s", e.Severity, e.Message, e.Position, e.Detail, e.Hint))
	return nil
}

// Done implements Client.
func (w *watching) Done(o Outcome) error {
	w.lines = append(w.lines, string(o.AppendTag(nil)))
	return nil
}

package session

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"zproxy/session/settings"
	"zproxy/store/memstore"
)

// sharingDB is a database with two schemas, roles and policies.
func sharingDB(t *testing.T) *DB {
	t.Helper()
	db, err := Open(t.Context(), memstore.New(memstore.Options{}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	answer(t, connect(t, db, "joe"), `CREATE ROLE reader; CREATE ROLE other; CREATE SCHEMA ann; CREATE SCHEMA b;
		CREATE TABLE t (id int PRIMARY KEY, v text, d date); GRANT SELECT ON t TO reader, other;
		INSERT INTO t VALUES (1, 'public', '2024-02-03'), (2, 'more', '2024-03-02');
		CREATE TABLE b.t (id int PRIMARY KEY, v text, d date); INSERT INTO b.t VALUES (1, 'b', '2024-04-05');
		CREATE TABLE ann.t (id int PRIMARY KEY, v text, d date); INSERT INTO ann.t VALUES (1, 'ann', NULL);
		ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY one ON t TO reader USING (id = 1);
		CREATE POLICY all_rows ON t TO other USING (true); CREATE SEQUENCE s`)
	return db
}

// TestSharedStatements wants a new session to find what another one has kept, unless something is another for it.
func TestSharedStatements(t *testing.T) {
	db := sharingDB(t)
	const rows = "SELECT id, v FROM t WHERE id <= 2 ORDER BY id"
	texts := []string{rows, "SELECT id FROM t WHERE d = '03/02/2024'", "SELECT '03/02/2024'::date, current_user = 'x'"}
	keeps := connect(t, db, "joe")
	for _, text := range texts {
		for _, extended := range []bool{false, true} {
			_, _ = inCacheMode(t, keeps, settings.CacheAlways, text, extended)
		}
	}
	for _, c := range []struct {
		user, set string
		shared    bool
	}{
		{"joe", "", true}, {"joe", "SET application_name = 'x'", true}, {"joe", "SET statement_timeout = '1h'", true},
		{"joe", "SET my.tenant = '7'", true}, {"joe", "SET search_path = b, public", false}, {"ann", "", false},
		{"joe", "SET DateStyle = 'ISO, DMY'", false}, {"joe", "SET ROLE reader", false}, {"joe", "SET ROLE other", false},
		{"joe", "CREATE TEMP TABLE t AS SELECT 1 AS id, 'temporary' AS v, date '2024-01-01' AS d", false},
		{"joe", "SET work_mem = '64kB'", false}, {"joe", "SET row_security = off", false},
	} {
		t.Run(c.user+" "+c.set, func(t *testing.T) {
			for _, text := range texts {
				for _, extended := range []bool{false, true} {
					plain, s := connect(t, db, c.user), connect(t, db, c.user)
					if c.set != "" {
						answer(t, plain, c.set)
						answer(t, s, c.set)
					}
					before := db.cacheCounts.hits.Load()
					got, _ := inCacheMode(t, s, settings.CacheRepeated, text, extended)
					if hit := db.cacheCounts.hits.Load() > before; hit != c.shared && text == rows {
						t.Errorf("%s: extended %v: found %v", text, extended, hit)
					}
					want, _ := inCacheMode(t, plain, settings.CacheOff, text, extended)
					if !slices.Equal(got, want) {
						t.Errorf("%s: extended %v: %q, want %q", text, extended, got, want)
					}
					plain.Close()
					s.Close()
				}
			}
		})
	}
}

// TestSharedStatementsOfChanges wants what a session has changed of the schema to be seen by it alone until it commits.
func TestSharedStatementsOfChanges(t *testing.T) {
	db := sharingDB(t)
	changes, reads := connect(t, db, "joe"), connect(t, db, "joe")
	const text = "SELECT * FROM b.t WHERE id = 1"
	for _, s := range []*Session{changes, reads} {
		answer(t, s, "SET zproxy.statement_cache = always")
	}
	check := func(s *Session, want string) {
		t.Helper()
		for range 2 {
			if got := answer(t, s, text)[0]; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
	check(reads, "1 b 2024-04-05")
	answer(t, changes, "BEGIN; ALTER TABLE b.t ADD COLUMN n int DEFAULT 7")
	check(changes, "1 b 2024-04-05 7")
	answer(t, changes, "ROLLBACK")
	check(changes, "1 b 2024-04-05")
	check(reads, "1 b 2024-04-05")
	answer(t, changes, "ALTER TABLE b.t ADD COLUMN n int DEFAULT 8")
	check(reads, "1 b 2024-04-05 8")
	check(changes, "1 b 2024-04-05 8")
}

// TestKeptStatementsOutliveSessions wants nothing that is kept to hold the session that planned it.
func TestKeptStatementsOutliveSessions(t *testing.T) {
	db := sharingDB(t)
	answer(t, connect(t, db, "joe"), `CREATE TABLE w (id int PRIMARY KEY, a int, b int, c text);
		INSERT INTO w SELECT i, i % 10, i % 7, 'c' || i FROM generate_series(1, 2000) AS i; CREATE INDEX ON w (a);
		CREATE INDEX ON w (b); CREATE INDEX ON w USING zorder (a, b); ANALYZE w;
		CREATE DOMAIN even AS int CHECK (value % 2 = 0); CREATE TABLE e (id even PRIMARY KEY);
		CREATE FUNCTION twice(n int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 2 * n'`)
	var ended atomic.Bool
	func() {
		s, err := db.Connect(Startup{User: "joe", Database: "postgres"})
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{
			"SELECT * FROM t WHERE id = 1", "SELECT * FROM w WHERE a = 3 AND b = 4", "SELECT twice(id) FROM w WHERE a < 3",
			"SELECT * FROM w WHERE a BETWEEN 3 AND 4 AND b BETWEEN 1 AND 5", "INSERT INTO e VALUES (2)",
			"UPDATE w SET a = a + 1 WHERE id = 7", "DELETE FROM w WHERE id = 8", "SELECT nextval('s'), currval('s')",
			"SELECT count(*) FROM w JOIN t ON w.id = t.id WHERE w.a = 3", "SELECT 't'::regclass, now(), current_user",
			"SELECT * FROM w WHERE a IN (SELECT id FROM t) AND c ~ 'c1' AND c LIKE 'c%' AND b = ANY ('{1,2}')",
			"SELECT relname FROM pg_class WHERE oid = 't'::regclass", "BEGIN", "SELECT current_setting('TimeZone')",
			"SELECT '2024-01-01 10:00'::timestamptz, to_char(d, 'YYYY') FROM t WHERE id = 1",
		} {
			for _, extended := range []bool{false, true} {
				if _, hit := inCacheMode(t, s, settings.CacheAlways, text, extended); !hit && extended {
					t.Errorf("%s is not kept", text)
				}
			}
		}
		s.Close()
		runtime.AddCleanup(s, func(ended *atomic.Bool) { ended.Store(true) }, &ended)
	}()
	for range 100 {
		if runtime.GC(); ended.Load() {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if !ended.Load() {
		t.Error("the session is still held")
	}
	if len(db.kept.of) == 0 {
		t.Error("nothing is kept")
	}
}

// TestSharedStatementsAtOnce runs the same statements in many sessions at once while the schema changes.
func TestSharedStatementsAtOnce(t *testing.T) {
	db := sharingDB(t)
	var group errgroup.Group
	for i := range 6 {
		s := connect(t, db, "joe")
		answer(t, s, "SET zproxy.statement_cache = always")
		group.Go(func() error {
			for run := range 150 {
				id := 1 + (run+i)%2
				if i == 0 {
					text := []string{"CREATE INDEX t_v ON t (v)", "DROP INDEX t_v", "ANALYZE t"}[run%3]
					if err := s.Query(t.Context(), text, &gathering{}); err != nil {
						return fmt.Errorf("%s: %w", text, err)
					}
					continue
				}
				c := &gathering{}
				text := fmt.Sprintf("SELECT v FROM t WHERE id = %d AND v <> 'x%d'", id, run)
				if err := s.Query(t.Context(), text, c); err != nil {
					return fmt.Errorf("%s: %w", text, err)
				}
				if want := []string{[]string{"public", "more"}[id-1]}; !slices.Equal(c.lines, want) {
					return fmt.Errorf("%s: %q", text, c.lines)
				}
				c = &gathering{}
				text = "SELECT count(*) FROM t AS x JOIN t AS y ON x.id = y.id WHERE x.v > 'a'"
				err := s.Prepare(t.Context(), "", text, nil)
				if err == nil {
					st, _ := s.Statement("")
					err = s.Bind(t.Context(), "", Binding{Statement: st})
				}
				if err == nil {
					p, _ := s.Portal("")
					err = s.Execute(t.Context(), p, Ask{Last: true}, c)
				}
				if err == nil {
					err = s.Sync(t.Context())
				}
				if err != nil {
					return fmt.Errorf("%s: %w", text, err)
				}
				if !slices.Equal(c.lines, []string{"2"}) {
					return fmt.Errorf("%s: %q", text, c.lines)
				}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		t.Error(err)
	}
}

// TestKeptStatementsMakeRoom wants what is kept to be within its budget, and what is used to stay.
func TestKeptStatementsMakeRoom(t *testing.T) {
	c := newKeptStatements(&budget{most: 20 * (planBytes + 400)})
	for i := range 500 {
		c.add([]byte(fmt.Sprint("key ", i)), &Statement{}, basis{})
		c.find([]byte("key 0"), basis{})
		if used := c.budget.used.Load(); used > c.budget.most || len(c.of) == 0 {
			t.Fatalf("%d statements take %d bytes", len(c.of), used)
		}
	}
	if c.find([]byte("key 499"), basis{}) == nil {
		t.Error("the last one is not there")
	}
	c.clear()
	if c.budget.used.Load() != 0 {
		t.Errorf("%d bytes are left", c.budget.used.Load())
	}
}

package session

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
)

// spacesOf are how many spaces a store has.
func spacesOf(t *testing.T, st store.Store) int {
	t.Helper()
	list, err := st.Spaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// copyable is a database with rows of several spaces.
var copyable = []string{"CREATE TABLE t (id serial PRIMARY KEY, a int)", "CREATE INDEX ON t (a)",
	"CREATE TABLE u (t int REFERENCES t, n int, PRIMARY KEY (t, n))", "INSERT INTO t (a) VALUES (1), (2)",
	"INSERT INTO u VALUES (1, 1)", "SELECT lo_from_bytea(7, 'x')"}

// TestCopyInUse holds who may copy a database, and when: no session is in it but for the one that copies it.
func TestCopyInUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, st := openedAlone(t, Options{})
		a := in(t, db, "a")
		accepted(t, a, "CREATE DATABASE b", "CREATE ROLE maker CREATEDB LOGIN")
		b := in(t, db, "b")
		accepted(t, b, copyable...)
		inUse := func(detail string) {
			t.Helper()
			e := sqlerr.From(ask(t, a, "CREATE DATABASE c TEMPLATE b"))
			if e == nil || e.Code != sqlerr.ObjectInUse || e.Detail != detail ||
				e.Message != `source database "b" is being accessed by other users` {
				t.Errorf("in use: %v, want %s", e, detail)
			}
		}
		inUse("There is 1 other session using the database.")
		third := in(t, db, "b")
		inUse("There are 2 other sessions using the database.")
		third.Close()
		accepted(t, b, "CREATE DATABASE own TEMPLATE b")
		go func() {
			time.Sleep(2 * time.Second)
			b.Close()
		}()
		accepted(t, a, "CREATE DATABASE c TEMPLATE b", "SET ROLE maker",
			"CREATE DATABASE of_template TEMPLATE template1")
		err := ask(t, a, "CREATE DATABASE d TEMPLATE b")
		if e := sqlerr.From(err); e == nil || e.Code != sqlerr.InsufficientPrivilege ||
			e.Message != `permission denied to copy database "b"` {
			t.Errorf("rights: %v", err)
		}
		before := spacesOf(t, st)
		accepted(t, a, "RESET ROLE", "ALTER DATABASE b IS_TEMPLATE true", "SET ROLE maker",
			"CREATE DATABASE d TEMPLATE b", "DROP DATABASE d", "RESET ROLE")
		if n := spacesOf(t, st); n != before {
			t.Errorf("%d spaces became %d", before, n)
		}
		c := in(t, db, "c")
		accepted(t, c, "INSERT INTO t (a) VALUES (9)", "DELETE FROM t WHERE id = 2")
		if got := answer(t, c, "SELECT id, a FROM t ORDER BY id"); !slices.Equal(got, []string{"1 1", "3 9"}) {
			t.Errorf("rows of the copy: %v", got)
		}
		refused(t, c, "DELETE FROM t", sqlerr.ForeignKeyViolation)
		if got := answer(t, in(t, db, "own"), "SELECT count(*), lo_get(7) FROM t"); got[0] != `2 \x78` {
			t.Errorf("rows of the other copy: %v", got)
		}
	})
}

// TestCopiesAtOnce copies a database in several sessions at the same time, as test runners do. Of two that make a
// database of one name one does, and of a copy that fails nothing is left.
func TestCopiesAtOnce(t *testing.T) {
	db, st := openedAlone(t, Options{})
	once(t, db, "postgres", "CREATE DATABASE d")
	once(t, db, "d", copyable...)
	before, errs := spacesOf(t, st), make(chan error, 6)
	for i := range cap(errs) {
		s := in(t, db, "postgres")
		go func() { errs <- ask(t, s, fmt.Sprintf("CREATE DATABASE copy%d TEMPLATE d", i/2)) }()
	}
	made := 0
	for range cap(errs) {
		switch err := <-errs; {
		case err == nil:
			made++
		case !sqlerr.Has(err, sqlerr.DuplicateDatabase):
			t.Error(err)
		}
	}
	if n := spacesOf(t, st); made != 3 || n != before+3*3 {
		t.Errorf("%d copies were made, and %d spaces", made, n-before)
	}
	s := in(t, db, "postgres")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Query(ctx, "CREATE DATABASE never TEMPLATE d", &silent{}); err == nil {
		t.Error("it was made without a context")
	}
	closed(t, db, "never", sqlerr.InvalidCatalogName)
	if n := spacesOf(t, st); n != before+3*3 {
		t.Errorf("%d spaces are left", n-before-3*3)
	}
}

// TestCopyOfPlainParts copies what is hardly anything: a schema, default privileges, no schema public, a large object.
func TestCopyOfPlainParts(t *testing.T) {
	db, st := openedAlone(t, Options{})
	once(t, db, "postgres", "CREATE DATABASE d", "CREATE ROLE r")
	once(t, db, "d", "DROP SCHEMA public", "CREATE SCHEMA s", "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO r",
		"SELECT lo_from_bytea(7, 'x')", "CREATE TEMPORARY TABLE t (a int)")
	once(t, db, "template1", "CREATE EXTENSION hstore", "CREATE TYPE mood AS ENUM ('ok')")
	once(t, db, "postgres", "CREATE DATABASE e TEMPLATE d", "CREATE DATABASE f")
	for range 2 {
		e := in(t, db, "e")
		got := answer(t, e, "SELECT string_agg(nspname, ',' ORDER BY nspname) FROM pg_namespace WHERE oid >= 2200 AND "+
			"nspname !~ '^(pg_|zproxy|information)'")
		if got[0] != "s" {
			t.Errorf("schemas %v", got)
		}
		accepted(t, e, "CREATE TABLE s.t (a int PRIMARY KEY)")
		if got := answer(t, e, "SELECT has_table_privilege('r', 's.t', 'SELECT'), lo_get(7)"); got[0] != `t \x78` {
			t.Errorf("in the copy: %v", got)
		}
		accepted(t, e, "DROP TABLE s.t")
		f := in(t, db, "f")
		if got := answer(t, f, "SELECT 'ok'::mood, 'a=>1'::hstore -> 'a'"); got[0] != "ok 1" {
			t.Errorf("of template1: %v", got)
		}
		e.Close()
		f.Close()
		db.Close()
		var err error
		if db, err = Open(t.Context(), st, Options{}); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
}

// TestCopyElsewhere holds that a process finds copies that another one has made, and copies no database in which it has
// sessions.
func TestCopyElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		pa, pb := joined(t, f, "a"), joined(t, f, "b")
		a := in(t, pa.DB, "postgres")
		accepted(t, a, "CREATE DATABASE made")
		there := in(t, pb.DB, "made")
		accepted(t, there, copyable...)
		err := ask(t, a, "CREATE DATABASE copy TEMPLATE made")
		if !sqlerr.Has(err, sqlerr.ObjectInUse) ||
			sqlerr.From(err).Detail != "There is 1 other session using the database." {
			t.Errorf("in use: %v", err)
		}
		accepted(t, there, "CREATE DATABASE own TEMPLATE made")
		there.Close()
		accepted(t, a, "CREATE DATABASE copy TEMPLATE made")
		for _, name := range []string{"copy", "own"} {
			for _, p := range []*process{pa, pb} {
				s := in(t, p.DB, name)
				if got := answer(t, s, "SELECT count(*), max(a) FROM t"); got[0] != "2 2" {
					t.Errorf("rows of %s: %v", name, got)
				}
				accepted(t, s, "INSERT INTO t (a) VALUES (0)", "DELETE FROM t WHERE a = 0")
				s.Close()
			}
		}
		time.Sleep(time.Minute)
		pa.owesNothing(t)
		pb.agree(t)
	})
}

// TestCopyKilled freezes a process for good before some request of a copy: another process finds the copy whole or not
// at all, and takes away what is left.
func TestCopyKilled(t *testing.T) {
	made, not := 0, 0
	for requests := 1; requests < 90; requests += 4 {
		synctest.Test(t, func(t *testing.T) {
			f := dynamofake.New(dynamofake.Options{})
			pa, pb := joined(t, f, "a"), joined(t, f, "b")
			a := in(t, pa.DB, "postgres")
			once(t, pa.DB, "postgres", "CREATE DATABASE made")
			once(t, pa.DB, "made", copyable...)
			time.Sleep(2 * time.Second)
			pa.freezeIn(requests)
			ended := make(chan error, 1)
			go func() { ended <- ask(t, a, "CREATE DATABASE copy TEMPLATE made") }()
			time.Sleep(2 * time.Minute) // until it is evicted
			if s, err := pb.Connect(Startup{User: "joe", Database: "copy"}); err == nil {
				if got := answer(t, s, "SELECT t.*, n FROM t JOIN u ON u.t = t.id WHERE a = 1"); !slices.Equal(got,
					[]string{"1 1 1"}) {
					t.Errorf("before request %d: rows %v", requests, got)
				}
				s.Close()
				made++
			} else if !sqlerr.Has(err, sqlerr.InvalidCatalogName) {
				t.Errorf("before request %d: %v", requests, err)
			} else {
				not++
			}
			once(t, pb.DB, "postgres", "DROP DATABASE IF EXISTS copy")
			pa.thaw()
			<-ended
			once(t, pb.DB, "postgres", "DROP DATABASE IF EXISTS copy")
			time.Sleep(2 * time.Minute)
			pb.owesNothing(t)
			if n := spacesOf(t, pb.store); n != 5 { // of the catalog, large objects and the original
				t.Errorf("before request %d: %d spaces", requests, n)
			}
		})
	}
	if made == 0 || not == 0 {
		t.Errorf("%d copies were made, %d were not", made, not)
	}
}

// TestCopyOfFollowers copies a table with indexes that the store keeps: the rows of the copy carry the keys in its own
// indexes, also those of expressions.
func TestCopyOfFollowers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		p := joined(t, f, "a")
		once(t, p.DB, "postgres", "CREATE DATABASE d")
		once(t, p.DB, "d", "CREATE TABLE t (id int PRIMARY KEY, a int, b text)",
			"CREATE INDEX t_a ON t (a) WITH (storage = 'gsi')",
			"CREATE INDEX t_b ON t (lower(b)) WITH (storage = 'gsi')",
			"CREATE INDEX t_id ON t (a, id)", "INSERT INTO t SELECT n, n % 7, 'B' || n FROM generate_series(1, 50) AS n")
		once(t, p.DB, "postgres", "CREATE DATABASE copy TEMPLATE d")
		time.Sleep(time.Minute)
		once(t, p.DB, "d", "DELETE FROM t WHERE id > 1")
		s := in(t, p.DB, "copy")
		for query, want := range map[string]string{
			"SELECT count(*) FROM t WHERE a = 3":             "7",
			"SELECT id FROM t WHERE lower(b) = 'b17'":        "17",
			"SELECT count(*) FROM t WHERE a = 3 AND id > 40": "1",
			"SELECT count(*) FROM t WHERE a > 5":             "7",
		} {
			if got := answer(t, s, query); got[0] != want {
				t.Errorf("%s: %v, want %s", query, got, want)
			}
		}
		for f, err := range s.db.Checker().All(t.Context(), false) {
			if err != nil || f.Name != "t_b" { // whose entries have no values of the expression in any database
				t.Errorf("%s: %s: key %s, row %s, %v", f.Name, f.Class, f.Key, f.Row, err)
			}
		}
	})
}

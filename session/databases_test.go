package session

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/store/memstore"
)

// in connects to a database by its name.
func in(t *testing.T, db *DB, name string) *Session {
	t.Helper()
	s, err := db.Connect(Startup{User: "joe", Database: name})
	if err != nil {
		t.Fatalf("database %s: %v", name, err)
	}
	t.Cleanup(s.Close)
	return s
}

// once runs statements in a session of their own.
func once(t *testing.T, db *DB, name string, texts ...string) {
	t.Helper()
	s := in(t, db, name)
	defer s.Close()
	accepted(t, s, texts...)
}

// endable is in for a session that closes when it is ended.
func endable(t *testing.T, db *DB, name string) *Session {
	t.Helper()
	ended := make(chan struct{}, 1)
	s, err := db.Connect(Startup{User: "joe", Database: name, Terminate: func(error) { ended <- struct{}{} }})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-ended
		s.Close()
	}()
	return s
}

// closed wants no session to begin in a database.
func closed(t *testing.T, db *DB, name string, code sqlerr.Code) {
	t.Helper()
	s, err := db.Connect(Startup{User: "joe", Database: name})
	if err == nil {
		s.Close()
	}
	if !sqlerr.Has(err, code) {
		t.Errorf("database %s: %v, want %s", name, err, code)
	}
}

func openedAlone(t *testing.T, o Options) (*DB, *memstore.Store) {
	t.Helper()
	st := memstore.New(memstore.Options{})
	db, err := Open(t.Context(), st, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, st
}

// TestDefaultNames holds which names the default database answers to: any until another one is made, then those by
// which it was used, or after a renaming only that; with an option only that.
func TestDefaultNames(t *testing.T) {
	db, st := openedAlone(t, Options{})
	shop := in(t, db, "shop")
	accepted(t, shop, "CREATE TABLE t (id int PRIMARY KEY)")
	accepted(t, in(t, db, "postgres"), "CREATE DATABASE other")
	closed(t, db, "nothing", sqlerr.InvalidCatalogName)
	closed(t, db, "template0", sqlerr.ObjectNotInPrerequisiteState)
	for _, name := range []string{"shop", "postgres"} {
		if got := answer(t, in(t, db, name), "SELECT current_database(), count(*) FROM t"); got[0] != name+" 0" {
			t.Errorf("%s has %v", name, got)
		}
	}
	refused(t, in(t, db, "other"), "SELECT * FROM t", sqlerr.UndefinedTable)
	refused(t, shop, "CREATE DATABASE shop", sqlerr.DuplicateDatabase)
	refused(t, shop, "DROP DATABASE postgres", sqlerr.ObjectInUse)
	names := "SELECT string_agg(datname, ' ' ORDER BY oid) FROM pg_database"
	if got := answer(t, shop, names); got[0] != "template1 template0 shop other" {
		t.Errorf("databases %v", got)
	}
	if got := answer(t, in(t, db, "other"), names); got[0] != "template1 template0 postgres other" {
		t.Errorf("databases %v", got)
	}
	db.Close()
	db, err := Open(t.Context(), st, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { db.Close() }()
	closed(t, db, "nothing", sqlerr.InvalidCatalogName)
	other := in(t, db, "other")
	refused(t, other, "DROP DATABASE shop", sqlerr.FeatureNotSupported)
	other.Close()
	once(t, db, "shop", "DROP DATABASE other")
	closed(t, db, "other", sqlerr.InvalidCatalogName)
	db.Close()
	if db, err = Open(t.Context(), st, Options{Database: "sole"}); err != nil {
		t.Fatal(err)
	}
	closed(t, db, "shop", sqlerr.InvalidCatalogName)
	once(t, db, "sole", "CREATE DATABASE more", "DROP DATABASE more")
	once(t, db, "template1", "ALTER DATABASE sole RENAME TO main")
	db.Close()
	if db, err = Open(t.Context(), st, Options{}); err != nil {
		t.Fatal(err)
	}
	closed(t, db, "shop", sqlerr.InvalidCatalogName)
	once(t, db, "main", "SELECT * FROM t", "CREATE DATABASE shop")
	db.Close()
	if other, err := Open(t.Context(), st, Options{Database: "shop"}); err == nil {
		other.Close()
		t.Error("two databases have one name")
	}
	if db, err = Open(t.Context(), st, Options{}); err != nil {
		t.Fatal(err)
	}
}

// TestDroppedAtOnce drops a database in several sessions at the same time: one of them does.
func TestDroppedAtOnce(t *testing.T) {
	db, _ := openedAlone(t, Options{})
	for range 5 {
		once(t, db, "postgres", "CREATE DATABASE d")
		once(t, db, "d", "CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1)")
		errs := make(chan error, 4)
		for range cap(errs) {
			s := in(t, db, "postgres")
			go func() { errs <- ask(t, s, "DROP DATABASE d") }()
		}
		dropped := 0
		for range cap(errs) {
			switch err := <-errs; {
			case err == nil:
				dropped++
			case !sqlerr.Has(err, sqlerr.InvalidCatalogName):
				t.Error(err)
			}
		}
		if dropped != 1 {
			t.Errorf("it was dropped %d times", dropped)
		}
	}
}

// TestDatabasesAreSeparate holds what databases have alone: tables, advisory locks, notifications and temporary tables;
// and what all have: roles, with settings for each database.
func TestDatabasesAreSeparate(t *testing.T) { synctest.Test(t, separateDatabases) }

func separateDatabases(t *testing.T) {
	db, _ := openedAlone(t, Options{})
	a := in(t, db, "a")
	accepted(t, a, "CREATE DATABASE b", "CREATE TABLE t (id int PRIMARY KEY, a text)", "INSERT INTO t VALUES (1, 'a')")
	b := in(t, db, "b")
	accepted(t, b, "CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1), (2)", "CREATE SCHEMA s",
		"CREATE TYPE mood AS ENUM ('good')", "CREATE TEMPORARY TABLE x (id int)", "DROP SCHEMA public CASCADE",
		"CREATE SCHEMA public", "CREATE TABLE t (id int PRIMARY KEY)")
	if got := answer(t, a, "SELECT * FROM t"); got[0] != "1 a" {
		t.Errorf("rows %v", got)
	}
	refused(t, a, "CREATE TABLE s.t (id int)", sqlerr.InvalidSchemaName)
	refused(t, a, "SELECT 'good'::mood", sqlerr.UndefinedObject)
	refused(t, a, "SELECT * FROM x", sqlerr.UndefinedTable)
	for _, s := range []*Session{a, b} {
		if got := answer(t, s, "SELECT pg_try_advisory_lock(7)"); got[0] != "t" {
			t.Errorf("advisory lock %v", got)
		}
		accepted(t, s, "LISTEN c")
	}
	third := in(t, db, "b")
	if got := answer(t, third, "SELECT pg_try_advisory_lock(7)"); got[0] != "f" {
		t.Errorf("advisory lock %v", got)
	}
	third.Close()
	accepted(t, a, "NOTIFY c")
	if len(a.Notifications()) != 1 || len(b.Notifications()) != 0 {
		t.Error("notifications are those of another database")
	}
	where := "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database " +
		"WHERE locktype = 'advisory' AND datname = 'b'"
	if got := answer(t, a, where); got[0] != "1" {
		t.Errorf("locks %v", got)
	}
	if got := answer(t, a, "SELECT string_agg(datname, ' ' ORDER BY pid) FROM pg_stat_activity"); got[0] != "a b" {
		t.Errorf("sessions in %v", got)
	}
	if got := answer(t, a, "SELECT numbackends FROM pg_stat_database WHERE datname = 'b'"); got[0] != "1" {
		t.Errorf("backends %v", got)
	}
	accepted(t, a, "CREATE ROLE r LOGIN", "ALTER ROLE joe IN DATABASE b SET work_mem = '7MB'",
		"ALTER DATABASE b SET statement_timeout = 77")
	accepted(t, b, "GRANT SELECT ON t TO r", "CREATE TABLE mine (id int)", "ALTER TABLE mine OWNER TO r")
	err := ask(t, a, "DROP ROLE r")
	if !sqlerr.Has(err, sqlerr.DependentObjectsStillExist) || !strings.Contains(sqlerr.From(err).Detail,
		"2 objects in database b") {
		t.Errorf("dropping the role: %v", err)
	}
	if got := answer(t, in(t, db, "b"), "SHOW statement_timeout"); got[0] != "77ms" {
		t.Errorf("setting %v", got)
	}
	refused(t, a, "DROP DATABASE b", sqlerr.ObjectInUse)
	b.Close()
}

// TestDroppedWithSessions holds that a database goes with the objects and spaces that it has, waits for sessions that
// end, and with FORCE ends them.
func TestDroppedWithSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		db, st := openedAlone(t, Options{})
		a := in(t, db, "a")
		spaces := func() int {
			list, err := st.Spaces(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return len(list)
		}
		before := spaces()
		accepted(t, a, "CREATE DATABASE b")
		b, other := in(t, db, "b"), in(t, db, "b")
		accepted(t, b, "CREATE TABLE t (id int PRIMARY KEY, a int)", "CREATE INDEX ON t (a)",
			"CREATE VIEW v AS SELECT * FROM t", "CREATE SEQUENCE q", "SELECT nextval('q')", "CREATE SCHEMA s",
			"CREATE FUNCTION f () RETURNS int LANGUAGE sql AS 'SELECT 1'", "CREATE TYPE e AS ENUM ('x')",
			"CREATE STATISTICS st ON id, a FROM t", "INSERT INTO t VALUES (1, 1)", "ANALYZE t",
			"CREATE TEMPORARY TABLE tt (id int)", "COMMENT ON EXTENSION plpgsql IS 'x'", "CREATE EXTENSION pgcrypto")
		err := ask(t, a, "DROP DATABASE b")
		if !sqlerr.Has(err, sqlerr.ObjectInUse) ||
			sqlerr.From(err).Detail != "There are 2 other sessions using the database." {
			t.Errorf("in use: %v", err)
		}
		accepted(t, other, "SELECT * FROM t")
		other.Close()
		go func() {
			time.Sleep(2 * time.Second)
			b.Close()
		}()
		accepted(t, a, "DROP DATABASE b")
		closed(t, db, "b", sqlerr.InvalidCatalogName)
		if n := spaces(); n != before {
			t.Errorf("%d spaces are left", n-before)
		}
		accepted(t, a, "CREATE DATABASE b")
		b = endable(t, db, "b")
		refused(t, b, "SELECT * FROM t", sqlerr.UndefinedTable)
		accepted(t, b, "BEGIN", "CREATE TABLE t (id int)")
		accepted(t, a, "DROP DATABASE b WITH (FORCE)", "CREATE DATABASE b", "ALTER DATABASE b CONNECTION LIMIT 0")
		accepted(t, in(t, db, "b"), "SELECT 1") // of a superuser
		accepted(t, a, "ALTER DATABASE b ALLOW_CONNECTIONS false")
		closed(t, db, "b", sqlerr.ObjectNotInPrerequisiteState)
	})
}

// TestDatabasesElsewhere holds that processes which share a store have the same databases, and that one is dropped when
// no process uses it any more.
func TestDatabasesElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		pa, pb := joined(t, f, "a"), joined(t, f, "b")
		a := in(t, pa.DB, "postgres")
		accepted(t, a, "CREATE DATABASE made")
		there := in(t, pb.DB, "made") // at once
		accepted(t, there, "CREATE TABLE t (id int PRIMARY KEY, a int)", "INSERT INTO t VALUES (1, 1)",
			"CREATE INDEX x ON t (a) ASYNC")
		accepted(t, in(t, pa.DB, "made"), "SELECT * FROM t", "INSERT INTO t VALUES (2, 2)")
		time.Sleep(time.Minute)
		reached(t, there, "x", "public")
		pa.of(there.db.Database()).agree(t)
		closed(t, pb.DB, "other", sqlerr.InvalidCatalogName)
	})
}

func (db *DB) agree(t *testing.T) {
	t.Helper()
	for f, err := range db.Checker().All(t.Context(), false) {
		t.Errorf("%v, %v", f, err)
	}
}

// TestDropElsewhere holds that a database is not dropped while another process has sessions in it, unless they are to
// be ended, and that what is left of it goes.
func TestDropElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := dynamofake.New(dynamofake.Options{})
		pa, pb := joined(t, f, "a"), joined(t, f, "b")
		a := in(t, pa.DB, "postgres")
		accepted(t, a, "CREATE DATABASE made")
		there := in(t, pb.DB, "made")
		accepted(t, there, "CREATE TABLE t (id int PRIMARY KEY)", "INSERT INTO t VALUES (1)", "BEGIN",
			"SELECT * FROM t")
		err := ask(t, a, "DROP DATABASE made")
		if !sqlerr.Has(err, sqlerr.ObjectInUse) ||
			sqlerr.From(err).Detail != "There is 1 other session using the database." {
			t.Errorf("in use: %v", err)
		}
		accepted(t, there, "SELECT * FROM t", "COMMIT")
		time.Sleep(5 * time.Second)
		accepted(t, in(t, pb.DB, "made"), "SELECT * FROM t") // it is open again
		there.Close()
		for _, s := range pb.sessions.all() {
			s.Close()
		}
		accepted(t, a, "DROP DATABASE made")
		closed(t, pa.DB, "made", sqlerr.InvalidCatalogName)
		closed(t, pb.DB, "made", sqlerr.InvalidCatalogName)
		accepted(t, a, "CREATE DATABASE made")
		accepted(t, endable(t, pb.DB, "made"), "CREATE TABLE t (id int PRIMARY KEY)")
		accepted(t, a, "DROP DATABASE made WITH (FORCE)")
		closed(t, pb.DB, "made", sqlerr.InvalidCatalogName)
		time.Sleep(time.Minute)
		pa.owesNothing(t)
		if list, err := pa.store.Spaces(t.Context()); err != nil || slices.ContainsFunc(list,
			func(s store.Space) bool { return strings.HasPrefix(s.Name, "public.t") }) {
			t.Errorf("spaces %v, %v", list, err)
		}
	})
}

// TestDropKilled freezes a process for good before some request of a DROP DATABASE: another process finds the database
// whole or gone, can drop what is there, and takes away what is left.
func TestDropKilled(t *testing.T) {
	for requests := 1; requests < 60; requests += 3 {
		synctest.Test(t, func(t *testing.T) {
			f := dynamofake.New(dynamofake.Options{})
			pa, pb := joined(t, f, "a"), joined(t, f, "b")
			a := in(t, pa.DB, "postgres")
			once(t, pa.DB, "postgres", "CREATE DATABASE made")
			once(t, pa.DB, "made", "CREATE TABLE t (id int PRIMARY KEY, a int)", "CREATE INDEX ON t (a)",
				"INSERT INTO t VALUES (1, 1)")
			time.Sleep(2 * time.Second)
			pa.freezeIn(requests)
			ended := make(chan error, 1)
			go func() { ended <- ask(t, a, "DROP DATABASE made") }()
			time.Sleep(2 * time.Minute) // until it is evicted
			if s, err := pb.Connect(Startup{User: "joe", Database: "made"}); err == nil {
				if got := answer(t, s, "SELECT * FROM t WHERE a = 1"); !slices.Equal(got, []string{"1 1"}) {
					t.Errorf("before request %d: rows %v", requests, got)
				}
				s.Close()
			} else if !sqlerr.Has(err, sqlerr.InvalidCatalogName) {
				t.Errorf("before request %d: %v", requests, err)
			}
			once(t, pb.DB, "postgres", "DROP DATABASE IF EXISTS made")
			pa.thaw()
			<-ended
			time.Sleep(2 * time.Minute)
			pb.owesNothing(t)
			list, err := pb.store.Spaces(t.Context())
			if err != nil || len(list) != 1 { // the catalog's
				t.Errorf("before request %d: spaces %v, %v", requests, list, err)
			}
		})
	}
}

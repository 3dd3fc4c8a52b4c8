package e2e

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/pglocal"
	"zproxy/session"
)

// psqlOn runs a script with psql on a database, and stops at an error.
func psqlOn(t *testing.T, address, database, script string) string {
	t.Helper()
	return clientOf(t, address, script, "psql", "-X", "-qAt", "-v", "ON_ERROR_STOP=1", "-d", database)
}

// urlOf is where a database of a server is.
func urlOf(s *server, database string) string {
	return strings.Replace(s.url(), "/postgres?", "/"+database+"?", 1)
}

// TestDatabasesWithPrograms makes, uses and drops databases with PostgreSQL's programs.
func TestDatabasesWithPrograms(t *testing.T) {
	if _, err := exec.LookPath("createdb"); err != nil {
		t.Skipf("createdb is not run: %v", err)
	}
	for _, k := range []kind{onPebble, onFake} {
		t.Run(k.name, func(t *testing.T) {
			s := openDB(t, k)
			psqlOn(t, s.address, "shop", "CREATE TABLE t (a int PRIMARY KEY); INSERT INTO t VALUES (1)")
			clientOf(t, s.address, "", "createdb", "one", "for tests")
			clientOf(t, s.address, "", "createdb", "-T", "template0", "-E", "UTF8", "-O", "postgres", "two")
			got := psqlOn(t, s.address, "one", `CREATE TABLE t (b text);
				INSERT INTO t VALUES ('x');
				\c shop
				SELECT current_database(), * FROM t;
				\c two
				CREATE TABLE t (c int);
				SELECT current_database(), count(*) FROM t;
				\c one
				SELECT current_database(), * FROM t;
				SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = 'one';
				SELECT pg_database_size('one') > 0, pg_database_size('template0');
				\l`)
			want := "shop|1\ntwo|0\none|x\nfor tests\nt|0\n" +
				"one|postgres|UTF8|C|C.UTF-8||libc|\npostgres|postgres|UTF8|C|C.UTF-8||libc|\n" +
				"template0|postgres|UTF8|C|C.UTF-8||libc|=c/postgres\npostgres=CTc/postgres\n" +
				"template1|postgres|UTF8|C|C.UTF-8||libc|=c/postgres\npostgres=CTc/postgres\n" +
				"two|postgres|UTF8|C|C.UTF-8||libc|\n"
			if got != want {
				t.Errorf("psql prints\n%s\nnot\n%s", got, want)
			}
			clientOf(t, s.address, "", "dropdb", "one")
			clientOf(t, s.address, "", "dropdb", "--if-exists", "one")
			clientOf(t, s.address, "", "dropdb", "--force", "two")
			if got := psqlOn(t, s.address, "shop", "SELECT a FROM t"); got != "1\n" {
				t.Errorf("what is left: %s", got)
			}
		})
	}
}

// TestDatabasesPage runs the statements of the page about databases.
func TestDatabasesPage(t *testing.T) {
	page, err := os.ReadFile("../docs/databases.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "```sql\n")
	block, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("the page has no statements")
	}
	c := openDB(t, onPebble).connect(t)
	for _, sql := range strings.Split(strings.TrimSpace(block), ";\n") {
		must(t, c, sql)
	}
}

// severalDatabases are made with roles, rights, settings and comments of all kinds that are of all databases.
const severalDatabases = `CREATE ROLE owner LOGIN CREATEDB;
	CREATE ROLE reader IN ROLE owner;
	ALTER ROLE reader SET work_mem = '7MB';
	CREATE TABLE here (a int PRIMARY KEY);
	INSERT INTO here VALUES (1);
	CREATE DATABASE one OWNER owner CONNECTION LIMIT 7;
	CREATE DATABASE "Two words" IS_TEMPLATE true;
	COMMENT ON DATABASE one IS 'the first';
	REVOKE ALL ON DATABASE one FROM PUBLIC;
	GRANT CONNECT ON DATABASE one TO reader;
	ALTER DATABASE one SET statement_timeout = '7s';
	ALTER ROLE reader IN DATABASE one SET work_mem = '3MB';
	\c one
	SET ROLE owner;
	CREATE SCHEMA s;
	CREATE TABLE s.t (a serial PRIMARY KEY, b text UNIQUE);
	INSERT INTO s.t (b) SELECT 'x' || n FROM generate_series(1, 9) AS n;
	CREATE VIEW s.v AS SELECT a FROM s.t WHERE b > 'x3';
	\c "Two words"
	CREATE TABLE here (b text);
	INSERT INTO here VALUES ('two')`

// TestDumpOfDatabases takes all databases of a server to PostgreSQL and back with pg_dumpall and psql, and one of them
// with pg_dump and pg_restore, which make it.
func TestDumpOfDatabases(t *testing.T) {
	if _, err := exec.LookPath("pg_dumpall"); err != nil {
		t.Skipf("pg_dumpall is not run: %v", err)
	}
	// What differs: the version, and a role that is there already.
	own := regexp.MustCompile(`(?m)^(--.*|CREATE ROLE postgres;|SET .*|SELECT .*set_config.*)?\n`)
	all := func(address string) string {
		return own.ReplaceAllString(clientOf(t, address, "", "pg_dumpall"), "")
	}
	from, to, more := openDB(t, onPebble), openDB(t, onPebble), openDB(t, onFake)
	psqlOn(t, from.address, "postgres", severalDatabases)
	text := all(from.address)
	postgres := pglocal.Start(t)
	psqlOn(t, postgres, "postgres", text)
	middle := all(postgres)
	psqlOn(t, to.address, "postgres", middle)
	if again := all(to.address); again != text {
		t.Errorf("dumped:\n%s\nand by way of PostgreSQL:\n%s", text, again)
	}
	globals := own.ReplaceAllString(clientOf(t, to.address, "", "pg_dumpall", "--globals-only"), "")
	if !strings.Contains(globals, "ALTER ROLE reader SET work_mem") || strings.Contains(globals, "CREATE DATABASE") {
		t.Errorf("globals:\n%s", globals)
	}
	psqlOn(t, more.address, "postgres", globals)
	file := filepath.Join(t.TempDir(), "one")
	clientOf(t, to.address, "", "pg_dump", "-Fc", "-f", file, "one")
	for _, address := range []string{more.address, postgres} {
		if address == postgres {
			clientOf(t, address, "", "dropdb", "one")
		}
		tool(t, address, "", "pg_restore", "-C", "-j", "2", file)
		tool(t, address, "", "pg_restore", "-C", "-c", file)
		got := psqlOn(t, address, "one", "SELECT count(*), (SELECT count(*) FROM s.v) FROM s.t; SHOW statement_timeout")
		if got != "9|6\n7s\n" {
			t.Errorf("restored: %s", got)
		}
	}
}

// TestLostPowerInDatabases takes the disk as it would be after a loss of power while databases are made and dropped:
// each is there whole or not at all, and nothing is left of one that is not.
func TestLostPowerInDatabases(t *testing.T) {
	for _, seed := range seeds(t, 3) {
		d := newDice(seed)
		disk := vfs.NewCrashableMem()
		st := openPebble(t, disk)
		s := serve(t, st, session.Options{})
		c := s.connect(t)
		must(t, c, "CREATE DATABASE kept")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for range 8 {
				must(t, c, "CREATE DATABASE d")
				in := connect(t, urlOf(s, "d"))
				must(t, in, "CREATE TABLE t (id int PRIMARY KEY, a int); CREATE INDEX ON t (a)",
					"INSERT INTO t SELECT n, n FROM generate_series(1, 9) AS n; CREATE TABLE u (id int)")
				_ = in.Close(context.Background())
				must(t, c, "DROP DATABASE d")
			}
		}()
		for over := false; !over; {
			select {
			case <-ended:
				over = true
			default:
			}
			checkDatabases(t, disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: d.IntN(101),
				RNG: rand.New(rand.NewPCG(seed, 1))}))
		}
		s.stop()
		if err := st.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// checkDatabases opens a disk, and looks for what is there and what is left.
func checkDatabases(t *testing.T, disk vfs.FS) {
	t.Helper()
	st := openPebble(t, disk)
	s := serve(t, st, session.Options{})
	defer func() {
		s.stop()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	c := s.connect(t)
	var there bool
	query := "SELECT count(*) = 1 FROM pg_database WHERE datname = 'd'"
	if err := c.QueryRow(t.Context(), query).Scan(&there); err != nil {
		t.Fatal(err)
	}
	if there {
		in := connect(t, urlOf(s, "d"))
		defer func() { _ = in.Close(context.Background()) }()
		var tables, rows int
		query := "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
		if err := in.QueryRow(t.Context(), query).Scan(&tables); err != nil {
			t.Fatal(err)
		}
		if tables > 0 {
			if err := in.QueryRow(t.Context(), "SELECT count(*) FROM t WHERE a > 0").Scan(&rows); err != nil {
				t.Error(err)
			}
		}
		return
	}
	spaces, err := st.Spaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(spaces) != 1 { // the catalog's
		t.Errorf("spaces %v are left", spaces)
	}
}

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"zproxy/internal/pglocal"
	"zproxy/session"
)

// everything makes a database with objects of all kinds.
func everything(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile("../catalog/renumber/testdata/everything.sql")
	if err != nil {
		t.Fatal(err)
	}
	return "CREATE DATABASE one;\n\\c one\nSET client_min_messages = error; SET zproxy.advice = off;\n" + string(script)
}

// TestCopiedDatabases copies a database with objects of all kinds, also as a copy of the copy: pg_dump writes the same
// of both, also when the server has started again, and what is written to one of them is not in the other. The indexes
// of both are compared with the rows at the end.
func TestCopiedDatabases(t *testing.T) {
	if _, err := exec.LookPath("pg_dump"); err != nil {
		t.Skipf("pg_dump is not run: %v", err)
	}
	for _, k := range append(kinds[:len(kinds):len(kinds)], onFake) {
		t.Run(k.name, func(t *testing.T) {
			s := openDB(t, k)
			dump := func(name string) string {
				lines := strings.SplitAfter(clientOf(t, s.address, "", "pg_dump", name), "\n")
				if !s.store.Capabilities().OrderedPartitions { // rows whose keys are other numbers are in another order
					slices.Sort(lines)
				}
				return strings.Join(lines, "")
			}
			psqlOn(t, s.address, "postgres", everything(t))
			psqlOn(t, s.address, "postgres", "CREATE DATABASE two TEMPLATE one STRATEGY file_copy;\n"+
				"CREATE DATABASE three WITH TEMPLATE = two STRATEGY = 'wal_log' CONNECTION LIMIT = 7 IS_TEMPLATE = true;")
			first := dump("one")
			for _, name := range []string{"two", "three"} {
				sameDump(t, name, dump(name), first)
			}
			if got := psqlOn(t, s.address, "two", inCopy); got != copied {
				t.Errorf("in the copy:\n%s\nwant\n%s", got, copied)
			}
			sameDump(t, "the original after that", dump("one"), first)
			psqlOn(t, s.address, "one", `DELETE FROM people; DROP SCHEMA app CASCADE; DROP TYPE mood CASCADE;
				DROP TABLE singers CASCADE; \c postgres
				DROP DATABASE one`)
			s.stop()
			s = serve(t, s.store, session.Options{Shared: k.shared})
			third := dump("three")
			if k.shared { // numbers that a process has taken from sequences are not given back
				third, first = setval.ReplaceAllString(third, ""), setval.ReplaceAllString(first, "")
			}
			sameDump(t, "three, after a start", third, first)
			for _, name := range []string{"two", "three"} {
				if got := psqlOn(t, s.address, name, checkAll); got != "" {
					t.Errorf("indexes of %s: %s", name, got)
				}
			}
		})
	}
}

// sameDump wants two texts to have the same lines, and says where they do not.
func sameDump(t *testing.T, name, got, want string) {
	t.Helper()
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			near := func(l []string) string { return strings.Join(l[min(i, len(l)):min(i+9, len(l))], "\n") }
			t.Errorf("%s differs in line %d:\n%s\nwant\n%s", name, i+1, near(a), near(b))
			return
		}
	}
}

// setval are the lines of a dump that say how far sequences are.
var setval = regexp.MustCompile(`(?m)^SELECT pg_catalog.setval.*\n`)

// checkAll compares the indexes of all tables with their rows.
const checkAll = `SELECT format('CHECK INDEXES ON %s', oid::regclass) FROM pg_class WHERE relkind IN ('r', 'm', 'p') AND
	relnamespace = 'public'::regnamespace \gexec
	DROP INDEX people_double -- which is compared only here, since sessions alone run functions
	`

// inCopy uses objects of each kind in the copy.
const inCopy = `INSERT INTO people (name, m, p) VALUES ('new', 'good', 4) RETURNING id, n, doubled, missing, given;
	SELECT what, id FROM log WHERE id > 300;
	SELECT id, name FROM people WHERE lower(name COLLATE "C") = 'name7' AND m = 'happy';
	SELECT count(*) FROM people WHERE doc @> '{"k": 3}';
	SELECT id FROM people WHERE x BETWEEN 5 AND 20 AND y < 20 ORDER BY id;
	SELECT count(*), min(of::text) FROM others;
	SELECT pair, deep, span, several, listed FROM people WHERE id = 3;
	SELECT app.first_name(), (SELECT count(*) FROM app.names_of('good')), (SELECT moods_count FROM counted);
	UPDATE people SET id = 1001 WHERE id = 1;
	SELECT person, line, boss, before FROM orders WHERE person > 1000 OR boss > 1000 ORDER BY 1, 2;
	DELETE FROM singers WHERE singer = 2;
	SELECT count(*), (SELECT count(*) FROM songs), (SELECT count(*) FROM boxes WHERE x < 3) FROM albums;
	INSERT INTO visits (at, m, n) VALUES ('2024-05-05', 'happy', 500) RETURNING tableoid::regclass, id;
	SELECT name FROM cities ORDER BY name;
	SELECT octet_length(lo_get(min(oid))), count(*) FROM pg_largeobject_metadata;
	SELECT of, as_type, list, pair FROM notes WHERE of = 'orders'::regclass;
	SELECT count(*), count(DISTINCT of) FROM notes JOIN pg_class c ON c.oid = of WHERE as_type <> 'mood'::regtype;
	SELECT of FROM notes WHERE as_type = 'cities'::regtype;
	SELECT of FROM notes WHERE list @> ARRAY['cities'::regclass];
	SELECT count(*) FROM notes WHERE of::text ~ '^[0-9]' OR as_type::text ~ '^[0-9]';
	ALTER TYPE mood RENAME VALUE 'good' TO 'fine';
	SELECT m, n FROM summary ORDER BY m;
	TRUNCATE songs CASCADE;
	INSERT INTO songs VALUES (3, 2, 1, 7);
	SELECT * FROM singers JOIN albums USING (singer) JOIN songs USING (singer, album);
`

// copied is what that gives.
const copied = `302|400|800|good|7003
INSERT people|302
7|name7
43
15
16
17
152|people
(3,ok)|("(3,sad)","{""(1,ok)""}",t)|[3,4)|{[3,4)}|{good}
name1|151|#301
1001|1||
1001|2||1
32|32|15
visits_2_rest|101
Basel
Bern
Paris
12000|2
orders|orders|{orders,pg_class}|(orders,x)
36|36
cities
cities
0
sad|75
ok|75
fine|75
happy|75
3|2|s3|a2|1|7
`

// TestRestoreOfEncoding takes a database of another encoding from PostgreSQL with pg_dump and pg_restore, which make
// it.
func TestRestoreOfEncoding(t *testing.T) {
	if _, err := exec.LookPath("pg_restore"); err != nil {
		t.Skipf("pg_restore is not run: %v", err)
	}
	postgres, s := pglocal.Start(t), openDB(t, onPebble)
	psqlOn(t, postgres, "postgres", `CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0;
		\c latin
		SET client_encoding = 'UTF8';
		CREATE TABLE t (a text);
		INSERT INTO t VALUES ('é')`)
	file := filepath.Join(t.TempDir(), "latin")
	clientOf(t, postgres, "", "pg_dump", "-Fc", "-f", file, "latin")
	tool(t, s.address, "", "pg_restore", "-C", file)
	got := psqlOn(t, s.address, "latin", "SELECT a, length(a) FROM t; SHOW server_encoding")
	if got != "é|1\nUTF8\n" {
		t.Errorf("restored: %s", got)
	}
}

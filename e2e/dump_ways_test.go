package e2e

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/pglocal"
)

// travelling is a schema that PostgreSQL and zproxy have, of all that dumps write.
const travelling = `CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
	CREATE SEQUENCE steps START 5 INCREMENT 3;
	CREATE TABLE people (id serial PRIMARY KEY, name text NOT NULL DEFAULT 'x\y' COLLATE "C", feels mood DEFAULT 'ok',
		born date CHECK (born > '1900-01-01'), doubled numeric(10,2) GENERATED ALWAYS AS (id * 2.5) STORED, tags text[],
		doc jsonb, raw bytea, span interval, at timestamptz, step int DEFAULT nextval('steps'), UNIQUE (name, born));
	CREATE TABLE pets (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, owner int REFERENCES people ON DELETE CASCADE,
		parent bigint REFERENCES pets, name varchar(20));
	CREATE INDEX people_born ON people (born DESC, name) WHERE feels <> 'sad';
	CREATE INDEX ON pets (owner) INCLUDE (name);
	CREATE VIEW happy AS SELECT p.id, p.name, count(t.id) AS pets FROM people p LEFT JOIN pets t ON t.owner = p.id WHERE p.feels = 'happy'
		GROUP BY p.id, p.name;
	CREATE MATERIALIZED VIEW moods AS SELECT feels, count(*) FROM people GROUP BY feels;
	CREATE FUNCTION twice(n int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT n * 2 $$;
	CREATE FUNCTION greet(who text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN 'hello ' || who; END $$;
	CREATE TABLE visits (at date NOT NULL, id int NOT NULL, page text) PARTITION BY RANGE (at);
	CREATE TABLE visits_1 PARTITION OF visits FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
	CREATE TABLE visits_rest PARTITION OF visits DEFAULT;
	CREATE TYPE spot AS (x int, label text);
	CREATE TABLE spots OF spot (x WITH OPTIONS PRIMARY KEY CHECK (x > 0), label NOT NULL DEFAULT 'here');
	INSERT INTO spots (x) VALUES (1), (2);
	CREATE SCHEMA "odd Names"; CREATE TABLE "odd Names"."Ta""ble" ("Col umn" int, "select" text);
	COMMENT ON TABLE people IS 'who it''s about'; COMMENT ON COLUMN people.born IS 'a day';
	GRANT SELECT ON people TO PUBLIC;
	SELECT lo_from_bytea(4001, convert_to(repeat('large ', 1000), 'UTF8')), lo_create(4002), lo_put(4001, 10000, '\xff00');
	COMMENT ON LARGE OBJECT 4001 IS 'many'; GRANT SELECT ON LARGE OBJECT 4002 TO PUBLIC;
	INSERT INTO people (name, feels, born, tags, doc, raw, span, at) VALUES ('a', 'happy', '2001-02-03', '{x,"y z",NULL}',
		'{"k": [1, null]}', '\x00ff5c', '1 mon -2 days', '2020-01-01 00:00+02'), (E'tab\there', 'sad', NULL, '{}', 'null', '', NULL, 'infinity'),
		(E'back\\slash "q" ''s''', NULL, '1999-12-31', NULL, NULL, NULL, '00:00:01.5', NULL), ('äöü€', 'ok', '2024-02-29', NULL, '"ß"', NULL, NULL, NULL);
	INSERT INTO pets (owner, parent, name) VALUES (1, NULL, 'rex'), (1, 1, 'tom'), (4, 2, NULL);
	INSERT INTO visits SELECT date '2024-01-20' + n, n, 'p' || n FROM generate_series(1, 30) AS n;
	INSERT INTO "odd Names"."Ta""ble" VALUES (1, 'x'), (NULL, NULL);
	REFRESH MATERIALIZED VIEW moods`

// travelled are queries that a copy answers as what was dumped: rows, and the catalogs.
var travelled = []string{
	"SELECT * FROM people ORDER BY id", "SELECT * FROM pets ORDER BY id", "SELECT * FROM happy ORDER BY id",
	"SELECT * FROM moods ORDER BY 1", "SELECT * FROM visits ORDER BY at, id", "SELECT * FROM visits_1 ORDER BY at, id",
	`SELECT * FROM "odd Names"."Ta""ble" ORDER BY 1`, "SELECT twice(4), greet('you'), s.last_value, s.is_called, p.last_value FROM steps s, people_id_seq p",
	"SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1",
	"SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1, 2",
	"SELECT attrelid::regclass::text, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, attgenerated, pg_get_expr(adbin, adrelid) " +
		"FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum WHERE attnum > 0 AND NOT attisdropped AND " +
		"attrelid IN (SELECT oid FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace) ORDER BY 1, attnum",
	"SELECT * FROM spots ORDER BY x", "SELECT reloftype::regtype FROM pg_class WHERE relname = 'spots'",
	"SELECT relname, relkind, obj_description(oid, 'pg_class'), relacl IS NULL FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
	"SELECT oid, lomacl::text, obj_description(oid, 'pg_largeobject'), md5(lo_get(oid)) FROM pg_largeobject_metadata ORDER BY oid",
	"SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'", "SELECT enumlabel FROM pg_enum ORDER BY enumsortorder",
	"INSERT INTO people (id, name, step) VALUES (100, 'new', 1) RETURNING id, name, feels, doubled, step",
	"INSERT INTO pets (id, owner) OVERRIDING SYSTEM VALUE VALUES (100, 77)",
	"DELETE FROM people WHERE id = 1", "SELECT count(*) FROM pets", "INSERT INTO people (id, name, born, step) VALUES (101, 'äöü€', '2024-02-29', 1)",
}

// dumpWay is how a dump is written and read.
type dumpWay struct {
	name  string
	dump  []string
	reads [][]string // runs of psql or pg_restore; $ stands for the dump
}

var dumpWays = []dumpWay{
	{"plain", nil, [][]string{{"psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "$"}}},
	{"inserts", []string{"--inserts"}, [][]string{{"psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "$"}}},
	{"column_inserts", []string{"--column-inserts", "--rows-per-insert=2"},
		[][]string{{"psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "$"}}},
	{"clean", []string{"--clean", "--if-exists"}, [][]string{{"psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "$"},
		{"psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "$"}}},
	{"custom", []string{"-Fc"}, [][]string{{"pg_restore", "-e", "$"}, {"pg_restore", "-e", "--clean", "--if-exists", "-j4", "$"}}},
	{"directory", []string{"-Fd"}, [][]string{{"pg_restore", "-e", "-j4", "$"}}},
	{"jobs", []string{"-Fd", "-j4"}, [][]string{{"pg_restore", "-e", "-j4", "$"}, {"pg_restore", "-e", "--clean", "-j4", "$"}}},
	{"sections", []string{"-Fc"}, [][]string{{"pg_restore", "-e", "--section=pre-data", "$"},
		{"pg_restore", "-e", "--section=data", "--disable-triggers", "$"}, {"pg_restore", "-e", "--section=post-data", "-j4", "$"}}},
	{"data_only", []string{"-Fc"}, [][]string{{"pg_restore", "-e", "--schema-only", "$"},
		{"pg_restore", "-e", "--data-only", "--disable-triggers", "$"},
		{"psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", "REFRESH MATERIALIZED VIEW moods"}}},
}

// TestDumpWays dumps a schema from PostgreSQL and from zproxy, in every format, and restores each into both.
func TestDumpWays(t *testing.T) {
	if _, err := exec.LookPath("pg_restore"); err != nil {
		t.Skipf("pg_restore is not run: %v", err)
	}
	kinds := map[string]func() string{"postgres": func() string { return pglocal.Start(t) },
		"zproxy": func() string { return openDB(t, onPebble).address }}
	for from, start := range kinds {
		source := start()
		c := connect(t, "postgres://postgres@"+source+"/postgres?sslmode=disable")
		must(t, c, strings.Split(travelling, ";\n")...)
		for _, way := range dumpWays {
			file := filepath.Join(t.TempDir(), way.name)
			tool(t, source, "", "pg_dump", append(way.dump, "-f", file)...)
			for to, begin := range kinds {
				if from == "postgres" && to == "postgres" {
					continue
				}
				t.Run(from+"_"+way.name+"_"+to, func(t *testing.T) {
					target := begin()
					for _, read := range way.reads {
						args := strings.Split(strings.ReplaceAll(strings.Join(read[1:], "\x00"), "$", file), "\x00")
						tool(t, target, "", read[0], args...)
					}
					copied := connect(t, "postgres://postgres@"+target+"/postgres?sslmode=disable")
					answersAlike(t, c, copied, travelled)
				})
			}
		}
	}
}

// answersAlike asks two servers the same, in transactions that it undoes.
func answersAlike(t *testing.T, from, to *pgx.Conn, queries []string) {
	t.Helper()
	must(t, from, "BEGIN")
	must(t, to, "BEGIN")
	for _, query := range queries {
		must(t, from, "SAVEPOINT s")
		must(t, to, "SAVEPOINT s")
		want, got := spoken(t.Context(), from.PgConn(), query), spoken(t.Context(), to.PgConn(), query)
		if got != want {
			t.Errorf("%s: the copy answers\n%s\nthe original\n%s", query, got, want)
		}
		if strings.HasSuffix(got, "23503") || strings.HasSuffix(got, "23505") {
			must(t, from, "ROLLBACK TO s")
			must(t, to, "ROLLBACK TO s")
		}
	}
	must(t, from, "ROLLBACK")
	must(t, to, "ROLLBACK")
}

// TestDumpForPostgres dumps tables with keys and indexes of zproxy's own for PostgreSQL, which takes them with keys and
// indexes that it has.
func TestDumpForPostgres(t *testing.T) {
	served := openDB(t, onPebble)
	c := served.connect(t)
	must(t, c, strings.Split(dumpedKeys, ";\n")...)
	must(t, c, "CREATE INDEX z ON boxes USING zorder (x, y) WITH (shards = 4)",
		"CREATE INDEX s ON boxes (t) WITH (shards = 8, fillfactor = 70, covering = 'all')",
		"CREATE TABLE aged (id int PRIMARY KEY, at timestamptz) WITH (ttl = '30 days', ttl_column = 'at', fillfactor = 80)",
		"CREATE TABLE loose (id int8 PRIMARY KEY REFERENCES singers NOT ENFORCED CHECK (id > 0) NOT ENFORCED)",
		"CREATE TABLE spots (id int PRIMARY KEY, at point)", "CREATE INDEX p ON spots USING zorder (at)")
	host, port, err := net.SplitHostPort(served.address)
	if err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), "pg_dump", "-h", host, "-p", port, "-U", "postgres", "-d", "postgres")
	command.Env = append(os.Environ(), "PGOPTIONS=-c zproxy.dump_for=postgresql")
	text, err := command.Output()
	if err != nil {
		t.Skipf("pg_dump is not run: %v", err)
	}
	target := pglocal.Start(t)
	tool(t, target, string(text), "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-")
	must(t, c, "SET zproxy.dump_for = 'postgresql'")
	copied := connect(t, "postgres://postgres@"+target+"/postgres?sslmode=disable")
	answersAlike(t, c, copied, []string{
		"SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' AND indexname !~ '_pkey' ORDER BY 1",
		"SELECT relname, relkind, reloptions FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY 1",
		"SELECT conname, convalidated, pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace ORDER BY 1",
		"SELECT * FROM boxes ORDER BY x, y", "SELECT * FROM albums ORDER BY 1, 2", "SELECT * FROM days ORDER BY n",
		"SELECT count(*) FROM heavy WHERE a = 7", `SELECT count(*) FROM "Descending"`,
	})
}

// TestDumpGlobals dumps roles from PostgreSQL and from zproxy, and restores each into both.
func TestDumpGlobals(t *testing.T) {
	if _, err := exec.LookPath("pg_dumpall"); err != nil {
		t.Skipf("pg_dumpall is not run: %v", err)
	}
	addresses := map[string]string{"postgres": pglocal.Start(t), "zproxy": openDB(t, onPebble).address}
	for from, source := range addresses {
		c := connect(t, "postgres://postgres@"+source+"/postgres?sslmode=disable")
		must(t, c, strings.ReplaceAll("CREATE ROLE $_team NOLOGIN CREATEDB; CREATE ROLE \"$ Odd\" LOGIN CONNECTION LIMIT 7 "+
			"VALID UNTIL '2031-01-01'; GRANT $_team TO \"$ Odd\" WITH ADMIN OPTION; ALTER ROLE $_team SET search_path = a, b; "+
			"COMMENT ON ROLE $_team IS 'it''s'", "$", from))
	}
	dumps := map[string]string{}
	for from, source := range addresses {
		dumps[from] = tool(t, source, "", "pg_dumpall", "-d", "dbname=postgres", "--globals-only")
	}
	for from, text := range dumps {
		for to, target := range addresses {
			if from != to {
				tool(t, target, text, "psql", "-X", "-q", "-f", "-")
			}
		}
	}
	c := connect(t, "postgres://postgres@"+addresses["postgres"]+"/postgres?sslmode=disable")
	copied := connect(t, "postgres://postgres@"+addresses["zproxy"]+"/postgres?sslmode=disable")
	answersAlike(t, c, copied, []string{
		"SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolconnlimit, rolvaliduntil, rolconfig, " +
			"shobj_description(oid, 'pg_authid') FROM pg_roles WHERE rolname ~ 'zproxy|postgres_|postgres ' ORDER BY 1",
		"SELECT roleid::regrole, member::regrole, admin_option FROM pg_auth_members WHERE roleid > 16000 ORDER BY roleid::regrole::text",
	})
}

package e2e

import (
	"context"
	"flag"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/pglocal"
)

var schemasFlag = flag.String("schemas", "", "a folder of SQL files, each of which makes the schema of a real program")

// schemaQueries is how many queries are asked of each schema.
const schemaQueries = 100

// TestRealSchemas loads the schemas of real programs with psql, here and into PostgreSQL, and asks both the same
// queries, which the schema itself suggests: tables in the order of their columns, joins along foreign keys, groups.
// Then PostgreSQL loads what pg_dump writes of zproxy, and has the same rows.
func TestRealSchemas(t *testing.T) {
	if *schemasFlag == "" {
		t.Skip("needs -schemas, a folder of SQL files")
	}
	files, err := filepath.Glob(filepath.Join(*schemasFlag, "*.sql"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no SQL files in %s: %v", *schemasFlag, err)
	}
	address := pglocal.Start(t)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			s := openDB(t, onPebble)
			there := newDatabase(t, address, "real_schema")
			load(t, there, file)
			here := "postgres://postgres@" + s.address + "/postgres?sslmode=disable"
			load(t, here, file)
			sameAnswers(t, connect(t, there), connect(t, here))
			copied := newDatabase(t, address, "real_copy")
			dump := filepath.Join(t.TempDir(), "dump.sql")
			out, err := exec.Command("pg_dump", "-f", dump, here).CombinedOutput()
			if err != nil {
				t.Fatalf("pg_dump: %v\n%s", err, out)
			}
			load(t, copied, dump)
			sameAnswers(t, connect(t, there), connect(t, copied))
		})
	}
}

// newDatabase makes an empty database in PostgreSQL, until the test ends.
func newDatabase(t *testing.T, address, name string) string {
	t.Helper()
	c := connect(t, "postgres://postgres@"+address+"/postgres?sslmode=disable")
	must(t, c, "DROP DATABASE IF EXISTS "+name, "CREATE DATABASE "+name)
	t.Cleanup(func() { _, _ = c.Exec(context.Background(), "DROP DATABASE "+name+" WITH (FORCE)") })
	return "postgres://postgres@" + address + "/" + name + "?sslmode=disable"
}

// load runs a file with psql, in which nothing may fail.
func load(t *testing.T, url, file string) {
	t.Helper()
	out, err := exec.Command("psql", "-q", "-f", file, url).CombinedOutput()
	if err != nil {
		t.Fatalf("psql: %v\n%s", err, out)
	}
	for _, line := range strings.Split(string(out), "\n") {
		if strings.Contains(line, "ERROR:") {
			t.Errorf("%s: %s", url, line)
		}
	}
}

// sameAnswers asks two servers the same queries.
func sameAnswers(t *testing.T, there, here *pgx.Conn) {
	t.Helper()
	a, b := asker{conn: there.PgConn()}, asker{conn: here.PgConn()}
	queries := suggested(t, there)
	for _, q := range queries {
		want, err := a.rows(q, parameters{}, directly)
		if err != nil {
			t.Fatalf("%s: %v", q, err)
		}
		got, err := b.rows(q, parameters{}, directly)
		if err != nil || !slices.Equal(want, got) {
			t.Errorf("%s\n got %v %v\nwant %v", q, clipped(got), err, clipped(want))
		}
	}
	t.Logf("%d queries", len(queries))
}

// clipped is the beginning of a list of rows.
func clipped(rows []string) []string { return rows[:min(len(rows), 5)] }

// suggested are queries that a schema suggests.
func suggested(t *testing.T, c *pgx.Conn) []string {
	t.Helper()
	var out []string
	add := func(sql string) {
		for _, q := range texts(t, c, sql) {
			if len(out) < schemaQueries {
				out = append(out, q)
			}
		}
	}
	const columns = `FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`
	out = append(out, `SELECT conrelid::regclass::text, conname, contype::text, pg_get_constraintdef(oid) FROM pg_constraint
		WHERE connamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname IN ('pg_catalog', 'information_schema'))
		ORDER BY conrelid::regclass::text COLLATE "C", conname COLLATE "C"`)
	add(`SELECT format('SELECT count(*) FROM %I.%I', table_schema, table_name) FROM information_schema.tables
		WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`)
	add(`SELECT format('SELECT %s FROM %I.%I ORDER BY %s LIMIT 50', string_agg(format('%I', column_name), ', ' ORDER BY ordinal_position),
		table_schema, table_name, string_agg(format('%I::text COLLATE "C"', column_name), ', ' ORDER BY ordinal_position)) ` + columns +
		` GROUP BY table_schema, table_name ORDER BY 1`)
	add(`SELECT format('SELECT c.%I, count(*), count(DISTINCT p.%I) FROM %s c LEFT JOIN %s p ON p.%I = c.%I GROUP BY 1 ORDER BY 1 NULLS FIRST LIMIT 40',
		ca.attname, pa.attname, conrelid::regclass, confrelid::regclass, pa.attname, ca.attname)
		FROM pg_constraint JOIN pg_attribute ca ON ca.attrelid = conrelid AND ca.attnum = conkey[1]
		JOIN pg_attribute pa ON pa.attrelid = confrelid AND pa.attnum = confkey[1] WHERE contype = 'f' AND array_length(conkey, 1) = 1 ORDER BY 1`)
	add(`SELECT format('SELECT count(%1$I), count(DISTINCT %1$I), min(%1$I::text COLLATE "C"), max(%1$I::text COLLATE "C") FROM %2$I.%3$I', column_name,
		table_schema, table_name) ` + columns + ` AND data_type NOT IN ('bytea') ORDER BY md5(column_name || table_name)`)
	add(`SELECT format('SELECT %1$I::text COLLATE "C" AS v, count(*) FROM %2$I.%3$I GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 DESC, 1 LIMIT 20',
		column_name, table_schema, table_name) ` + columns + ` ORDER BY md5(table_name || column_name)`)
	return out
}

package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/jackc/pgx/v5"

	"zproxy/internal/testseed"
	"zproxy/session"
)

// schemaStatements are about few names, most of which some state of the schema refuses.
var schemaStatements = []string{
	"CREATE TABLE $s.$a (id serial PRIMARY KEY, v int)", "CREATE TABLE $s.$a (x int)",
	"CREATE TABLE $s.$a (id int, at int) PARTITION BY RANGE (at)",
	"CREATE TABLE $s.$a PARTITION OF $s.$b FOR VALUES FROM ($n) TO ($n + 2)",
	"CREATE VIEW $s.$a AS SELECT * FROM $s.$b", "CREATE SEQUENCE $s.$a",
	"CREATE SCHEMA $s", "CREATE SCHEMA IF NOT EXISTS $s", "DROP SCHEMA $s", "DROP SCHEMA $s CASCADE",
	"DROP TABLE $s.$a", "DROP TABLE IF EXISTS $s.$a CASCADE", "DROP VIEW $s.$a",
	"DROP SEQUENCE $s.$a", "ALTER TABLE $s.$a RENAME TO $b", "ALTER TABLE $s.$a ADD $b int DEFAULT $n",
	"ALTER TABLE $s.$a DROP COLUMN v", "ALTER TABLE $s.$a SET SCHEMA public",
	"ALTER TABLE $s.$a ADD n int DEFAULT nextval('$s.$b')",
	"CREATE INDEX ON $s.$a (v)", "CREATE INDEX ON $s.$a (id)", "TRUNCATE $s.$a",
	"COMMENT ON TABLE $s.$a IS 'c$n'", "ANALYZE $s.$a", "CREATE TEMP TABLE $a (x int)",
	"INSERT INTO $s.$a VALUES ($n, 1)", "SELECT * FROM $s.$a", "SELECT nextval('$s.$a')",
	"CREATE ROLE $b_role", "DROP ROLE $b_role", "GRANT SELECT ON $s.$a TO $b_role",
	"ALTER TABLE $s.$a OWNER TO $b_role", "CREATE TABLE $s.$a AS SELECT $n AS v",
	"SAVEPOINT p", "ROLLBACK TO p",
}

// broken are classes of errors that no statement may have: bugs, and conflicts under read committed.
var broken = []string{"XX", "40001", "58", "53", "08"}

// TestDefinitionsAtOnce changes the schema from many sessions, in blocks that commit or not. Afterwards the catalog is
// what the store has, each name stands for one object, and each object can be used.
func TestDefinitionsAtOnce(t *testing.T) {
	seed := testseed.Of(t)
	st := openPebble(t, vfs.NewMem())
	defer st.Close()
	s := serve(t, st, session.Options{})
	must(t, s.connect(t), "CREATE SCHEMA s", "CREATE TABLE a (id serial PRIMARY KEY, v int)",
		"CREATE TABLE s.b (v int)")
	var mu sync.Mutex
	codes := map[string]int{}
	together(t, s, func(c *pgx.Conn, client int) {
		rng := rand.New(rand.NewPCG(seed, uint64(client)))
		must(t, c, "SET lock_timeout = '2s'", "SET deadlock_timeout = '5ms'")
		for range 100 {
			must(t, c, "BEGIN")
			for range 1 + rng.IntN(4) {
				name := func() string { return string(rune('a' + rng.IntN(4))) }
				sql := strings.NewReplacer("$s", []string{"public", "s", "r"}[rng.IntN(3)], "$a", name(), "$b", name(),
					"$n", strconv.Itoa(rng.IntN(6))).Replace(schemaStatements[rng.IntN(len(schemaStatements))])
				_ = run(c, "SAVEPOINT q")
				code := codeOf(run(c, sql))
				if code != "<nil>" && rng.IntN(4) > 0 {
					_ = run(c, "ROLLBACK TO q")
				}
				mu.Lock()
				codes[code]++
				mu.Unlock()
				if slices.ContainsFunc(broken, func(class string) bool { return strings.HasPrefix(code, class) }) {
					t.Errorf("%s: %v", sql, code)
				}
			}
			_ = run(c, []string{"COMMIT", "COMMIT", "ROLLBACK"}[rng.IntN(3)])
		}
	})
	t.Log(codes)
	if codes["<nil>"] == 0 || codes["42P07"] == 0 {
		t.Error("the sessions have not met")
	}
	before := allUsable(t, s.connect(t))
	s.stop()
	s = serve(t, st, session.Options{})
	defer s.stop()
	if after := allUsable(t, s.connect(t)); after != before {
		t.Errorf("the process went by the catalog\n%s\nbut stored\n%s", before, after)
	}
}

// allUsable uses each relation but what is temporary, and gives what the catalog has of them.
func allUsable(t *testing.T, c *pgx.Conn) string {
	t.Helper()
	rows, err := c.Query(context.Background(), `SELECT n.nspname || '.' || c.relname, c.relkind::text, c.oid::int8,
		coalesce((SELECT string_agg(attname || ' ' || atttypid::text || ' ' || attisdropped::text, ', ' ORDER BY attnum)
			FROM pg_attribute a WHERE a.attrelid = c.oid AND attnum > 0), ''), c.relowner::int8, coalesce(c.relacl::text, '')
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE n.nspname IN ('public', 's', 'r') ORDER BY 1, c.oid`)
	if err != nil {
		t.Fatal(err)
	}
	type relation struct {
		Name, Kind string
		OID        int64
		Columns    string
		Owner      int64
		ACL        string
	}
	list, err := pgx.CollectRows(rows, pgx.RowToStructByPos[relation])
	if err != nil {
		t.Fatal(err)
	}
	out := fmt.Sprintln(list)
	for i, r := range list {
		if i > 0 && r.Name == list[i-1].Name && r.Kind != "i" {
			t.Errorf("%s is the name of two relations", r.Name)
		}
		switch r.Kind {
		case "r", "v", "p":
			must(t, c, "SELECT * FROM "+r.Name)
		case "S":
			must(t, c, "SELECT last_value FROM "+r.Name)
		}
	}
	for _, sql := range []string{"SELECT string_agg(rolname, ' ' ORDER BY rolname) FROM pg_roles",
		"SELECT string_agg(nspname, ' ' ORDER BY nspname) FROM pg_namespace WHERE nspname NOT LIKE 'pg_temp%'"} {
		var names string
		if err := c.QueryRow(context.Background(), sql).Scan(&names); err != nil {
			t.Error(err)
		}
		out += names + "\n"
	}
	return out
}

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/internal/pglocal"
	"zproxy/internal/testpage"
)

const featuresPage = "../docs/features.md"

// group is a group of the features of PostgreSQL, with the weight that the PostgreSQL Compatibility Index gives it.
type group struct {
	name     string
	weight   float64
	features []feature
}

// feature is used by statements of which all must succeed. The last one answers with the one value that is wanted,
// where there is one.
type feature struct{ name, statements, want string }

// features are those that the index lists, tried by statements of our own: the index only looks whether statements
// are taken, and these look at an answer, too. What needs more than one server or another program's files is left out.
var features = []group{
	{"data types", 5, []feature{
		{"primitive types", "CREATE TABLE plain (id int, name text); INSERT INTO plain VALUES (1, 'a'); SELECT name FROM plain", "a"},
		{"composite types", "CREATE TYPE pair AS (x int, y text); CREATE TABLE pairs (p pair); INSERT INTO pairs VALUES " +
			"(ROW(1, 'a')); SELECT (p).y FROM pairs", "a"},
		{"jsonb", `CREATE TABLE documents (data jsonb); INSERT INTO documents VALUES ('{"a": "b"}'); SELECT data->>'a' FROM documents`, "b"},
		{"geometry", "CREATE EXTENSION postgis; CREATE TABLE spots (at geometry); INSERT INTO spots VALUES ('POINT(1 2)'); " +
			"SELECT st_astext(at) FROM spots", "POINT(1 2)"},
		{"enum types", "CREATE TYPE mood AS ENUM ('sad', 'happy'); SELECT 'sad'::mood < 'happy'::mood", "true"},
		{"full-text search", "CREATE TABLE texts (content tsvector); INSERT INTO texts VALUES (to_tsvector('english', 'two cats')); " +
			"SELECT content @@ to_tsquery('english', 'cat') FROM texts", "true"},
	}},
	{"definitions", 5, []feature{
		{"schemas", "CREATE SCHEMA separate; DROP SCHEMA separate CASCADE", ""},
		{"sequences", "CREATE SEQUENCE numbers START 5; SELECT nextval('numbers')", "5"},
		{"views", "CREATE VIEW ones AS SELECT 1 AS one; SELECT one FROM ones", "1"},
		{"materialized views", "CREATE MATERIALIZED VIEW twos AS SELECT 2 AS two; REFRESH MATERIALIZED VIEW twos; SELECT two FROM twos", "2"},
	}},
	{"queries", 5, []feature{
		{"common tables", "WITH c AS (SELECT 1 AS a) SELECT a FROM c", "1"},
		{"upsert", "CREATE TABLE upserts (id int PRIMARY KEY, data text); INSERT INTO upserts VALUES (1, 'a'); " +
			"INSERT INTO upserts VALUES (1, 'b') ON CONFLICT (id) DO UPDATE SET data = excluded.data; SELECT data FROM upserts", "b"},
		{"window functions", "SELECT row_number() OVER (PARTITION BY 1 ORDER BY 1)", "1"},
		{"subqueries", "SELECT a FROM (SELECT 1 AS a) AS s WHERE a = (SELECT 1)", "1"},
	}},
	{"procedures", 15, []feature{
		{"procedures", "CREATE TABLE called (a int); CREATE PROCEDURE call_it() LANGUAGE SQL AS $$ INSERT INTO called VALUES (7) $$; " +
			"CALL call_it(); SELECT a FROM called", "7"},
		{"functions", "CREATE FUNCTION seven() RETURNS int LANGUAGE SQL AS $$ SELECT 7 $$; SELECT seven()", "7"},
		{"triggers", "CREATE TABLE watched (id int); CREATE FUNCTION adds_one() RETURNS trigger LANGUAGE plpgsql AS " +
			"$$ BEGIN NEW.id := NEW.id + 1; RETURN NEW; END $$; CREATE TRIGGER t BEFORE INSERT ON watched FOR EACH ROW " +
			"EXECUTE FUNCTION adds_one(); INSERT INTO watched VALUES (1); SELECT id FROM watched", "2"},
	}},
	{"transactions", 15, []feature{
		{"atomicity", "BEGIN; CREATE TABLE atoms (a int); INSERT INTO atoms VALUES (1); ROLLBACK; SELECT to_regclass('atoms') IS NULL", "true"},
		{"isolation levels", "BEGIN; SET TRANSACTION ISOLATION LEVEL SERIALIZABLE; SHOW transaction_isolation; COMMIT; " +
			"BEGIN; SET TRANSACTION ISOLATION LEVEL READ COMMITTED; COMMIT", ""},
		{"savepoints", "BEGIN; CREATE TABLE saved (a int); SAVEPOINT s; INSERT INTO saved VALUES (1); ROLLBACK TO SAVEPOINT s; " +
			"RELEASE SAVEPOINT s; SELECT count(*) FROM saved", "0"},
		{"row locks", "CREATE TABLE locked (a int); INSERT INTO locked VALUES (3); SELECT a FROM locked FOR UPDATE", "3"},
	}},
	{"extensions", 15, []feature{
		{"extensions", "CREATE EXTENSION IF NOT EXISTS pg_trgm; SELECT similarity('abc', 'abc')", "1"},
		{"foreign data wrappers", "CREATE EXTENSION IF NOT EXISTS postgres_fdw; CREATE SERVER other FOREIGN DATA WRAPPER postgres_fdw", ""},
	}},
	{"performance", 5, []feature{
		{"kinds of indexes", "CREATE TABLE indexed (id int, data jsonb, content tsvector); CREATE INDEX ON indexed USING btree (id); " +
			"CREATE INDEX ON indexed USING gin (data); CREATE INDEX ON indexed USING gist (content); CREATE INDEX ON indexed USING hash (id)", ""},
		{"partitions", "CREATE TABLE parts (id int) PARTITION BY RANGE (id); CREATE TABLE parts1 PARTITION OF parts FOR VALUES FROM (1) TO (100); " +
			"CREATE TABLE parts2 PARTITION OF parts FOR VALUES FROM (101) TO (200); INSERT INTO parts VALUES (150); " +
			"SELECT tableoid::regclass::text FROM parts WHERE id = 150", "parts2"},
		{"parallel queries", "SET max_parallel_workers = 4; SET max_parallel_workers_per_gather = 4; " +
			"SELECT count(*) FROM generate_series(1, 100000)", "100000"},
	}},
	{"constraints", 10, []feature{
		{"foreign keys", "CREATE TABLE parents (id int PRIMARY KEY); CREATE TABLE children (id int REFERENCES parents ON DELETE CASCADE); " +
			"INSERT INTO parents VALUES (1); INSERT INTO children VALUES (1); DELETE FROM parents; SELECT count(*) FROM children", "0"},
		{"checks", "CREATE TABLE checked (id int CHECK (id > 0))", ""},
		{"not null", "CREATE TABLE filled (id int NOT NULL)", ""},
		{"unique", "CREATE TABLE single (id int UNIQUE)", ""},
		{"exclusion", "CREATE EXTENSION IF NOT EXISTS btree_gist; CREATE TABLE excluding (id int, at tstzrange, EXCLUDE USING gist " +
			"(id WITH =, at WITH &&))", ""},
	}},
	{"security", 5, []feature{
		{"roles", "CREATE ROLE visitor; DROP ROLE visitor", ""},
		{"privileges", "CREATE TABLE granted (id int); GRANT SELECT ON granted TO PUBLIC; SELECT has_table_privilege('public', 'granted', 'SELECT')", "true"},
		{"row security", "CREATE TABLE hidden (id int); ALTER TABLE hidden ENABLE ROW LEVEL SECURITY; " +
			"CREATE POLICY odd ON hidden USING (id % 2 = 1); SELECT count(*) FROM pg_policies WHERE tablename = 'hidden'", "1"},
	}},
	{"notifications", 5, []feature{
		{"LISTEN and NOTIFY", "LISTEN news; COMMIT; NOTIFY news, 'a'; SELECT pg_listening_channels()", "news"},
		{"event triggers", "CREATE FUNCTION looks() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN END $$; " +
			"CREATE EVENT TRIGGER looking ON ddl_command_end EXECUTE FUNCTION looks(); DROP EVENT TRIGGER looking", ""},
	}},
	{"other", 5, []feature{
		{"temporary tables", "CREATE TEMP TABLE passing (a int); INSERT INTO passing VALUES (1); SELECT a FROM passing", "1"},
		{"statistics", "SELECT count(*) FROM pg_stat_activity WHERE pid = pg_backend_pid()", "1"},
	}},
}

// TestFeatures tries each feature here, and wants docs/features.md to say which of them work.
func TestFeatures(t *testing.T) {
	s := openDB(t, inMemory)
	testpage.Check(t, featuresPage, tryFeatures(t, s.url()), *writePage)
}

// TestFeaturesOfPostgres tries those that need no program that PostgreSQL's packages have not: they must work there.
func TestFeaturesOfPostgres(t *testing.T) {
	page := tryFeatures(t, "postgres://postgres@"+pglocal.Start(t)+"/postgres?sslmode=disable")
	for line := range strings.Lines(page) {
		if strings.Contains(line, "| no |") && !strings.Contains(line, "extension") {
			t.Error(line)
		}
	}
}

// tryFeatures makes a page of what works. Each feature has a session of its own.
func tryFeatures(t *testing.T, url string) string {
	t.Helper()
	var rows strings.Builder
	var score, weights float64
	for _, g := range features {
		works := 0
		for _, f := range g.features {
			reason := tryFeature(t, url, f)
			answer := "yes"
			if reason == "" {
				works++
			} else {
				answer = "no"
			}
			fmt.Fprintf(&rows, "| %s | %s | %s | %s |\n", g.name, f.name, answer, tableCell(reason))
		}
		score += g.weight * float64(works) / float64(len(g.features))
		weights += g.weight
	}
	return fmt.Sprintf("# Features\n\nThe features of PostgreSQL that the PostgreSQL Compatibility Index lists, in its groups and with their "+
		"weights, tried by statements of our own.\nReplication and tools are left out. `go test ./e2e -run TestFeatures -write-page` makes "+
		"this page, and a test holds it against the code.\n\n**%.1f of 100.**\n\n| group | feature | works | why not |\n|---|---|---|---|\n%s",
		100*score/weights, rows.String())
}

// tryFeature is why a feature does not work, empty if it does.
func tryFeature(t *testing.T, url string, f feature) string {
	t.Helper()
	c, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close(t.Context()) }()
	results, err := c.PgConn().Exec(t.Context(), f.statements).ReadAll()
	if err != nil {
		_, message, _ := strings.Cut(err.Error(), "ERROR: ")
		return message
	}
	if last := results[len(results)-1].Rows; f.want != "" && (len(last) != 1 || !sameText(string(last[0][0]), f.want)) {
		return fmt.Sprintf("the answer is %q, not %q", last, f.want)
	}
	return ""
}

// sameText compares a value with what is wanted, where true is t.
func sameText(got, want string) bool { return got == want || want == "true" && got == "t" }

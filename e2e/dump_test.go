package e2e

import (
	"net"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// dumped is a schema of partitioned tables with all that pg_dump writes of them.
const dumped = `CREATE TABLE visits (id serial, at date NOT NULL, page text DEFAULT 'home' CHECK (page <> ''), n int NOT NULL,
		PRIMARY KEY (at, id), UNIQUE (n, at)) PARTITION BY RANGE (at);
	CREATE TABLE visits_1 PARTITION OF visits FOR VALUES FROM ('2024-01-01') TO ('2024-02-01');
	CREATE TABLE a_visits PARTITION OF visits FOR VALUES FROM ('2024-02-01') TO (MAXVALUE);
	CREATE TABLE visits_others PARTITION OF visits DEFAULT;
	CREATE INDEX visits_page ON visits (page, n DESC) INCLUDE (id) WHERE n > 2;
	CREATE INDEX visits_1_n ON visits_1 (n);
	ALTER TABLE visits_1 ALTER page SET DEFAULT 'old';
	COMMENT ON TABLE visits IS 'by month';
	INSERT INTO visits (at, page, n) VALUES ('2024-01-05', 'a', 1), ('2024-02-05', 'b', 2), ('2025-02-05', 'c', 3),
		('2023-02-05', 'd', 4), ('2024-01-31', 'e', 5);
	CREATE TABLE letters (a text, b int) PARTITION BY RANGE (a);
	CREATE TABLE letters_1 PARTITION OF letters FOR VALUES FROM ('a') TO ('m');
	CREATE TABLE letters_2 PARTITION OF letters FOR VALUES FROM ('m') TO ('z');
	ALTER TABLE letters_2 ADD PRIMARY KEY (b);
	INSERT INTO letters VALUES ('c', 1), ('c', 1), ('q', 1), ('r', 2);
	CREATE TABLE detached (id int PRIMARY KEY, at date NOT NULL);
	CREATE TABLE by_month (at timestamp, id int, PRIMARY KEY (at, id)) PARTITION BY RANGE (at)
		WITH (partition_interval = '1 month', partition_ahead = 3, cold_after = '1 year');
	CREATE TABLE by_month_old PARTITION OF by_month FOR VALUES FROM (MINVALUE) TO ('2026-01-01');
	CREATE INDEX ON by_month (id);
	INSERT INTO by_month VALUES (now(), 1), (now() + '1 month', 2), ('2020-01-01', 3);
	CREATE TABLE empty (id int, at date NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)`

// restricts are the lines with which pg_dump keeps what it writes from being read as commands of psql: each has a word
// drawn at random.
var restricts = regexp.MustCompile(`(?m)^\\(un)?restrict .*\n`)

// TestDumpOfPartitions dumps partitioned tables with pg_dump and restores them with psql: the copy has the same rows,
// keys and indexes, and is dumped as the same text.
func TestDumpOfPartitions(t *testing.T) {
	restored(t, dumped, []string{
		"SELECT * FROM visits ORDER BY id", "SELECT * FROM visits_1 WHERE n > 1", "SELECT id, n FROM a_visits WHERE page = 'b'",
		"INSERT INTO visits (at, page, n) VALUES ('2024-01-06', 'f', 6), ('2022-01-06', 'g', 7) RETURNING *",
		"INSERT INTO visits (at, page, n) VALUES ('2024-01-06', 'f', 6) ON CONFLICT (at, n) DO UPDATE SET page = 'z' RETURNING *",
		"INSERT INTO visits (at, id, n) VALUES ('2024-01-05', 1, 9) ON CONFLICT (at, id) DO NOTHING RETURNING *",
		"SELECT id FROM by_month ORDER BY 1", "INSERT INTO letters VALUES ('q', 1)", "SELECT * FROM letters ORDER BY a, b", "DELETE FROM letters RETURNING *",
		"SELECT c.relname, indexrelid::regclass::text, indisvalid, indisunique FROM pg_index JOIN pg_class c ON c.oid = indrelid " +
			"WHERE c.relnamespace = 'public'::regnamespace ORDER BY 1, 2",
	})
}

// TestDumpOfKeys does so with keys of all designs: a dump names only the columns of primary keys, and gives them to
// tables that have their rows.
func TestDumpOfKeys(t *testing.T) {
	restored(t, dumpedKeys, []string{
		"SELECT indexname, regexp_replace(layout, '''[0-9]+''', 'marker', 'g') FROM zproxy.indexes ORDER BY 1",
		"SELECT * FROM singers JOIN albums USING (singerid) ORDER BY 1, 3", "SELECT * FROM songs ORDER BY 1, 2, 3",
		"DELETE FROM singers WHERE singerid = 2", "INSERT INTO albums VALUES (2, 1, 'x')", "SELECT count(*) FROM albums",
		"SELECT * FROM boxes WHERE x < 3 ORDER BY x, y", "SELECT * FROM days ORDER BY n", "SELECT count(*) FROM heavy WHERE a = 7",
		"SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'fans'::regclass ORDER BY 1",
		"SELECT * FROM fans ORDER BY id",
	})
}

// dumpedKeys is a schema of tables with keys of all designs.
const dumpedKeys = `CREATE TABLE singers (singerid int8 PRIMARY KEY, name text);
	CREATE TABLE albums (singerid int8, albumid int8, title text, PRIMARY KEY (singerid, albumid DESC))
		WITH (interleave_in = 'singers', interleave_on_delete = 'cascade');
	CREATE TABLE songs (singerid int8, albumid int8, songid int8, PRIMARY KEY (singerid, albumid DESC, songid))
		WITH (interleave_in = 'albums', interleave_on_delete = 'cascade');
	CREATE INDEX albums_title ON albums (singerid, title) WITH (interleave_in = 'singers');
	INSERT INTO singers SELECT n, 's' || n FROM generate_series(1, 5) AS n;
	INSERT INTO albums SELECT n, m, 'a' || m FROM generate_series(1, 5) AS n, generate_series(1, 4) AS m;
	INSERT INTO songs SELECT n, 2, m FROM generate_series(1, 5) AS n, generate_series(1, 4) AS m;
	CREATE TABLE "Descending" (a int, "b DESC" int, PRIMARY KEY (a, "b DESC" DESC));
	CREATE TABLE boxes (x int, y int, t text, PRIMARY KEY USING zorder (x zorder_ops (bits = 8, map = 'raw'),
		y zorder_ops (map = 'raw'), t zorder_ops (bytes = 20, map = 'raw'))) WITH (shards = 4);
	INSERT INTO boxes SELECT n, n * 7 % 10, 't' || n FROM generate_series(1, 10) AS n;
	CREATE TABLE plain_boxes (x int, y int, PRIMARY KEY USING zorder (x, y));
	CREATE TABLE kinds (a int, x int, y int, PRIMARY KEY USING zorder (a, x zorder_ops (bits = 4), y)) PARTITION BY HASH (a);
	CREATE TABLE days (a int, at timestamp, n int8, x numeric, PRIMARY KEY (a, at, n DESC, x))
		PARTITION BY HASH (a, date_trunc('day', at), bucket(n, 100), bucket(x, 0.5));
	INSERT INTO days SELECT 1, timestamp '2024-01-01' + n * interval '9 hours', n, n FROM generate_series(1, 9) AS n;
	CREATE TABLE texts (a int, b text, c int, PRIMARY KEY (a, b, c DESC)) WITH (partition_key = '{a:06},{b}');
	CREATE TABLE heavy (a int, b int, PRIMARY KEY (a, b)) WITH (heavy_keys = '{"7": 16}');
	INSERT INTO heavy SELECT 6 + n % 2, n FROM generate_series(1, 30) AS n;
	CREATE TABLE fans (id int8 PRIMARY KEY, of int8 REFERENCES singers NOT ENFORCED CHECK (of > 7) NOT ENFORCED);
	INSERT INTO fans VALUES (1, 2), (2, 6)`

// restored dumps a schema with pg_dump and restores it with psql: the copy answers queries as what was dumped does, and
// is dumped as the same text.
func restored(t *testing.T, schema string, queries []string) {
	if _, err := exec.LookPath("pg_dump"); err != nil {
		t.Skipf("pg_dump is not run: %v", err)
	}
	for _, k := range []kind{onPebble, onFake} {
		t.Run(k.name, func(t *testing.T) {
			from, to := openDB(t, k), openDB(t, k)
			c, copied := from.connect(t), to.connect(t)
			must(t, c, strings.Split(schema, ";\n")...)
			text := tool(t, from.address, "", "pg_dump")
			tool(t, to.address, text, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-")
			if again := tool(t, to.address, "", "pg_dump"); again != text {
				t.Errorf("dumped:\n%s\nand restored:\n%s", text, again)
			}
			for _, query := range queries {
				want, got := spoken(t.Context(), c.PgConn(), query), spoken(t.Context(), copied.PgConn(), query)
				if got != want {
					t.Errorf("%s: %s, of what was dumped %s", query, got, want)
				}
			}
		})
	}
}

// tool runs a program of PostgreSQL's on a database of a server, and gives what it prints.
func tool(t *testing.T, address, input, name string, args ...string) string {
	t.Helper()
	return clientOf(t, address, input, name, append([]string{"-d", "postgres"}, args...)...)
}

// clientOf runs a program of PostgreSQL's on a server, and gives what it prints.
func clientOf(t *testing.T, address, input, name string, args ...string) string {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{"-h", host, "-p", port, "-U", "postgres"}, args...)
	command := exec.CommandContext(t.Context(), name, args...)
	command.Stdin = strings.NewReader(input)
	var failed strings.Builder
	command.Stderr = &failed
	out, err := command.Output()
	if err != nil || strings.Contains(failed.String(), "dependency loop") {
		t.Fatalf("%s: %v: %s", name, err, failed.String())
	}
	return restricts.ReplaceAllString(string(out), "")
}

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
	CREATE TABLE empty (id int, at date NOT NULL, PRIMARY KEY (id, at)) PARTITION BY RANGE (at)`

// restricts are the lines with which pg_dump keeps what it writes from being read as commands of psql: each has a word
// drawn at random.
var restricts = regexp.MustCompile(`(?m)^\\(un)?restrict .*\n`)

// TestDumpOfPartitions dumps partitioned tables with pg_dump and restores them with psql: the copy has the same rows,
// keys and indexes, and is dumped as the same text.
func TestDumpOfPartitions(t *testing.T) {
	if _, err := exec.LookPath("pg_dump"); err != nil {
		t.Skipf("pg_dump is not run: %v", err)
	}
	for _, k := range []kind{onPebble, onFake} {
		t.Run(k.name, func(t *testing.T) {
			from, to := openDB(t, k), openDB(t, k)
			c, copied := from.connect(t), to.connect(t)
			must(t, c, dumped)
			text := tool(t, from.address, "", "pg_dump")
			tool(t, to.address, text, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", "-")
			if again := tool(t, to.address, "", "pg_dump"); again != text {
				t.Errorf("dumped:\n%s\nand restored:\n%s", text, again)
			}
			for _, query := range []string{
				"SELECT * FROM visits ORDER BY id", "SELECT * FROM visits_1 WHERE n > 1", "SELECT id, n FROM a_visits WHERE page = 'b'",
				"INSERT INTO visits (at, page, n) VALUES ('2024-01-06', 'f', 6), ('2022-01-06', 'g', 7) RETURNING *",
				"INSERT INTO visits (at, page, n) VALUES ('2024-01-06', 'f', 6) ON CONFLICT (at, n) DO UPDATE SET page = 'z' RETURNING *",
				"INSERT INTO visits (at, id, n) VALUES ('2024-01-05', 1, 9) ON CONFLICT (at, id) DO NOTHING RETURNING *",
				"INSERT INTO letters VALUES ('q', 1)", "SELECT * FROM letters ORDER BY a, b", "DELETE FROM letters RETURNING *",
				"SELECT c.relname, indexrelid::regclass::text, indisvalid, indisunique FROM pg_index JOIN pg_class c ON c.oid = indrelid " +
					"WHERE c.relnamespace = 'public'::regnamespace ORDER BY 1, 2",
			} {
				want, got := spoken(t.Context(), c.PgConn(), query), spoken(t.Context(), copied.PgConn(), query)
				if got != want {
					t.Errorf("%s: %s, of what was dumped %s", query, got, want)
				}
			}
		})
	}
}

// tool runs a program of PostgreSQL's on a server, and gives what it prints.
func tool(t *testing.T, address, input, name string, args ...string) string {
	t.Helper()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	args = append([]string{"-h", host, "-p", port, "-U", "postgres", "-d", "postgres"}, args...)
	command := exec.CommandContext(t.Context(), name, args...)
	command.Stdin = strings.NewReader(input)
	var failed strings.Builder
	command.Stderr = &failed
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, failed.String())
	}
	return restricts.ReplaceAllString(string(out), "")
}

package e2e

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"
)

var smithQueries = flag.Int("sqlsmith", 0, "how many queries TestSQLsmith makes; 0 leaves it out")

// TestSQLsmith lets SQLsmith, which learns tables, types, operators and functions from the catalogs, make
// queries of all that it finds. None may meet a bug, by the server's own account, or end its connection.
func TestSQLsmith(t *testing.T) {
	if *smithQueries == 0 {
		t.Skip("make sqlsmith runs it")
	}
	path, err := exec.LookPath("sqlsmith")
	if err != nil {
		t.Skipf("install sqlsmith: %v", err)
	}
	s := openDB(t, inMemory)
	must(t, s.connect(t), smithTables...)
	host, port, err := net.SplitHostPort(s.address)
	if err != nil {
		t.Fatal(err)
	}
	target := fmt.Sprintf("host=%s port=%s dbname=postgres user=postgres options='-c statement_timeout=5s'", host, port)
	for _, seed := range seeds(t, 1) {
		ctx, cancel := context.WithTimeout(t.Context(),
			10*time.Minute+time.Duration(*smithQueries)*100*time.Millisecond)
		defer cancel()
		out, err := exec.CommandContext(ctx, path, "--target="+target, fmt.Sprintf("--max-queries=%d", *smithQueries),
			fmt.Sprintf("--seed=%d", seed)).CombinedOutput()
		if text := string(out); err != nil || strings.Contains(text, "server closed") ||
			strings.Contains(text, "internal error") {
			t.Errorf("seed %d: %v\n%s", seed, err, text[max(0, len(text)-4000):])
		}
	}
}

// smithTables have columns of many types, and rows.
var smithTables = []string{
	"CREATE TABLE st1 (id int PRIMARY KEY, a int, b text, c numeric, d timestamptz, e jsonb, f int[])",
	"CREATE INDEX st1_a ON st1 (a, b)",
	"CREATE TABLE st2 (id bigint PRIMARY KEY, st1_id int, x float8, y date, z uuid, i interval, o bytea)",
	"CREATE VIEW sv AS SELECT a, count(*) AS n FROM st1 GROUP BY a",
	`INSERT INTO st1 SELECT g, g % 7, 't' || g, g / 3.0, '2024-01-01'::timestamptz + g * interval '1 hour',
		jsonb_build_object('k', g), ARRAY[g, g + 1] FROM generate_series(1, 50) g`,
	"INSERT INTO st2 SELECT g, g % 50, g / 7.0, '2024-01-01'::date + g FROM generate_series(1, 60) g",
}

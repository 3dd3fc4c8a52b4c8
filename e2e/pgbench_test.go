package e2e

import (
	"context"
	"errors"
	"flag"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

var pgbenchScale = flag.Int("pgbench", 0, "at which scale TestPgbench fills its tables; 0 leaves it out")

// TestPgbench lets pgbench fill its tables on DynamoDB's stand-ins, all accounts by one transaction, and run its
// transaction like TPC-B's. The sums agree in the end, and so do the indexes.
func TestPgbench(t *testing.T) {
	if *pgbenchScale == 0 {
		t.Skip("only with -pgbench: it takes long")
	}
	for _, k := range []kind{onFake, onDynamoDB} {
		t.Run(k.name, func(t *testing.T) {
			s := openDB(t, k)
			pgbench := func(args ...string) (string, error) { return runPgbench(t, s.address, args...) }
			began := time.Now()
			if out, err := pgbench("-i", "-q", "-I", "dtg", "-s", strconv.Itoa(*pgbenchScale)); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("filled in %v", time.Since(began).Round(time.Second))
			// The emulator answers no scan in time while hundreds of thousands of intents are made real.
			for end := time.Now().Add(time.Hour); ; {
				out, err := pgbench("-i", "-q", "-I", "vp")
				if err == nil {
					break
				}
				if time.Now().After(end) {
					t.Fatalf("%v\n%s", err, out)
				}
				time.Sleep(10 * time.Second)
			}
			t.Logf("with primary keys after %v", time.Since(began).Round(time.Second))
			out, err := pgbench("-c", "4", "-j", "2", "-T", "30", "--max-tries", "100")
			if err != nil || strings.Contains(out, "aborted") {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Log(out)
			got := texts(t, s.connect(t), `SELECT count(*)::text FROM pgbench_accounts UNION ALL
				SELECT ((SELECT sum(abalance) FROM pgbench_accounts) - sum(delta))::text FROM pgbench_history UNION ALL
				SELECT ((SELECT sum(tbalance) FROM pgbench_tellers) - sum(delta))::text FROM pgbench_history UNION ALL
				SELECT ((SELECT sum(bbalance) FROM pgbench_branches) - sum(delta))::text FROM pgbench_history`)
			if want := []string{strconv.Itoa(100_000 * *pgbenchScale), "0", "0", "0"}; !slices.Equal(got, want) {
				t.Errorf("accounts and differences of the sums: %v, want %v", got, want)
			}
		})
	}
}

// runPgbench runs PostgreSQL's program against a server.
func runPgbench(t *testing.T, address string, args ...string) (string, error) {
	t.Helper()
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	if len(found) == 0 {
		t.Skip("there is no pgbench")
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), time.Hour)
	defer stop()
	cmd := exec.CommandContext(ctx, found[len(found)-1], args...)
	cmd.Env = append(os.Environ(), "PGHOST="+host, "PGPORT="+port, "PGUSER=postgres", "PGDATABASE=postgres")
	out, err := cmd.CombinedOutput()
	return string(out), errors.Join(err, ctx.Err())
}

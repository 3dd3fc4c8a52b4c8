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

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

var pgbenchScale = flag.Int("pgbench", 0, "at which scale TestPgbench fills its tables; 0 leaves it out")

// TestPgbench lets pgbench fill its tables on DynamoDB's stand-ins, all accounts by one transaction, and run its
// transaction like TPC-B's. The sums agree in the end, and so do the indexes.
func TestPgbench(t *testing.T) {
	if *pgbenchScale == 0 {
		t.Skip("only with -pgbench: it takes long")
	}
	onRemotes(t, "pgbench", func(t *testing.T, s *server, client *dynamodb.Client) {
		pgbench := func(args ...string) string {
			t.Helper()
			out, err := runPgbench(t, s.address, args...)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			return out
		}
		began := time.Now()
		since := func() time.Duration { return time.Since(began).Round(time.Second) }
		pgbench("-i", "-q", "-I", "dtg", "-s", strconv.Itoa(*pgbenchScale))
		t.Logf("filled in %v", since())
		// Scans of such a table keep the emulator from all else for minutes.
		awaitRecords(t, client, "pgbench.transactions")
		t.Logf("without intents after %v", since())
		pgbench("-i", "-q", "-I", "vp")
		t.Logf("with primary keys after %v", since())
		out := pgbench("-c", "4", "-j", "2", "-T", "30", "--max-tries", "100")
		if strings.Contains(out, "aborted") {
			t.Fatal(out)
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

// awaitRecords waits until no large transaction is left that is still to be made real.
func awaitRecords(t *testing.T, client *dynamodb.Client, table string) {
	t.Helper()
	for end := time.Now().Add(time.Hour); time.Now().Before(end); time.Sleep(5 * time.Second) {
		out, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: &table, Limit: aws.Int32(1)})
		var none *ddb.ResourceNotFoundException
		if errors.As(err, &none) || err == nil && out.Count == 0 {
			return
		}
	}
	t.Fatal("a transaction is not made real")
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

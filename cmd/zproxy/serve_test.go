package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"zproxy/store/pebblestore"
)

// newProgram is a program that prints to w and has an empty environment.
func newProgram(w io.Writer) *program {
	return &program{out: w, err: w, env: func(string) (string, bool) { return "", false }}
}

// dsn waits for the ready line and returns where to connect. What follows is read and
// dropped.
func dsn(t *testing.T, out io.Reader) string {
	t.Helper()
	lines := bufio.NewScanner(out)
	var seen []string
	for lines.Scan() {
		var host, port string
		seen = append(seen, lines.Text())
		if n, _ := fmt.Sscanf(lines.Text(), "zproxy is ready; connect with: psql -h %s -p %s", &host, &port); n == 2 {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return fmt.Sprintf("postgres://you@%s:%s/postgres?sslmode=disable", host, port)
		}
	}
	t.Fatalf("no ready line in:\n%s", strings.Join(seen, "\n"))
	return ""
}

// running starts a command in this process and connects to it. The returned function
// ends it as a signal would, and wants the exit code 0.
func running(t *testing.T, args ...string) (*pgx.Conn, func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- newProgram(out).run(ctx, args)
		_ = out.Close()
	}()
	conn := dial(t, dsn(t, in))
	return conn, func() {
		t.Helper()
		cancel()
		if c := <-code; c != 0 {
			t.Errorf("%s: exit code %d", args, c)
		}
	}
}

func dial(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(context.Background(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func exec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(context.Background(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// numbers are the integers that a query returns.
func numbers(t *testing.T, conn *pgx.Conn, sql string) []int64 {
	t.Helper()
	rows, err := conn.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	out, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return out
}

// TestServeKeepsRows ends a server and reads its rows from the next one.
func TestServeKeepsRows(t *testing.T) {
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", t.TempDir() + "/made/here", "--log-level", "error"}
	conn, stop := running(t, args...)
	exec(t, conn, "CREATE TABLE t (id bigint PRIMARY KEY, v text)")
	exec(t, conn, "INSERT INTO t VALUES (1, 'a'), (2, 'b')")
	stop()

	conn, stop = running(t, args...)
	defer stop()
	if got := numbers(t, conn, "SELECT id FROM t ORDER BY id"); len(got) != 2 || got[1] != 2 {
		t.Errorf("rows %v", got)
	}
}

// TestServeMemory needs no folder.
func TestServeMemory(t *testing.T) {
	conn, stop := running(t, "--listen", "127.0.0.1:0", "--store", "memory")
	defer stop()
	if got := numbers(t, conn, "SELECT 1::bigint"); len(got) != 1 || got[0] != 1 {
		t.Errorf("got %v", got)
	}
}

// TestDemo runs the demo on few rows and asks it one question more.
func TestDemo(t *testing.T) {
	const rows = 3000
	conn, stop := running(t, "demo", "--listen", "127.0.0.1:0", "--rows", fmt.Sprint(rows), "--log-level", "error")
	defer stop()
	if got := numbers(t, conn, "SELECT count(*) FROM cities"); len(got) != 1 || got[0] != rows {
		t.Errorf("%d rows, want %d", got, rows)
	}
}

// TestShowStore wants to see where the store is, and no way to move it.
func TestShowStore(t *testing.T) {
	endpoint := fakeEndpoint(t)
	t.Setenv("AWS_REGION", "eu-north-1")
	for _, c := range []struct{ settings, store, region, endpoint, prefix string }{
		{"--store memory", "memory", "", "", ""},
		{"--store dynamodb --table-prefix shop --region eu-west-1 --endpoint " + endpoint, "dynamodb", "eu-west-1", endpoint, "shop"},
		{"--store dynamodb --endpoint " + endpoint, "dynamodb", "eu-north-1", endpoint, "zproxy"},
	} {
		conn, stop := running(t, append([]string{"serve", "--listen", "127.0.0.1:0", "--log-level", "error"},
			strings.Fields(c.settings)...)...)
		for name, want := range map[string]string{
			"zproxy.store": c.store, "zproxy.region": c.region, "zproxy.endpoint": c.endpoint, "zproxy.table_prefix": c.prefix,
		} {
			var shown, setting string
			if err := conn.QueryRow(t.Context(), "SHOW "+name).Scan(&shown); err != nil || shown != want {
				t.Errorf("%s: %s is %q (%v), want %q", c.settings, name, shown, err, want)
			}
			if err := conn.QueryRow(t.Context(),
				"SELECT setting FROM pg_settings WHERE name = $1 AND context = 'internal'", name).Scan(&setting); err != nil || setting != want {
				t.Errorf("%s: pg_settings has %s as %q (%v), want %q", c.settings, name, setting, err, want)
			}
			if _, err := conn.Exec(t.Context(), "SET "+name+" = 'x'"); err == nil ||
				!strings.Contains(err.Error(), "55P02") {
				t.Errorf("%s: SET %s ends with %v", c.settings, name, err)
			}
		}
		stop()
	}
}

// TestStartsNowhere wants to be told what to do where there is no DynamoDB.
func TestStartsNowhere(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	var out strings.Builder
	code := newProgram(&out).run(t.Context(), []string{"serve", "--listen", "127.0.0.1:0", "--log-level", "error",
		"--store", "dynamodb", "--endpoint", other.URL})
	if want := "zproxy serve: dynamodb: no DynamoDB answers at " + other.URL +
		", which --region and --endpoint choose: "; code != exitFailed || !strings.HasPrefix(out.String(), want) {
		t.Errorf("exit code %d: %s", code, out.String())
	}
}

// TestFolderOfOthers refuses a folder that others may look into, and says what to do.
func TestFolderOfOthers(t *testing.T) {
	folder := t.TempDir()
	st, err := pebblestore.Open(folder, pebblestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(st.Close(), os.Chmod(folder, 0o755)); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"serve", "check"} {
		var out strings.Builder
		code := newProgram(&out).run(t.Context(), []string{command, "--data", folder})
		if code != exitFailed || !strings.Contains(out.String(),
			"has invalid permissions\nHINT:  Permissions should be u=rwx (0700): chmod 700 "+folder) {
			t.Errorf("%s: exit code %d: %s", command, code, &out)
		}
	}
}

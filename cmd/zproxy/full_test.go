package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	osexec "os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"zproxy/store"
	"zproxy/store/memstore"
)

// wantCode wants a statement to end with an SQLSTATE, and gives the error.
func wantCode(t *testing.T, conn *pgx.Conn, sql, code string) *pgconn.PgError {
	t.Helper()
	_, err := conn.Exec(context.Background(), sql)
	var e *pgconn.PgError
	if code == "" && err == nil {
		return nil
	}
	if !errors.As(err, &e) || e.Code != code {
		t.Errorf("%s: %v, want %q", sql, err, code)
	}
	return e
}

// TestMinFreeDisk refuses what takes room, and nothing else, when less is free than there should be.
func TestMinFreeDisk(t *testing.T) {
	args := []string{"serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--data", t.TempDir()}
	conn, stop := running(t, args...)
	exec(t, conn, "CREATE TABLE t (id int PRIMARY KEY, a text); CREATE INDEX ON t (a); CREATE TABLE empty (id int PRIMARY KEY); INSERT INTO t VALUES (1, 'a'), (2, 'b')")
	stop()
	conn, stop = running(t, append(args, "--min-free-disk", "2000000000", "--http", "127.0.0.1:0")...)
	defer stop()
	for _, sql := range []string{
		"INSERT INTO t VALUES (3, 'c')", "UPDATE t SET a = 'x'",
		"INSERT INTO t VALUES (2, 'x') ON CONFLICT (id) DO UPDATE SET a = 'x'", "CREATE INDEX ON t (a)",
		"INSERT INTO t SELECT i FROM generate_series(10, 2000) i", "CREATE TABLE v AS SELECT * FROM t",
		"REINDEX TABLE t", "INSERT INTO empty VALUES (1)",
	} {
		if e := wantCode(t, conn, sql, "53100"); e != nil && !strings.Contains(e.Message, "no space is left in") {
			t.Errorf("%s: %s", sql, e.Message)
		}
	}
	if _, err := conn.CopyFrom(context.Background(), pgx.Identifier{"t"}, []string{"id"},
		pgx.CopyFromRows([][]any{{7}})); err == nil || !strings.Contains(err.Error(), "53100") {
		t.Errorf("COPY: %v", err)
	}
	var address string
	if err := conn.QueryRow(t.Context(), "SHOW zproxy.http").Scan(&address); err != nil {
		t.Fatal(err)
	}
	if r, err := http.Get("http://" + address + "/readyz"); err != nil || r.StatusCode != 503 {
		t.Errorf("/readyz: %v, %v", r, err)
	}
	for _, sql := range []string{"DELETE FROM t WHERE id = 1", "TRUNCATE empty", "ALTER TABLE empty ADD COLUMN b int",
		"DROP TABLE empty", "DROP INDEX t_a_idx", "CREATE ROLE r"} {
		wantCode(t, conn, sql, "")
	}
	if got := numbers(t, conn, "SELECT id::bigint FROM t"); len(got) != 1 || got[0] != 2 {
		t.Errorf("rows %v", got)
	}
	wantCode(t, conn, "TRUNCATE t", "")
	wantCode(t, conn, "DROP TABLE t", "")
}

// TestTemporaryFull fills the disk of temporary files, in each way to need one: the statement ends, the session
// does not.
func TestTemporaryFull(t *testing.T) {
	folder := t.TempDir()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, "size=256k"); err != nil {
		t.Skipf("no disk of its own can be mounted: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(folder, 0) })
	conn, stop := running(t, "serve", "--listen", "127.0.0.1:0", "--log-level", "error", "--store", "memory",
		"--temp-dir", folder)
	defer stop()
	exec(t, conn, "SET work_mem = '64kB'")
	for _, sql := range []string{
		"SELECT md5(i::text) FROM generate_series(1, 50000) i ORDER BY 1",
		"SELECT count(*) FROM generate_series(1, 50000) a JOIN generate_series(1, 50000) b ON md5(a::text) = md5(b::text)",
		"SELECT i, j, count(*) FROM (SELECT md5(i::text) i, i j FROM generate_series(1, 50000) i) r GROUP BY CUBE (i, j)",
		"SELECT lead(i) OVER () FROM generate_series(1, 200000) i",
	} {
		if e := wantCode(t, conn, sql, "53100"); e != nil &&
			!strings.Contains(e.Message, "temporary file: no space left on device") {
			t.Errorf("%s: %s", sql, e.Message)
		}
		if got := numbers(t, conn, "SELECT 1::bigint"); len(got) != 1 {
			t.Errorf("behind %s: %v", sql, got)
		}
	}
}

// fileLimit in the environment of asProgram is how long a file may become.
const fileLimit = "ZPROXY_TEST_FILE_LIMIT"

// TestFailedWrite lets a server meet an error when it writes. It ends at once by itself, with one line and exit
// code 1, and the next one has all rows that were acknowledged.
func TestFailedWrite(t *testing.T) {
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--log-level", "error"}
	cmd := osexec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=yes", fileLimit+"=1000000")
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	at := dsn(t, out)
	conn := dial(t, at)
	exec(t, conn, "CREATE TABLE t (id bigint PRIMARY KEY, a bigint, b bigint)")
	exec(t, conn, "CREATE INDEX t_a ON t (a)")
	exec(t, conn, "CREATE INDEX t_z ON t USING zorder (a, b)")
	ended := make(chan error, 1)
	known := map[int64]bool{}
	for _, id := range underLoad(t, at, 4, 0, func(int) {}) {
		known[id] = true
	}
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatalf("the process hangs: %s", &log)
	}
	if code := cmd.ProcessState.ExitCode(); code != exitFailed {
		t.Errorf("exit code %d", code)
	}
	if lines := strings.Count(log.String(), "\n"); lines != 1 ||
		!strings.Contains(log.String(), "the store can no longer write") {
		t.Errorf("%d lines in the log: %s", lines, &log)
	}
	if len(known) == 0 {
		t.Error("no row was acknowledged")
	}
	_, at = process(t, args...)
	checkRows(t, dial(t, at), known)
}

// unwritable is a store whose test of writing fails.
type unwritable struct {
	store.Store
	err error
}

// Probe implements store.Prober.
func (u *unwritable) Probe(context.Context) error { return u.err }

// TestNotReadyToWrite asks when the store can be read but not written.
func TestNotReadyToWrite(t *testing.T) {
	st := &unwritable{Store: memstore.New(memstore.Options{})}
	s, err := openOn(t.Context(), st, &options{maxConnections: 1, observing: observing{logMinDuration: "-1"}},
		slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	h := &health{}
	h.serves(t.Context(), s)
	for _, failure := range []error{nil, errors.New("input/output error"), nil} {
		st.err = failure
		w := httptest.NewRecorder()
		h.ready(w, httptest.NewRequest("GET", "/readyz", nil))
		if (w.Code == 503) != (failure != nil) || strings.Contains(w.Body.String(), "input") {
			t.Errorf("when a write ends with %v it is %d: %s", failure, w.Code, w.Body)
		}
	}
}

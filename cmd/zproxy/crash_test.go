package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	osexec "os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// asProgram in the environment makes the test binary the program itself, so that a test
// can start it as a process of its own.
const asProgram = "ZPROXY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		limitFiles()
		main()
	}
	os.Exit(m.Run())
}

// limitFiles lets writes fail beyond a length of their file.
func limitFiles() {
	if most, err := strconv.ParseUint(os.Getenv(fileLimit), 10, 64); err == nil {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			panic(err)
		}
	}
}

// process starts zproxy as a process and returns where it listens.
func process(t *testing.T, args ...string) (*osexec.Cmd, string) {
	t.Helper()
	cmd := osexec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=yes")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, dsn(t, out)
}

// TestKill kills a server under load, twice: no acknowledged row may be missing, and
// every index must hold the rows that the table holds.
func TestKill(t *testing.T) {
	const writers, acknowledged = 4, 500
	folder := t.TempDir()
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", folder, "--log-level", "error"}
	cmd, at := process(t, args...)
	conn := dial(t, at)
	exec(t, conn, "CREATE TABLE t (id bigint PRIMARY KEY, a bigint, b bigint)")
	exec(t, conn, "CREATE INDEX t_a ON t (a)")
	exec(t, conn, "CREATE INDEX t_z ON t USING zorder (a, b)")
	known := map[int64]bool{}
	for round := range int64(2) {
		written := underLoad(t, at, writers, round<<32, func(count int) {
			if count == acknowledged {
				if err := cmd.Process.Kill(); err != nil {
					t.Error(err)
				}
			}
		})
		_ = cmd.Wait() // killed
		wantSound(t, folder)
		for _, id := range written {
			known[id] = true
		}
		cmd, at = process(t, args...)
		checkRows(t, dial(t, at), known)
	}
}

// underLoad lets several clients insert rows from an id upwards until their connections
// break, and returns the ids that were acknowledged. It calls back after each.
func underLoad(t *testing.T, at string, writers int, from int64, each func(count int)) []int64 {
	t.Helper()
	var mu sync.Mutex
	var ids []int64
	var group sync.WaitGroup
	for w := range int64(writers) {
		conn := dial(t, at)
		group.Go(func() {
			for id := from + w; ; id += int64(writers) {
				sql := fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d)", id, id%7, id%11)
				if _, err := conn.Exec(context.Background(), sql); err != nil {
					return
				}
				mu.Lock()
				ids = append(ids, id)
				each(len(ids))
				mu.Unlock()
			}
		})
	}
	group.Wait()
	return ids
}

// TestKillSequence kills a server that hands out numbers, twice: none may come again.
func TestKillSequence(t *testing.T) {
	const clients, acknowledged = 4, 300
	args := []string{"serve", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--log-level", "error"}
	cmd, at := process(t, args...)
	exec(t, dial(t, at), "CREATE SEQUENCE s")
	var mu sync.Mutex
	seen := map[int64]bool{}
	for range 3 {
		var group sync.WaitGroup
		taken := 0
		for range clients {
			conn := dial(t, at)
			group.Go(func() {
				for {
					var n int64
					if err := conn.QueryRow(context.Background(), "SELECT nextval('s')").Scan(&n); err != nil {
						return
					}
					mu.Lock()
					if seen[n] {
						t.Errorf("%d came twice", n)
					}
					seen[n] = true
					if taken++; taken == acknowledged {
						_ = cmd.Process.Kill()
					}
					mu.Unlock()
				}
			})
		}
		group.Wait()
		_ = cmd.Wait() // killed
		cmd, at = process(t, args...)
	}
}

// readings are all rows of the table, read along each path.
var readings = map[string]string{
	"Scan using t_pkey on t": "SELECT /*+ IGNORE_INDEX(t, t_a, t_z) */ id FROM t WHERE a >= 0 AND b >= 0 ORDER BY id",
	"Scan using t_a on t":    "SELECT /*+ USE_INDEX(t, t_a) */ id FROM t WHERE a >= 0 AND b >= 0 ORDER BY id",
	"Z-Order Scan using t_z": "SELECT /*+ USE_INDEX(t, t_z) */ id FROM t WHERE a >= 0 AND b >= 0 ORDER BY id",
}

// checkRows wants every known row, the same rows on every path, and that the paths are
// what they are meant to be.
func checkRows(t *testing.T, conn *pgx.Conn, known map[int64]bool) {
	t.Helper()
	var first []int64
	for path, sql := range readings {
		if err := goesAlong(conn, sql, path); err != nil {
			t.Error(err)
		}
		ids := numbers(t, conn, sql)
		if first == nil {
			first = ids
		}
		if !slices.Equal(ids, first) {
			t.Errorf("%s: %d rows, and %d elsewhere", path, len(ids), len(first))
		}
		missing := maps.Clone(known)
		for _, id := range ids {
			delete(missing, id)
		}
		if len(missing) > 0 {
			t.Errorf("%s: %d acknowledged rows are missing, among them %v", path, len(missing),
				slices.Sorted(maps.Keys(missing))[0])
		}
	}
}

// goesAlong wants a path in the plan of a query.
func goesAlong(conn *pgx.Conn, sql, path string) error {
	rows, err := conn.Query(context.Background(), "EXPLAIN "+sql)
	if err != nil {
		return err
	}
	lines, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if text := strings.Join(lines, "\n"); err == nil && !strings.Contains(text, path) {
		return errors.New("no " + path + " in:\n" + text)
	}
	return err
}

// TestSecondProcess wants a clear word when the folder is in use.
func TestSecondProcess(t *testing.T) {
	folder := t.TempDir()
	_, at := process(t, "serve", "--listen", "127.0.0.1:0", "--data", folder, "--log-level", "error")
	exec(t, dial(t, at), "SELECT 1")
	var out strings.Builder
	code := newProgram(&out).run(t.Context(), []string{"serve", "--listen", "127.0.0.1:0", "--data", folder})
	if code != exitFailed || !strings.Contains(out.String(), "another process has the folder "+folder+" open") {
		t.Errorf("exit code %d\n%s", code, out.String())
	}
}

// TestStop sends a signal twice, as a supervisor does that sends it to the process and
// to its group: it ends in good order, and clients are told.
func TestStop(t *testing.T) {
	cmd, at := process(t, "serve", "--listen", "127.0.0.1:0", "--data", t.TempDir(), "--log-level", "error")
	conn := dial(t, at)
	exec(t, conn, "SELECT 1")
	for range 2 {
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	var refused *pgconn.PgError
	if _, err := conn.Exec(context.Background(), "SELECT 1"); !errors.As(err, &refused) || refused.Code != "57P01" {
		t.Errorf("the client reads %v", err)
	}
}

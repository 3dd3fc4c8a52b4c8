package e2e

import (
	"errors"
	"strconv"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// TestAdvisoryLocks takes locks in two sessions: one waits for the other, a circle of waits
// is refused, and what a session has goes with it.
func TestAdvisoryLocks(t *testing.T) {
	db := openDB(t, inMemory)
	a, b := db.connect(t).PgConn(), db.connect(t).PgConn()
	ask := func(c *pgconn.PgConn, sql, want string) {
		t.Helper()
		if got := scalar(t.Context(), c, "SELECT "+sql); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
	ask(a, "set_config('deadlock_timeout', '1ms', false)", "1ms")
	ask(a, "pg_advisory_lock(1)", "")
	ask(b, "pg_advisory_lock_shared(2)", "")
	ask(b, "pg_try_advisory_lock(1)", "f")
	ask(b, "pg_try_advisory_lock_shared(1)", "f")
	ask(a, "pg_try_advisory_lock_shared(2)", "t")
	ask(a, "pg_try_advisory_lock(2)", "f")
	ask(a, "pg_advisory_unlock_shared(2)", "t")

	waited := make(chan string)
	go func() { waited <- scalar(t.Context(), b, "SELECT pg_advisory_lock(1)") }()
	pid := strconv.Itoa(int(b.PID()))
	for scalar(t.Context(), a, "SELECT cardinality(pg_blocking_pids("+pid+"))") != "1" {
	}
	ask(a, "pg_advisory_lock(2)", "ERROR 40P01: deadlock detected")
	ask(a, "pg_advisory_unlock(1)", "t")
	if got := <-waited; got != "" {
		t.Errorf("waited: %s", got)
	}
	ask(a, "pg_terminate_backend("+pid+")", "t")
	ask(a, "pg_advisory_lock(1)", "")
	var e *pgconn.PgError
	if _, err := b.Exec(t.Context(), "SELECT 1").ReadAll(); err == nil || errors.As(err, &e) && e.Code != "57P01" {
		t.Errorf("terminated: %v", err)
	}
}

// TestDeadlockTimeout has two sessions wait for each other. The victim is the one that looks for
// deadlocks sooner, though it has waited shorter.
func TestDeadlockTimeout(t *testing.T) {
	db := openDB(t, inMemory)
	a, b := db.connect(t).PgConn(), db.connect(t).PgConn()
	scalar(t.Context(), a, "SELECT set_config('deadlock_timeout', '1h', false), pg_advisory_lock(1)")
	scalar(t.Context(), b, "SELECT set_config('deadlock_timeout', '1ms', false), pg_advisory_lock(2)")
	waited := make(chan string, 1)
	go func() { waited <- scalar(t.Context(), a, "SELECT pg_advisory_lock(2)") }()
	for scalar(t.Context(), b, "SELECT cardinality(pg_blocking_pids("+strconv.Itoa(int(a.PID()))+"))") != "1" {
	}
	if got := scalar(t.Context(), b, "SELECT pg_advisory_lock(1)"); got != "ERROR 40P01: deadlock detected" {
		t.Errorf("the one that looks: %s", got)
	}
	scalar(t.Context(), b, "SELECT pg_advisory_unlock_all()")
	if got := <-waited; got != "" {
		t.Errorf("the other one: %s", got)
	}
}

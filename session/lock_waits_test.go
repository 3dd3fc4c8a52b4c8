package session

import (
	"log/slog"
	"strings"
	"testing"

	"zproxy/store/memstore"
)

// logLines are those of a log, one after the other.
type logLines chan string

func (l logLines) Write(line []byte) (int, error) {
	l <- string(line)
	return len(line), nil
}

// TestLockWaitsAreLogged waits longer for a lock than deadlock_timeout, with log_lock_waits and without.
func TestLockWaitsAreLogged(t *testing.T) {
	log := make(logLines, 10)
	options := Options{Log: slog.New(slog.NewTextHandler(log, nil))}
	db, err := Open(t.Context(), memstore.New(memstore.Options{}), options)
	if err != nil {
		t.Fatal(err)
	}
	a, b := connect(t, db, "postgres"), connect(t, db, "postgres")
	for _, logged := range []string{"on", "off"} {
		_ = ask(t, a, "SELECT pg_advisory_lock(7)")
		_ = ask(t, b, "SET deadlock_timeout = 1; SET log_lock_waits = "+logged)
		waited := make(chan error)
		go func() { waited <- ask(t, b, "SELECT pg_advisory_xact_lock(7)") }()
		if logged == "on" {
			if line := <-log; !strings.Contains(line, "still waiting for ExclusiveLock on advisory lock [5,0,7,1] after") {
				t.Error(line)
			}
		} else {
			for db.Locks.Blocking(b.pid) == nil {
			}
		}
		_ = ask(t, a, "SELECT pg_advisory_unlock(7)")
		if err := <-waited; err != nil {
			t.Error(err)
		}
		if logged == "on" {
			if line := <-log; !strings.Contains(line, "acquired ExclusiveLock on advisory lock [5,0,7,1] after") {
				t.Error(line)
			}
		}
	}
	if len(log) != 0 {
		t.Errorf("logged: %s", <-log)
	}
}

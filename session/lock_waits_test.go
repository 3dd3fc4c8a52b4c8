package session

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"zproxy/cluster/lock"
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

// TestLocksAreListed lets a session wait for a lock of each class that another one has, and reads what the relations
// and functions say of that.
func TestLocksAreListed(t *testing.T) {
	for _, c := range []struct {
		tag    lock.Tag
		event  string
		has    string // of the two sessions, in pg_locks
		awaits string
	}{
		{lock.Tag{Class: lock.Row, Space: 5, Key: 7}, "transactionid",
			"transactionid . . . . ExclusiveLock t", "transactionid . . . . ShareLock f"},
		{lock.Relation(16384), "relation",
			"relation 16384 . . . ExclusiveLock t", "relation 16384 . . . RowShareLock f"},
		{lock.Tag{Class: lock.Object, Space: 2615, Key: 99}, "object",
			"object . 2615 99 0 ExclusiveLock t", "object . 2615 99 0 RowShareLock f"},
		{lock.Tag{Class: lock.AdvisoryNumber, Key: 1<<32 + 2}, "advisory",
			"advisory . 1 2 1 ExclusiveLock t", "advisory . 1 2 1 RowShareLock f"},
		{lock.Tag{Class: lock.AdvisoryPair, Key: 1<<32 + 2}, "advisory",
			"advisory . 1 2 2 ExclusiveLock t", "advisory . 1 2 2 RowShareLock f"},
	} {
		reader, _ := watched(t, nil)
		a, b := connect(t, reader.db, "postgres"), connect(t, reader.db, "postgres")
		_ = ask(t, a, "BEGIN; SELECT 1")
		w := a.txn.LockWait(t.Context())
		if g, err := a.txn.Locks.Acquire(w, c.tag, lock.Exclusive, lock.NoWait); !g.Granted {
			t.Fatal(err)
		}
		waited := make(chan error)
		go func() {
			_, err := b.txn.Locks.Acquire(w, c.tag, lock.RowShare, lock.Block)
			waited <- err
		}()
		for reader.db.Locks.Blocking(b.pid) == nil {
		}
		for query, want := range map[string][]string{
			`SELECT concat_ws(' ', locktype, coalesce(relation::text, '.'), coalesce(classid::text, '.'),
				coalesce(objid::text, '.'), coalesce(objsubid::text, '.'), mode, granted) FROM pg_locks
				WHERE locktype <> 'virtualxid' ORDER BY granted DESC`: {c.has, c.awaits},
			`SELECT h.pid = $a AND w.pid = $b AND h.waitstart IS NULL AND w.waitstart IS NOT NULL
				FROM pg_locks w JOIN pg_locks h ON (h.locktype, h.granted, w.granted) = (w.locktype, true, false)
				AND (h.database, h.relation, h.transactionid, h.classid, h.objid, h.objsubid) IS NOT DISTINCT FROM
				(w.database, w.relation, w.transactionid, w.classid, w.objid, w.objsubid)`: {"t"},
			"SELECT pid FROM pg_locks WHERE locktype = 'virtualxid' AND pid <> pg_backend_pid()": {"$a"},
			"SELECT wait_event_type || ' ' || wait_event FROM pg_stat_activity WHERE pid = $b":   {"Lock " + c.event},
			"SELECT pg_blocking_pids($b), pg_blocking_pids($a)":                                  {"{$a} {}"},
			"SELECT pg_isolation_test_session_is_blocked($b, '{1,NULL,$a}')":                     {"t"},
			"SELECT pg_isolation_test_session_is_blocked($b, '{$b}')":                            {"f"},
			"SELECT pg_isolation_test_session_is_blocked($a, '{$b}')":                            {"f"},
		} {
			pids := strings.NewReplacer("$a", fmt.Sprint(a.pid), "$b", fmt.Sprint(b.pid))
			got := answer(t, reader, pids.Replace(query))
			if pids.Replace(strings.Join(want, "\n")) != strings.Join(got, "\n") {
				t.Errorf("%s of %v:\n%q, want %q", query, c.tag, got, want)
			}
		}
		_ = ask(t, a, "COMMIT")
		if err := <-waited; err != nil {
			t.Error(err)
		}
	}
}

// TestLockWaitsAreTimed lets a statement wait for a row, and reads how long of its time that was.
func TestLockWaitsAreTimed(t *testing.T) {
	db, err := Open(t.Context(), memstore.New(memstore.Options{}), Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, b := connect(t, db, "postgres"), connect(t, db, "postgres")
	const update = "UPDATE t SET a = a + 1"
	_ = ask(t, a, "CREATE TABLE t (a int); INSERT INTO t VALUES (1)")
	_ = ask(t, a, update)
	if got := answer(t, a, "SELECT lock_wait_time FROM zproxy.statements WHERE query LIKE 'UPDATE%'"); got[0] != "0" {
		t.Errorf("without a wait it is %s", got)
	}
	_ = ask(t, a, "BEGIN; "+update)
	waited := make(chan error)
	began := time.Now()
	go func() { waited <- ask(t, b, update) }()
	for db.Locks.Blocking(b.pid) == nil {
	}
	known := time.Now()
	time.Sleep(time.Millisecond)
	atLeast := time.Since(known)
	_ = ask(t, a, "COMMIT")
	if err := <-waited; err != nil {
		t.Fatal(err)
	}
	const all = `SELECT lock_wait_time >= %d AND lock_wait_time <= %d AND lock_wait_time < total_exec_time, calls
		FROM zproxy.statements WHERE query LIKE 'UPDATE%%'`
	query := fmt.Sprintf(all, atLeast.Milliseconds(), time.Since(began).Milliseconds()+1)
	if got := answer(t, a, query); got[0] != "t 3" {
		t.Errorf("within the bounds, calls: %s", got)
	}
}

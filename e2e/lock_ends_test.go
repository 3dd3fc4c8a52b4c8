package e2e

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// lockEnd is a way in which a session that has locks, or waits for one, ends.
type lockEnd struct {
	name, set string // a setting of the session
	// end acts on the session beside another one; nil: it ends by itself.
	end  func(t *testing.T, c, other *pgconn.PgConn)
	code string // of its statement or its connection; empty: the client does not see it
}

// vanish resets a connection, as a machine does that knows nothing of it any more.
func vanish(t *testing.T, c, _ *pgconn.PgConn) {
	tcp := c.Conn().(*net.TCPConn)
	_ = tcp.SetLinger(0)
	_ = tcp.Close()
}

// leave closes a connection without a word.
func leave(t *testing.T, c, _ *pgconn.PgConn) { _ = c.Conn().Close() }

// signals calls a function with the number of the session.
func signals(name string) func(t *testing.T, c, other *pgconn.PgConn) {
	return func(t *testing.T, c, other *pgconn.PgConn) {
		if got := scalar(t.Context(), other, fmt.Sprintf("SELECT %s(%d)", name, c.PID())); got != "t" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// holdersEnd are ways in which a session ends that has locks, while it runs no statement or sleeps.
var holdersEnd = []lockEnd{
	{"idle in transaction", "idle_in_transaction_session_timeout = 50", nil, "25P03"},
	{"transaction", "transaction_timeout = 50", nil, "25P04"},
	{"transaction, not idle", "transaction_timeout = 50, idle_in_transaction_session_timeout = 50", nil, "25P04"},
	{"terminate", "", signals("pg_terminate_backend"), "57P01"},
	{"reset", "", vanish, ""},
	{"close", "", leave, ""},
}

// TestHoldersEnd lets a session that has locks of all kinds end in each way. Another one that waits for one of them
// goes on, and nothing is locked in the end.
func TestHoldersEnd(t *testing.T) {
	for _, how := range holdersEnd {
		for _, sleeps := range []bool{false, true} {
			if sleeps && (how.name == "idle in transaction" || how.name == "close") {
				continue // it is not idle; and it may wait for the answer
			}
			t.Run(fmt.Sprintf("%s, sleeps %v", how.name, sleeps), func(t *testing.T) {
				db := openDB(t, onPebble)
				holder, waiter, watcher := db.connect(t).PgConn(), db.connect(t).PgConn(), db.connect(t).PgConn()
				tell(t, watcher, "CREATE TABLE t (id int PRIMARY KEY, a int); INSERT INTO t VALUES (1, 1), (2, 2)")
				for _, set := range strings.Split(how.set, ", ") {
					if set != "" {
						tell(t, holder, "SET "+set)
					}
				}
				waited := make(chan error, 1)
				tell(t, holder, "BEGIN; UPDATE t SET a = 10; SELECT pg_advisory_lock(7), pg_advisory_xact_lock(8)")
				if holder.TxStatus() != 'T' {
					t.Errorf("the holder's status is %c", holder.TxStatus())
				}
				go func() { waited <- try(waiter, "UPDATE t SET a = a + 1 WHERE id = 1") }()
				asleep := make(chan error, 1)
				if sleeps {
					go func() { asleep <- try(holder, "SELECT pg_sleep(600)") }()
					awaitActivity(t, watcher, holder.PID(), "state = 'active'")
				}
				if how.end != nil {
					awaitActivity(t, watcher, waiter.PID(), "wait_event = 'transactionid'")
					how.end(t, holder, watcher)
				}
				if err := <-waited; err != nil {
					t.Errorf("the waiter: %v", err)
				}
				if !sleeps {
					_, err := holder.ReceiveMessage(t.Context())
					asleep <- err
				}
				wantCode(t, <-asleep, how.code)
				if got := scalar(t.Context(), watcher, "SELECT a FROM t WHERE id = 1"); got != "2" {
					t.Errorf("the row has %s", got)
				}
				awaitQuiet(t, watcher)
			})
		}
	}
}

// waitersEnd are ways in which a session ends to wait.
var waitersEnd = []lockEnd{
	{"cancel", "", signals("pg_cancel_backend"), "57014"},
	{"cancel request", "", func(t *testing.T, c, _ *pgconn.PgConn) { _ = c.CancelRequest(t.Context()) }, "57014"},
	{"terminate", "", signals("pg_terminate_backend"), "57P01"},
	{"statement timeout", "statement_timeout = 50", nil, "57014"},
	{"lock timeout", "lock_timeout = 50", nil, "55P03"},
	{"transaction timeout", "transaction_timeout = 50", nil, "25P04"},
	{"reset", "", vanish, ""},
}

// TestWaitersEnd lets a session that waits for a row end in each way, in a block or outside of one. What it had locked
// is free, nothing of it is left in the queue, and the one behind it goes on when the holder ends.
func TestWaitersEnd(t *testing.T) {
	for _, how := range waitersEnd {
		for _, begin := range []string{"", "BEGIN"} {
			t.Run(how.name+" "+begin, func(t *testing.T) {
				db := openDB(t, onPebble)
				holder, waiter, next := db.connect(t).PgConn(), db.connect(t).PgConn(), db.connect(t).PgConn()
				watcher := db.connect(t).PgConn()
				tell(t, watcher, "CREATE TABLE t (id int PRIMARY KEY, a int); INSERT INTO t VALUES (1, 1), (2, 2)")
				tell(t, holder, "BEGIN; UPDATE t SET a = 10 WHERE id = 1")
				if how.set != "" {
					tell(t, waiter, "SET "+how.set)
				}
				tell(t, waiter, begin)
				waited, nexted := make(chan error, 1), make(chan error, 1)
				go func() { waited <- try(waiter, "UPDATE t SET a = a + 1 WHERE id <> 3") }()
				if how.end != nil {
					awaitActivity(t, watcher, waiter.PID(), "wait_event = 'transactionid'")
				}
				go func() { nexted <- try(next, "UPDATE t SET a = a + 100 WHERE id = 1") }()
				if how.end != nil {
					awaitActivity(t, watcher, next.PID(), "wait_event = 'transactionid'")
					how.end(t, waiter, watcher)
				}
				wantCode(t, <-waited, how.code)
				wantStatus(t, waiter, begin, how.code)
				awaitActivity(t, watcher, next.PID(), fmt.Sprintf("pg_blocking_pids(pid) = '{%d}'", holder.PID()))
				tell(t, watcher, "UPDATE t SET a = a + 1000 WHERE id = 2") // which waits for nothing
				tell(t, holder, "COMMIT")
				if err := <-nexted; err != nil {
					t.Errorf("the next one: %v", err)
				}
				const all = "SELECT string_agg(a::text, ' ' ORDER BY id) FROM t"
				if got := scalar(t.Context(), watcher, all); got != "110 1002" {
					t.Errorf("the rows have %s", got)
				}
				awaitQuiet(t, watcher)
			})
		}
	}
}

// wantStatus looks at the status of a session whose statement has failed, and ends its block.
func wantStatus(t *testing.T, c *pgconn.PgConn, begin, code string) {
	t.Helper()
	if code == "" || code == "57P01" || code == "25P04" {
		return // it has ended
	}
	status := map[string]byte{"": 'I', "BEGIN": 'E'}[begin]
	if c.TxStatus() != status {
		t.Errorf("the status is %c, want %c", c.TxStatus(), status)
	}
	tell(t, c, "ROLLBACK")
	if c.TxStatus() != 'I' {
		t.Errorf("the status is %c after ROLLBACK", c.TxStatus())
	}
}

// TestTransactionTimeout wants the time of a transaction to begin anew with each one, and to be that of the setting as
// it was when it began to be limited.
func TestTransactionTimeout(t *testing.T) {
	db := openDB(t, inMemory)
	for _, c := range []struct{ before, statements, code string }{
		{"", "SET transaction_timeout = 200; SELECT pg_sleep(600)", "25P04"},
		{"SET transaction_timeout = 200", "SELECT pg_sleep(600)", "25P04"},
		{"SET transaction_timeout = 200", "BEGIN; SELECT pg_sleep(600)", "25P04"},
		{"BEGIN; SET LOCAL transaction_timeout = 100", "SELECT pg_sleep(600)", "25P04"},
		{"SET transaction_timeout = '1h'", "BEGIN; SET LOCAL transaction_timeout = 1; SELECT pg_sleep(0.05); COMMIT", ""},
		{"SET transaction_timeout = 20", "SET transaction_timeout = 0; SELECT pg_sleep(0.05)", ""},
		{"BEGIN; SET LOCAL transaction_timeout = '1h'; COMMIT", "SELECT pg_sleep(0.05)", ""},
		{"SET transaction_timeout = 200; SET statement_timeout = 200", "SELECT pg_sleep(600)", "25P04"},
		{"SET transaction_timeout = '1h'; SET statement_timeout = 50", "SELECT pg_sleep(600)", "57014"},
	} {
		s := db.connect(t).PgConn()
		tell(t, s, c.before)
		t.Log(c.before, c.statements)
		wantCode(t, try(s, c.statements), c.code)
	}
	s := db.connect(t).PgConn()
	tell(t, s, "SET transaction_timeout = 400")
	for range 10 {
		tell(t, s, "BEGIN")
		tell(t, s, "SELECT pg_sleep(0.05)")
		tell(t, s, "COMMIT AND CHAIN")
		tell(t, s, "ROLLBACK")
	}
}

// TestNoPreparedTransactions wants PostgreSQL's answer where max_prepared_transactions is 0.
func TestNoPreparedTransactions(t *testing.T) {
	c := openDB(t, inMemory).connect(t).PgConn()
	for _, s := range []struct{ statement, code string }{
		{"PREPARE TRANSACTION 'a'", ""},
		{"COMMIT PREPARED 'a'", "42704"},
		{"ROLLBACK PREPARED 'a'", "42704"},
		{"BEGIN", ""},
		{"PREPARE TRANSACTION 'a'", "55000"},
		{"ROLLBACK PREPARED 'a'", "42704"},
	} {
		wantCode(t, try(c, s.statement), s.code)
		if in := c.TxStatus() != 'I'; in != (s.statement == "BEGIN") {
			t.Errorf("the status after %s is %c", s.statement, c.TxStatus())
		}
	}
	tell(t, c, "BEGIN")
	wantCode(t, try(c, "COMMIT PREPARED 'a'"), "25001")
	tell(t, c, "PREPARE TRANSACTION 'a'")
	if c.TxStatus() != 'I' {
		t.Errorf("the status is %c", c.TxStatus())
	}
	if got := scalar(t.Context(), c, "SELECT count(*) FROM pg_prepared_xacts"); got != "0" {
		t.Errorf("%s prepared transactions", got)
	}
}

// try runs statements in one message.
func try(c *pgconn.PgConn, sql string) error {
	_, err := c.Exec(context.Background(), sql).ReadAll()
	return err
}

// tell runs statements that cannot fail.
func tell(t *testing.T, c *pgconn.PgConn, sql string) {
	t.Helper()
	if err := try(c, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	var e *pgconn.PgError
	switch {
	case errors.As(err, &e) && e.Code == code:
	case code == "" && e == nil:
	default:
		t.Errorf("it ended with %v, want %s", err, code)
	}
}

// awaitActivity waits until a session does something, by a condition on pg_stat_activity.
func awaitActivity(t *testing.T, watcher *pgconn.PgConn, pid uint32, condition string) {
	t.Helper()
	query := fmt.Sprintf("SELECT count(*) FROM pg_stat_activity WHERE pid = %d AND %s", pid, condition)
	awaitAnswer(t, watcher, query, "1")
}

// awaitQuiet waits until no other session has a lock or waits for one.
func awaitQuiet(t *testing.T, watcher *pgconn.PgConn) {
	t.Helper()
	awaitAnswer(t, watcher, "SELECT count(*) FROM pg_locks WHERE pid <> pg_backend_pid()", "0")
}

func awaitAnswer(t *testing.T, c *pgconn.PgConn, query, want string) {
	t.Helper()
	got := ""
	for until := time.Now().Add(endingBound); time.Now().Before(until); time.Sleep(time.Millisecond) {
		if got = scalar(t.Context(), c, query); got == want {
			return
		}
	}
	t.Fatalf("%s: %s, want %s", query, got, want)
}

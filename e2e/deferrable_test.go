package e2e

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// deferrable begins a transaction that waits until its snapshot is safe.
const deferrable = "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE"

// TestDeferrable reads what is consistent with all transactions, and waits for that: here for one that wrote, which it
// does not see, and then for one that has read a batch as open that it sees closed, whose receipt it sees, too.
func TestDeferrable(t *testing.T) {
	for _, k := range []kind{inMemory, onPebble} {
		db := openDB(t, k)
		writer, other, reader := db.connect(t).PgConn(), db.connect(t).PgConn(), db.connect(t).PgConn()
		tell(t, writer, `CREATE TABLE batch (n int); INSERT INTO batch VALUES (1);
			CREATE TABLE receipts (id int PRIMARY KEY, batch int)`)
		report := func() (read <-chan string, over *atomic.Bool) {
			out, ended := make(chan string, 1), &atomic.Bool{}
			tell(t, reader, deferrable)
			go func() {
				got := scalar(t.Context(), reader, "SELECT n || ', ' || (SELECT count(*) FROM receipts) FROM batch")
				if !ended.Load() {
					got = "it has not waited, " + got
				}
				out <- got
			}()
			awaitActivity(t, other, reader.PID(), fmt.Sprintf("wait_event = 'SafeSnapshot' AND "+
				"pg_safe_snapshot_blocking_pids(pid) = '{%d}' AND pg_blocking_pids(pid) = '{}'", writer.PID()))
			return out, ended
		}
		tell(t, writer, "BEGIN ISOLATION LEVEL SERIALIZABLE; INSERT INTO receipts VALUES (1, 1)")
		read, over := report()
		over.Store(true)
		tell(t, writer, "COMMIT")
		if got := <-read; got != "1, 0" {
			t.Errorf("%s: beside one that has written: %s", k.name, got)
		}
		tell(t, reader, "COMMIT")

		tell(t, writer, "BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT n FROM batch")
		tell(t, other, "BEGIN ISOLATION LEVEL SERIALIZABLE; UPDATE batch SET n = 2; COMMIT")
		read, over = report()
		tell(t, writer, "INSERT INTO receipts VALUES (2, 1)")
		over.Store(true)
		tell(t, writer, "COMMIT")
		if got := <-read; got != "2, 2" {
			t.Errorf("%s: beside one that comes before what it sees: %s", k.name, got)
		}
		tell(t, reader, "COMMIT")
		endsDeferred(t, writer, reader)
	}
}

// endsDeferred lets the wait end by a timeout, and wants no wait where it is of no use.
func endsDeferred(t *testing.T, writer, reader *pgconn.PgConn) {
	t.Helper()
	tell(t, writer, "BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT n FROM batch")
	tell(t, reader, "SET statement_timeout = 20")
	const readOnly = "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY"
	for _, begin := range []string{deferrable, readOnly + "; SET LOCAL transaction_deferrable = on",
		"SET default_transaction_deferrable = on; " + readOnly} {
		tell(t, reader, begin)
		wantCode(t, try(reader, "SELECT n FROM batch"), "57014")
		tell(t, reader, "ROLLBACK; RESET default_transaction_deferrable")
	}
	tell(t, reader, "RESET statement_timeout")
	for _, level := range []string{"REPEATABLE READ READ ONLY DEFERRABLE", "SERIALIZABLE DEFERRABLE",
		"SERIALIZABLE READ ONLY"} {
		tell(t, reader, "BEGIN ISOLATION LEVEL "+level+"; SELECT n FROM batch; COMMIT")
	}
	tell(t, writer, "COMMIT")
}

package session

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/sqlerr"
	"zproxy/store/dynamostore/dynamofake"
)

// retiring are statements behind which rows or entries of t are not kept any more where the schema before has them.
var retiring = []string{
	"DROP INDEX x", "REINDEX INDEX x", "REINDEX TABLE t", "TRUNCATE t", "DROP TABLE t",
	"ALTER TABLE t DROP COLUMN a", "ALTER TABLE t ALTER COLUMN a TYPE text",
}

// separate are two processes with a table t, its index x, and a table u.
func separate(t *testing.T) (a, b *Session, again func() *Session) {
	f := dynamofake.New(dynamofake.Options{})
	pa, pb := joined(t, f, "a"), joined(t, f, "b")
	a = connect(t, pa.DB, "joe")
	accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY, a int)", "CREATE INDEX x ON t (a)",
		"INSERT INTO t VALUES (1, 1)", "CREATE TABLE u (id int PRIMARY KEY, a int)")
	again = func() *Session { return connect(t, pb.DB, "joe") }
	b = again()
	accepted(t, b, "SELECT * FROM t") // so that it knows the table
	return a, b, again
}

// begun runs a statement and does not wait for it.
func begun(t *testing.T, s *Session, sql string) (ended func() bool) {
	done := make(chan error, 1)
	go func() { done <- ask(t, s, sql) }()
	time.Sleep(10 * time.Second)
	return func() bool {
		time.Sleep(10 * time.Second)
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("%s: %v", sql, err)
			}
			return true
		default:
			return false
		}
	}
}

// TestReadersElsewhere holds that what transactions of other processes read is kept until they have ended, and that
// nothing is read by the schema before once that is no more.
func TestReadersElsewhere(t *testing.T) {
	for _, change := range retiring {
		t.Run(change, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b, again := separate(t)
				accepted(t, b, "BEGIN", "SELECT * FROM t WHERE a = 1")
				ended := begun(t, a, change)
				later := begun(t, again(), "SELECT * FROM u") // of another table
				if !later() || ended() {
					t.Error("it has not waited for a transaction that has read the table")
				}
				accepted(t, b, "SELECT * FROM t WHERE a = 1", "COMMIT")
				if !ended() {
					t.Error("it still waits for a transaction that has ended")
				}
			})
		})
	}
}

// TestReadersBehind holds that a transaction which began before a change goes by the schema behind it, or fails where
// it is promised one state.
func TestReadersBehind(t *testing.T) {
	for _, change := range retiring {
		t.Run(change, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b, again := separate(t)
				fixed := again()
				accepted(t, b, "BEGIN", "SELECT * FROM u", "INSERT INTO u VALUES (1, 1)")
				accepted(t, fixed, "BEGIN ISOLATION LEVEL REPEATABLE READ", "SELECT * FROM u")
				accepted(t, a, change)
				if change == "DROP TABLE t" {
					accepted(t, a, "CREATE TABLE t (id int PRIMARY KEY, b int)")
				}
				accepted(t, a, "INSERT INTO t VALUES (2)")
				if change != "ALTER TABLE t DROP COLUMN a" && change != "DROP TABLE t" {
					accepted(t, a, "UPDATE t SET a = '2' WHERE id = 2")
					if got := answer(t, b, "SELECT id FROM t WHERE a = '2'"); !slices.Equal(got, []string{"2"}) {
						t.Errorf("by the column: %v", got)
					}
				}
				if got := answer(t, b, "SELECT id FROM t WHERE id = 2"); !slices.Equal(got, []string{"2"}) {
					t.Errorf("by its key: %v", got)
				}
				accepted(t, b, "COMMIT")
				refused(t, fixed, "SELECT id FROM t WHERE a = '2'", sqlerr.SerializationFailure)
			})
		})
	}
}

// TestWaitsInCircles holds that no process waits for a transaction that waits for the process' change of the schema.
func TestWaitsInCircles(t *testing.T) {
	for _, test := range []struct {
		name   string
		begins []string // of a transaction of b
		first  string   // what a changes before
		waits  string   // what b waits for
	}{
		{"a commit", []string{"INSERT INTO u VALUES (1, 1)", "SELECT * FROM t"}, "CREATE INDEX y ON u (a)", "COMMIT"},
		{"a change", []string{"SELECT * FROM t"}, "SELECT 1", "ALTER TABLE u ADD COLUMN b int"},
		{"a change of the same", []string{"SELECT * FROM t"}, "SELECT 1", "DROP INDEX x"},
		{"a lock", []string{"SELECT * FROM t"}, "TRUNCATE u", "SELECT * FROM u"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a, b, _ := separate(t)
				accepted(t, b, append([]string{"BEGIN"}, test.begins...)...)
				accepted(t, a, "BEGIN", test.first)
				ended := begun(t, a, "DROP INDEX x")
				err := ask(t, b, test.waits)
				if !sqlerr.Has(err, sqlerr.SerializationFailure) && !sqlerr.Has(err, sqlerr.DeadlockDetected) {
					t.Errorf("%s: %v", test.waits, err)
				}
				accepted(t, b, "ROLLBACK")
				if !ended() {
					t.Error("the change has not ended")
				}
				accepted(t, a, "COMMIT")
			})
		})
	}
}

// TestSingleWritersElsewhere holds that single statements of other processes go on beside changes, since they are run
// again.
func TestSingleWritersElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, _ := separate(t)
		stop := make(chan struct{})
		written := make(chan int, 1)
		go func() {
			n := 0
			for {
				select {
				case <-stop:
					written <- n
					return
				default:
				}
				if err := ask(t, b, "INSERT INTO t (id) SELECT max(id) + 1 FROM t"); err != nil {
					t.Error(err)
				}
				n++
				time.Sleep(70 * time.Millisecond)
			}
		}()
		for _, change := range []string{"DROP INDEX x", "CREATE INDEX x ON t (a)", "REINDEX TABLE t",
			"ALTER TABLE t SET (shards = 3)", "ALTER TABLE t ALTER COLUMN a TYPE text"} {
			time.Sleep(time.Second)
			accepted(t, a, change)
		}
		close(stop)
		if n := <-written; n < 50 {
			t.Errorf("%d rows were written meanwhile", n)
		}
	})
}

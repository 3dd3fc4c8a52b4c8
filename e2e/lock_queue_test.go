package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// TestQueueOfSessions lets two hundred sessions wait for one row. They have it in the order in which they came, though
// they look for deadlocks meanwhile.
func TestQueueOfSessions(t *testing.T) {
	const many = 200
	db := openDB(t, onPebble)
	holder, watcher := db.connect(t).PgConn(), db.connect(t).PgConn()
	tell(t, watcher, "CREATE TABLE t (id int PRIMARY KEY, came text); INSERT INTO t VALUES (1, '')")
	tell(t, holder, "BEGIN; UPDATE t SET came = 'holder'")
	ended, want := make(chan error, many), "holder"
	for i := range many {
		c := db.connect(t).PgConn()
		tell(t, c, "SET deadlock_timeout = 10")
		go func() { ended <- try(c, fmt.Sprintf("UPDATE t SET came = came || ' %d' WHERE id = 1", i)) }()
		awaitAnswer(t, watcher, "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'transactionid'", strconv.Itoa(i+1))
		want += " " + strconv.Itoa(i)
	}
	tell(t, holder, "COMMIT")
	for range many {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if got := scalar(t.Context(), watcher, "SELECT came FROM t"); got != want {
		t.Errorf("they came as %s", strings.ReplaceAll(got, " ", ", "))
	}
	awaitQuiet(t, watcher)
}

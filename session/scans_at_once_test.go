package session

import (
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

// flights counts Queries of DynamoDB, and those that are under way at once.
type flights struct {
	mu              sync.Mutex
	now, most, sent int
}

func (f *flights) before(r *dynamofake.Request) {
	if r.Op != "Query" {
		return
	}
	f.mu.Lock()
	f.sent++
	f.now++
	f.most = max(f.most, f.now)
	f.mu.Unlock()
	time.Sleep(time.Millisecond) // of a fake clock: all that can be sent is sent meanwhile
}

func (f *flights) after(r *dynamofake.Request) {
	if r.Op != "Query" {
		return
	}
	f.mu.Lock()
	f.now--
	f.mu.Unlock()
}

// take is what was counted since the last call, when what is not waited for any more has ended, too.
func (f *flights) take() (counted struct{ most, sent int }) {
	time.Sleep(time.Second)
	f.mu.Lock()
	defer f.mu.Unlock()
	counted.most, counted.sent = f.most, f.sent
	f.most, f.sent = 0, 0
	return counted
}

// TestScansAtOnce looks at the requests that queries of several ranges send: as many at once as may
// be, and under a LIMIT no more than it takes.
func TestScansAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f flights
		fake := dynamofake.New(dynamofake.Options{PageItems: 9, Before: f.before, After: f.after})
		st, err := dynamostore.Open(t.Context(),
			dynamostore.Options{Endpoint: "http://127.0.0.1:1", HTTPClient: fake.Client("")})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		db, err := Open(t.Context(), st, Options{})
		if err != nil {
			t.Fatal(err)
		}
		query := askingIDs(t, db)
		query("SET zproxy.full_scan = allow")
		query("CREATE TABLE t (id int PRIMARY KEY, a int NOT NULL, b int NOT NULL) WITH (shards = 16)")
		query("CREATE TABLE p (part int, id int, PRIMARY KEY (part, id))")
		query("INSERT INTO p SELECT i % 20, i FROM generate_series(1, 100) AS i")
		for range 4 {
			query("INSERT INTO t SELECT i, i * 7 % 100, i * 13 % 100 FROM (SELECT coalesce(max(id), 0) AS m FROM t) AS x, generate_series(m + 1, m + 50) AS i")
		}
		query("CREATE INDEX t_z ON t USING zorder (a, b)")
		for _, c := range []struct {
			set, text        string
			rows, most, sent int // sent: at the most; 0: any number
		}{
			{"SET zproxy.parallel_scans = 4", "SELECT id FROM t WHERE id > 0 ORDER BY id", 200, 4, 0},
			{"SET zproxy.parallel_scans = 16", "SELECT id FROM t WHERE id > 0 ORDER BY id", 200, 16, 0},
			{"SET zproxy.parallel_scans = 1", "SELECT id FROM t WHERE id > 0 ORDER BY id", 200, 1, 0},
			{"SET zproxy.parallel_scans = 4", "SELECT id FROM p WHERE part IN (" + strings.Repeat("1, ", 5) + "2, 3, 4, 5, 6, 7) LIMIT 5", 5, 1, 1},
			{"SET zproxy.parallel_scans = 4", "SELECT id FROM p WHERE part IN (1, 2, 3, 4, 5, 6, 7) LIMIT 15", 15, 4, 7},
			{"SET zproxy.parallel_scans = 4", "SELECT id FROM p WHERE part = 3 ORDER BY id LIMIT 2", 2, 1, 1},
			{"SET zproxy.parallel_scans = 4", "/*+ USE_INDEX(t t_z) */ SELECT id FROM t WHERE a BETWEEN 10 AND 60 AND b BETWEEN 20 AND 70", 54, 4, 22},
		} {
			query(c.set)
			f.take()
			rows := query(c.text)
			f := f.take()
			if len(rows) != c.rows || f.most > c.most || c.sent > 0 && f.sent > c.sent || c.sent == 0 &&
				f.most != c.most {
				t.Errorf("%s; %s: %d rows, %d requests, %d at once; want %d, %d, %d", c.set, c.text, len(rows), f.sent,
					f.most, c.rows, c.sent, c.most)
			}
		}
	})
}

package session

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"zproxy/internal/testseed"
	"zproxy/store/dynamostore"
	"zproxy/store/dynamostore/dynamofake"
)

// cachedRows is a table in a DynamoDB that processes share, and what became of its rows.
type cachedRows struct {
	t       *testing.T
	now     time.Time // which the test sets
	clients []cacheClient
	history [][]rowVersion // by row
}

// cacheClient is a session of a process.
type cacheClient struct {
	process int
	ask     func(text string) []int64
}

// rowVersion is a value that a process wrote.
type rowVersion struct {
	value   int64
	at      time.Time
	process int
}

const cacheStale = 5 * time.Second

func newCachedRows(t *testing.T) *cachedRows {
	c := &cachedRows{t: t, now: time.Unix(1_800_000_000, 0), history: make([][]rowVersion, 4)}
	fake := dynamofake.New(dynamofake.Options{})
	for process := range 2 {
		st, err := dynamostore.Open(t.Context(), dynamostore.Options{Region: "us-east-1",
			Endpoint: "http://127.0.0.1:1", HTTPClient: fake.Client("")})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		db, err := Open(t.Context(), st, Options{Shared: true, Now: func() time.Time { return c.now }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		for range 2 {
			c.clients = append(c.clients, cacheClient{process, askingIDs(t, db)})
		}
		if process == 0 {
			c.clients[0].ask("CREATE TABLE t (id int PRIMARY KEY, a bigint) WITH (cache = '5s'); " +
				"INSERT INTO t SELECT n, 0 FROM generate_series(0, 3) AS n")
		}
	}
	for k := range c.history {
		c.history[k] = []rowVersion{{0, c.now, 0}}
	}
	return c
}

// last is the value of a row.
func (c *cachedRows) last(k int) int64 { return c.history[k][len(c.history[k])-1].value }

// allowed says whether a process may read a value of a row.
func (c *cachedRows) allowed(k, process int, value int64) bool {
	list := c.history[k]
	for i, w := range list {
		if w.value != value {
			continue
		}
		for _, later := range list[i+1:] {
			if later.process == process {
				return false
			}
		}
		return i+1 == len(list) || c.now.Sub(list[i+1].at) <= cacheStale
	}
	return false
}

// strict reads a row in the ways that must see the last commit.
func (c *cachedRows) strict(by cacheClient, k int) {
	read := fmt.Sprintf("SELECT a FROM t WHERE id = %d", k)
	for _, s := range [][3]string{
		{"BEGIN", read, "COMMIT"}, {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", read, "COMMIT"},
		{"SET zproxy.row_cache = off", read, "RESET zproxy.row_cache"}, {"SELECT 1", read + " FOR UPDATE", "SELECT 1"},
	} {
		by.ask(s[0])
		if got := by.ask(s[1]); got[0] != c.last(k) {
			c.t.Errorf("%s; %s: %d, want %d", s[0], s[1], got[0], c.last(k))
		}
		by.ask(s[2])
	}
}

// TestRowCache reads and writes rows at random in sessions of two processes. A plain query sees a value that was
// current at a time within the staleness, and none older than the last commit of its own process; others, also with
// zproxy.row_cache = off, see the last commit.
func TestRowCache(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	c := newCachedRows(t)
	older := 0
	for i := range int64(1500) {
		by, k := c.clients[r.IntN(len(c.clients))], r.IntN(len(c.history))
		switch n := r.IntN(20); {
		case n < 2:
			by.ask(fmt.Sprintf("UPDATE t SET a = %d WHERE id = %d", i+1, k))
			c.history[k] = append(c.history[k], rowVersion{i + 1, c.now, by.process})
		case n < 4:
			c.now = c.now.Add(time.Duration(r.IntN(3000)) * time.Millisecond)
		case n < 7:
			c.strict(by, k)
		default:
			got := by.ask(fmt.Sprintf("SELECT a FROM t WHERE id = %d", k))
			if len(got) != 1 || !c.allowed(k, by.process, got[0]) {
				t.Fatalf("process %d reads %v of row %d at %v, which had %+v", by.process, got, k, c.now, c.history[k])
			}
			if got[0] != c.last(k) {
				older++
			}
		}
	}
	if older == 0 {
		t.Error("no read was answered with an older row")
	}
}

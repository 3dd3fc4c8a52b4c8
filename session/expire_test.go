package session

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"zproxy/catalog"
	"zproxy/cluster"
	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/memstore"
)

// expiring is a store that removes what has expired when it is told to, in any order.
type expiring struct{ store.Store }

func (e expiring) Capabilities() store.Capabilities {
	c := e.Store.Capabilities()
	c.Expires = true
	return c
}

// expire removes each item of a table and its indexes that has expired with a probability.
func (e expiring) expire(t *testing.T, db *DB, r *rand.Rand, name string, now time.Time) (removed int) {
	t.Helper()
	table := db.Snapshot().Relation("public", name).(*catalog.Table)
	txn, err := e.Begin(t.Context(), store.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	for _, space := range cluster.SpacesOf(table) {
		if space.Expiry == nil || space.Expiry.Column == store.NoColumn {
			continue
		}
		var keys []store.Key
		scan := store.Scan{Columns: []int{space.Expiry.Column}, Stats: &store.Stats{},
			Keys: func(k store.Key) { keys = append(keys, k) }}
		at := 0
		var gone []store.Key
		for batch, err := range txn.Scan(t.Context(), &space, &scan) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range batch.Len() {
				if table.TTL.Expired(batch.Row(i)[0], now) && r.IntN(2) == 0 {
					gone = append(gone, keys[at])
				}
				at++
			}
		}
		removed += len(gone)
		for _, k := range gone {
			if err := txn.Delete(&space, k, store.Always); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := txn.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	return removed
}

// TestStoreExpires writes to a table while the store removes rows and entries that have expired, each by
// itself, and compares every answer with those of a table on a store that removes nothing.
func TestStoreExpires(t *testing.T) {
	seed := testseed.Of(t)
	for round := range 30 {
		r := rand.New(rand.NewPCG(seed, uint64(round)))
		clock := newStepClock()
		st := expiring{memstore.New(memstore.Options{})}
		var sessions []*Session
		var dbs []*DB
		for _, st := range []store.Store{st, memstore.New(memstore.Options{})} {
			db, err := Open(t.Context(), st, Options{Now: clock.now,
				Settings: map[string]string{"zproxy.ttl_interval": "0", "zproxy.advice": "off"}})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			s := connect(t, db, "joe")
			accepted(t, s, "CREATE TABLE t (id int PRIMARY KEY, u int UNIQUE, v int, w int) WITH (ttl = '1 hour')",
				"CREATE INDEX t_v ON t (v)", "CREATE INDEX t_w ON t (w) INCLUDE (v)")
			dbs, sessions = append(dbs, db), append(sessions, s)
		}
		removed := 0
		for range 60 {
			statement := randomExpiryStatement(r)
			var outcomes []string
			for _, s := range sessions {
				c := &gathering{}
				err := s.Query(context.Background(), statement, c)
				if err != nil {
					s.Fail(err)
				}
				slices.Sort(c.lines)
				outcomes = append(outcomes, fmt.Sprint(strings.Join(c.lines, ";"), err))
			}
			if outcomes[0] != outcomes[1] {
				t.Fatalf("round %d: %s:\n%s\nwhere nothing is removed:\n%s", round, statement, outcomes[0], outcomes[1])
			}
			clock.step(time.Duration(r.IntN(20)) * time.Minute)
			removed += st.expire(t, dbs[0], r, "t", clock.now())
			for f, err := range dbs[0].Checker().All(t.Context(), false) {
				if err != nil {
					t.Fatal(err)
				}
				t.Fatalf("round %d, after %s: %s: %s: key %s, row %s. %s", round, statement, f.Name, f.Class,
					f.Key, f.Row, f.Detail)
			}
		}
		if removed == 0 {
			t.Errorf("round %d: the store removed nothing", round)
		}
	}
}

func randomExpiryStatement(r *rand.Rand) string {
	n := func() int { return r.IntN(6) }
	switch r.IntN(10) {
	case 0, 1, 2:
		return fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d, %d)", n(), n(), n(), n())
	case 3:
		return fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d, %d) ON CONFLICT (u) DO UPDATE SET v = excluded.v RETURNING id, u, v", n(), n(), n(), n())
	case 4:
		return fmt.Sprintf("INSERT INTO t VALUES (%d, %d, %d, %d), (%d, %d, %d, 1) ON CONFLICT DO NOTHING", n(), n(),
			n(), n(), n(), n(), n())
	case 5:
		return fmt.Sprintf("REPLACE INTO t VALUES (%d, %d, %d, %d)", n(), n(), n(), n())
	case 6:
		return fmt.Sprintf("UPDATE t SET u = %d, v = %d WHERE id = %d", n(), n(), n())
	case 7:
		return fmt.Sprintf("DELETE FROM t WHERE v = %d", n())
	case 8:
		return fmt.Sprintf("SELECT /*+ USE_INDEX(t, t_w) */ id, u, v FROM t WHERE w = %d", n())
	}
	return fmt.Sprintf([]string{
		"SELECT /*+ USE_INDEX(t, t_v) */ id, u, v, w FROM t WHERE v = %d",
		"SELECT id, v FROM t WHERE u = %d",
		"SELECT id, v FROM t WHERE id = %d",
		"SELECT zproxy.expire('t') * 0 + %d",
	}[r.IntN(4)], n())
}

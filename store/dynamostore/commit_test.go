package dynamostore

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"zproxy/store"
	"zproxy/types"
)

func bodied(n int) store.Item { return store.Item{Key: key(n), Values: []types.Value{types.Null}} }

// TestPhases checks in which order a commit sends its requests, and what an error of each does.
func TestPhases(t *testing.T) {
	for _, c := range []struct {
		name      string
		puts      int // loose
		base      int // with guard Absent
		dels      int // loose
		nonAtomic bool
		fail      string
		sent      string
		ok        bool
	}{
		{name: "all", puts: 60, base: 2, dels: 2, sent: "3 BatchWriteItem, 1 TransactWriteItems, 2 DeleteItem", ok: true},
		{name: "one row", puts: 1, base: 1, sent: "1 BatchWriteItem, 1 PutItem", ok: true},
		{name: "only loose", puts: 26, dels: 26, sent: "2 BatchWriteItem, 26 DeleteItem", ok: true},
		{name: "puts fail", puts: 2, base: 2, dels: 2, fail: "BatchWriteItem", sent: "1 BatchWriteItem"},
		{name: "rows fail", puts: 2, base: 2, dels: 2, fail: "TransactWriteItems", sent: "1 BatchWriteItem, 1 TransactWriteItems"},
		{name: "deletes fail", puts: 2, base: 2, dels: 1, fail: "DeleteItem", sent: "1 BatchWriteItem, 1 TransactWriteItems, 1 DeleteItem", ok: true},
		{name: "apart", puts: 2, base: 150, dels: 1, nonAtomic: true, sent: "1 BatchWriteItem, 150 PutItem, 1 DeleteItem", ok: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			var order []string
			counts := map[string]int{}
			s := openFake(t, func(action string, _ []byte) (int, string, error) {
				mu.Lock()
				defer mu.Unlock()
				if counts[action]++; counts[action] == 1 {
					order = append(order, action)
				}
				if action == c.fail {
					return 400, invalid, nil
				}
				return 200, `{}`, nil
			})
			tx, err := s.Begin(t.Context(), store.Mode{NonAtomic: c.nonAtomic})
			for i := range c.puts + c.base + c.dels {
				switch {
				case i < c.puts:
					err = errors.Join(err, tx.Put(items(1), bodied(i), store.Loose))
				case i < c.puts+c.base:
					err = errors.Join(err, tx.Put(items(1), bodied(i), store.Absent))
				default:
					err = errors.Join(err, tx.Delete(items(1), key(i), store.Loose))
				}
			}
			if err == nil {
				err = tx.Commit(t.Context())
			}
			var sent []string
			for _, action := range order {
				sent = append(sent, fmt.Sprint(counts[action], " ", action))
			}
			if got := strings.Join(sent, ", "); got != c.sent || (err == nil) != c.ok {
				t.Errorf("%s: %v; want %s", got, err, c.sent)
			}
		})
	}
}

// narrow is a service that refuses requests for the load when more than some are under way.
type narrow struct {
	room, inside, most, refused atomic.Int64
}

func (n *narrow) Do(r *http.Request) (*http.Response, error) {
	inside := n.inside.Add(1)
	n.most.Store(max(n.most.Load(), inside))
	defer n.inside.Add(-1)
	time.Sleep(10 * time.Millisecond)
	return service(func(string, []byte) (int, string, error) {
		if inside <= n.room.Load() {
			return 200, `{}`, nil
		}
		n.refused.Add(1)
		return 400, `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":""}`, nil
	}).Do(r)
}

// TestBulkGivesWay sends fewer requests at once where some are refused.
func TestBulkGivesWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := new(narrow)
		n.room.Store(1000)
		s, err := Open(t.Context(), Options{Endpoint: "http://127.0.0.1:1", HTTPClient: n})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		var cost store.Stats
		tx, err := s.Begin(t.Context(), store.Mode{Bulk: true, Stats: &cost})
		if err != nil {
			t.Fatal(err)
		}
		flush := func(room int64) (most int64) {
			n.room.Store(room)
			n.most.Store(0)
			for i := range maxWaiting {
				if err := tx.Put(items(1), bodied(i), store.Always); err != nil {
					t.Fatal(err)
				}
			}
			return n.most.Load()
		}
		var got []int64
		for _, room := range []int64{100, 4, 4, 4, 100, 100} {
			got = append(got, flush(room))
		}
		if want := []int64{16, 16, 8, 4, 5, 6}; !slices.Equal(got, want) || cost.Throttled != n.refused.Load() {
			t.Errorf("%v at once, want %v; %d refused, %+v", got, want, n.refused.Load(), cost)
		}
	})
}

// TestLeftover deletes entries loosely. Those of the version of the row that is deleted go unless
// they are young, and old ones; one that was put anew stays, since it may be that of a row which is
// there again, and so does a young one: under it may be that of a row which comes late.
func TestLeftover(t *testing.T) {
	l := createLoose(t, open(t))
	s, rows, entries := l.Store, l.rows, l.entries
	s.clock.now = func() time.Time { return time.Now().Add(-longAgo - time.Hour) }
	l.commit(func(tx store.Txn) error {
		return errors.Join(tx.Put(entries, bodied(3), store.Always), tx.Put(entries, bodied(4), store.Always))
	})
	s.clock.now = func() time.Time { return time.Now().Add(-lateness - time.Minute) }
	l.put(1, 2)
	s.clock.now = time.Now
	l.put(5)
	remove := begin(t, s)
	if err := l.remember(remove, 1, 2, 5); err != nil {
		t.Fatal(err)
	}
	l.commit(func(tx store.Txn) error { return tx.Put(entries, bodied(2), store.Loose) })
	err := errors.Join(remove.Delete(rows, key(1), store.Unchanged), remove.Delete(rows, key(2), store.Unchanged),
		remove.Delete(entries, key(1), store.Loose), remove.Delete(entries, key(2), store.Loose),
		remove.Delete(entries, key(3), store.Loose),
		remove.Delete(rows, key(5), store.Unchanged), remove.Delete(entries, key(5), store.Loose),
		remove.Commit(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	l.commit(func(tx store.Txn) error { // a repair, which has no rows to delete and saw the entries
		ask := store.Get{Keys: []store.Key{key(2), key(4)}, Remember: true, Stats: &store.Stats{}}
		_, err := tx.Get(t.Context(), entries, &ask, types.NewBatch(0))
		return errors.Join(err, tx.Delete(entries, key(2), store.Loose), tx.Delete(entries, key(4), store.Loose))
	})
	if left := l.left(); !slices.Equal(left, []int{2, 5}) {
		t.Errorf("%v", left)
	}
}

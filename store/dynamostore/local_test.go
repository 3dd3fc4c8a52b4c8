package dynamostore

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"zproxy/store"
	"zproxy/store/dynamostore/dynamolocal"
	"zproxy/types"
)

// opened numbers the stores of the tests, which share one emulator.
var opened atomic.Int64

// open gives an empty store.
func open(t testing.TB) *Store {
	t.Helper()
	s, err := Open(t.Context(), Options{
		Endpoint: dynamolocal.Start(t), TablePrefix: fmt.Sprintf("test%d", opened.Add(1)),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func items(id store.SpaceID) *store.Space {
	return &store.Space{ID: id, Name: "items", Sorted: true,
		Columns: []store.Column{{ID: 1, Name: "body", Type: types.Text}}}
}

func key(n int) store.Key {
	return store.Key{Partition: []byte("p"), Sort: fmt.Appendf(nil, "%04d", n)}
}

// load writes n items with bodies of a size.
func load(t *testing.T, s *Store, sp *store.Space, n, size int) {
	t.Helper()
	if err := s.Create(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	tx, err := s.Begin(t.Context(), store.Mode{Bulk: true})
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		body := types.NewText(strings.Repeat("x", size))
		if err := tx.Put(sp, store.Item{Key: key(i), Values: []types.Value{body}}, store.Always); err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func begin(t *testing.T, s *Store) store.Txn {
	t.Helper()
	tx, err := s.Begin(t.Context(), store.Mode{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tx.Rollback)
	return tx
}

func scanned(t *testing.T, tx store.Txn, sp *store.Space, ask store.Scan) (rows int, stats store.Stats) {
	t.Helper()
	ask.Stats = &stats
	for b, err := range tx.Scan(t.Context(), sp, &ask) {
		if err != nil {
			t.Fatal(err)
		}
		if rows += b.Len(); rows == ask.Enough {
			break
		}
	}
	return rows, stats
}

func TestPages(t *testing.T) {
	s, sp := open(t), items(1)
	load(t, s, sp, 30, 100_000)
	for _, c := range []struct {
		name  string
		ask   store.Scan
		rows  int
		pages int64
	}{
		{"all", store.Scan{Range: store.Range{Partition: []byte("p")}}, 30, 3},
		{"reverse", store.Scan{Range: store.Range{Partition: []byte("p")}, Reverse: true}, 30, 3},
		{"range", store.Scan{Range: store.Range{Partition: []byte("p"), From: key(3).Sort, To: key(7).Sort}}, 4, 1},
		{"below", store.Scan{Range: store.Range{Partition: []byte("p"), To: key(7).Sort}}, 7, 1},
		{"limit", store.Scan{Range: store.Range{Partition: []byte("p"), To: key(7).Sort}, Reverse: true, Enough: 1}, 1, 1},
		{"table", store.Scan{}, 30, 3},
		{"table, limit", store.Scan{Enough: 4}, 4, 1},
		{"crossed", store.Scan{Range: store.Range{Partition: []byte("p"), From: key(7).Sort, To: key(3).Sort}}, 0, 0},
	} {
		c.ask.Columns = []int{0}
		rows, stats := scanned(t, begin(t, s), sp, c.ask)
		if rows != c.rows || stats.Pages != c.pages || stats.Items != int64(c.rows) || stats.Examined != int64(c.rows) {
			t.Errorf("%s: %d rows, %+v; want %d in %d pages", c.name, rows, stats, c.rows, c.pages)
		}
	}
}

// between wants the sort keys up to one, and those from another on.
type between struct{ low, high []byte }

func (b between) Wanted(key []byte) bool {
	return bytes.Compare(key, b.low) <= 0 || bytes.Compare(key, b.high) >= 0
}

func (b between) Next(dst, key []byte) ([]byte, bool) {
	if b.Wanted(key) {
		return append(dst, key...), true
	}
	return append(dst, b.high...), true
}

// TestSkips goes on behind a page with the next key that is wanted, of which there may be none.
func TestSkips(t *testing.T) {
	s, sp := open(t), items(1)
	load(t, s, sp, 30, 100_000)
	all := store.Range{Partition: []byte("p")}
	for _, c := range []struct {
		name  string
		ask   store.Scan
		rows  int
		pages int64
		seeks int64
	}{
		{"jump", store.Scan{Range: all, Skip: between{key(2).Sort, key(25).Sort}}, 8, 2, 1},
		{"out of the range", store.Scan{Range: store.Range{Partition: []byte("p"), To: key(28).Sort}, Skip: between{key(2).Sort, key(29).Sort}}, 3, 1, 1},
		{"near", store.Scan{Range: all, Skip: between{key(2).Sort, key(4).Sort}}, 29, 3, 0},
		{"reverse", store.Scan{Range: all, Reverse: true, Skip: between{key(2).Sort, key(25).Sort}}, 8, 3, 0},
	} {
		c.ask.Columns = []int{0}
		rows, stats := scanned(t, begin(t, s), sp, c.ask)
		if rows != c.rows || stats.Pages != c.pages || stats.Requests != c.pages || stats.Seeks != c.seeks {
			t.Errorf("%s: %d rows, %+v; want %d in %d pages, %d seeks", c.name, rows, stats, c.rows, c.pages, c.seeks)
		}
	}
}

func TestGetMany(t *testing.T) {
	s, sp := open(t), items(1)
	load(t, s, sp, 250, 100)
	var keys []store.Key
	for i := range 300 {
		keys = append(keys, key(299-i), key(299-i))
	}
	var stats store.Stats
	out := types.NewBatch(1)
	there, err := begin(t, s).Get(t.Context(), sp, &store.Get{Keys: keys, Columns: []int{0}, Stats: &stats}, out)
	if err != nil {
		t.Fatal(err)
	}
	for i := range keys {
		want := bytes.Compare(keys[i].Sort, key(250).Sort) < 0
		if there[i] != want || out.Row(i)[0].IsNull() == want {
			t.Errorf("key %s: %v", keys[i].Sort, there[i])
		}
	}
	if stats.Requests != 3 || stats.Examined != 500 || stats.Items != 500 {
		t.Errorf("%+v", stats)
	}
}

// TestLimits checks that what is too large fails before anything is written.
func TestLimits(t *testing.T) {
	s, sp := open(t), items(1)
	load(t, s, sp, 0, 0)
	long := func(n int) types.Value { return types.NewText(strings.Repeat("x", n)) }
	put := func(tx store.Txn, k store.Key, body types.Value) error {
		return tx.Put(sp, store.Item{Key: k, Values: []types.Value{body}}, store.Absent)
	}
	tx := begin(t, s)
	for _, err := range []error{
		put(tx, store.Key{Partition: bytes.Repeat([]byte("p"), maxPartition+1)}, types.Null),
		put(tx, store.Key{Partition: []byte("p"), Sort: bytes.Repeat([]byte("s"), maxSort+1)}, types.Null),
		put(tx, key(1), long(maxItem)),
	} {
		if !errors.Is(err, store.ErrTooLarge) {
			t.Errorf("%v", err)
		}
	}
	for _, c := range []struct {
		items, size int
		want        error
	}{
		{1, maxItem - 60, nil}, {100, 10, nil}, {101, 10, nil},
	} {
		tx := begin(t, s)
		var err error
		for i := range c.items {
			err = errors.Join(err, put(tx, key(1000*c.items+i), long(c.size)))
		}
		if err == nil {
			err = tx.Commit(t.Context())
		}
		tx.Rollback()
		if !errors.Is(err, c.want) {
			t.Errorf("%d items of %d bytes: %v", c.items, c.size, err)
		}
	}
	if rows, _ := scanned(t, begin(t, s), sp, store.Scan{}); rows != 202 {
		t.Errorf("%d items", rows)
	}
}

// TestLargeItems writes more than a request takes in items that have no room for two states.
func TestLargeItems(t *testing.T) {
	s, sp := open(t), items(1)
	s.recovery.Do(func() {}) // so that the background ends
	load(t, s, sp, 0, 0)
	const count = 11
	texts := func() (out []string) {
		ask := store.Scan{Columns: []int{0}, Stats: &store.Stats{}}
		for batch, err := range begin(t, s).Scan(t.Context(), sp, &ask) {
			if err != nil {
				t.Fatal(err)
			}
			for i := range batch.Len() {
				text := batch.Row(i)[0].Text()
				out = append(out, fmt.Sprint(text[:1], " ", len(text)))
			}
		}
		return out
	}
	for _, body := range []string{"a", "b", ""} {
		tx := begin(t, s)
		ask := store.Get{Remember: true, Stats: &store.Stats{}}
		for i := range count {
			ask.Keys = append(ask.Keys, key(i))
		}
		_, err := tx.Get(t.Context(), sp, &ask, types.NewBatch(0))
		var want []string
		for i := range count {
			if body == "" {
				err = errors.Join(err, tx.Delete(sp, key(i), store.Unchanged))
				continue
			}
			value := types.NewText(strings.Repeat(body, 390_000))
			err = errors.Join(err, tx.Put(sp, store.Item{Key: key(i), Values: []types.Value{value}}, store.Unchanged))
			want = append(want, body+" 390000")
		}
		if err := errors.Join(err, tx.Commit(t.Context())); err != nil {
			t.Fatal(err)
		}
		for _, when := range []string{"at once", "later"} {
			if got := texts(); !slices.Equal(got, want) {
				t.Errorf("%q %s: %v", body, when, got)
			}
			s.background.Wait()
		}
	}
}

// TestManyColumns reads more columns than an expression can name.
func TestManyColumns(t *testing.T) {
	s, sp := open(t), items(1)
	sp.Columns = nil
	var values []types.Value
	var columns []int
	for i := range 1200 {
		sp.Columns = append(sp.Columns, store.Column{ID: uint32(i), Name: fmt.Sprint("column ", i), Type: types.Int4})
		values, columns = append(values, types.NewInt(int64(i))), append(columns, 1199-i)
	}
	if err := s.Create(t.Context(), sp); err != nil {
		t.Fatal(err)
	}
	tx := begin(t, s)
	if err := tx.Put(sp, store.Item{Key: key(1), Values: values}, store.Absent); err != nil {
		t.Fatal(err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	out := types.NewBatch(len(columns))
	ask := store.Get{Keys: []store.Key{key(1)}, Columns: columns, Stats: &store.Stats{}}
	if _, err := begin(t, s).Get(t.Context(), sp, &ask, out); err != nil {
		t.Fatal(err)
	}
	if got := out.Row(0)[1100].Int(); got != 99 {
		t.Errorf("column 99 is %d", got)
	}
}

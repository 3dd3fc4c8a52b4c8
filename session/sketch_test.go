package session

import (
	"encoding/binary"
	"slices"
	"testing"

	"zproxy/catalog"
	"zproxy/store"
	"zproxy/store/memstore"
)

// addressesIn are the first 64 bits of the keys of an index.
func addressesIn(t *testing.T, db *DB, table *catalog.Table, x *catalog.Index) []uint64 {
	t.Helper()
	txn, err := db.Store.Begin(t.Context(), store.Mode{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer txn.Rollback()
	var out []uint64
	scan := &store.Scan{Stats: &store.Stats{},
		Keys: func(k store.Key) { out = append(out, binary.BigEndian.Uint64(k.Sort)) }}
	for _, err := range txn.Scan(t.Context(), table.IndexSpace(x), scan) {
		if err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(out)
	return out
}

// checkSketch holds that between two bounds of a sketch there are about as many entries of an index
// as between any others, and says how many bounds there are.
func checkSketch(t *testing.T, db *DB, index string) int {
	t.Helper()
	table := db.Snapshot().Table("public", "t")
	x := table.Index(index)
	sketch, all := table.Stats.Sketches[x.ID], addressesIn(t, db, table, x)
	for i, bound := range sketch {
		below, _ := slices.BinarySearch(all, bound)
		with, _ := slices.BinarySearch(all, bound+1)
		share := float64(i) / float64(len(sketch)-1)
		if low, high := float64(below)/float64(len(all)), float64(with)/float64(len(all)); share < low-0.02 ||
			share > high+0.02 {
			t.Errorf("%s: bound %d of %d has %.3f of the entries below it, and %.3f with it", index, i, len(sketch),
				low, high)
			break
		}
	}
	return len(sketch)
}

// TestSketches holds that indexes have sketches once they are built, and better ones after ANALYZE,
// which are stored, and go with them.
func TestSketches(t *testing.T) {
	st := memstore.New(memstore.Options{})
	open := func() (*DB, *Session) {
		db, err := Open(t.Context(), st, Options{Settings: map[string]string{"zproxy.advice": "off"}})
		if err != nil {
			t.Fatal(err)
		}
		return db, connect(t, db, "joe")
	}
	db, s := open()
	accepted(t, s, "CREATE TABLE t (id int PRIMARY KEY, a float8, b int, c text)",
		"INSERT INTO t SELECT i, sqrt(i), i * 7919 % 1000, NULLIF(i % 50, 0)::text FROM generate_series(1, 6000) AS i",
		"CREATE INDEX x ON t USING zorder (a, b)", "CREATE INDEX CONCURRENTLY y ON t USING zorder (b, c)",
		"SELECT zproxy.wait_for_index('t', 'y')", "CREATE INDEX part ON t USING zorder (a, b) WHERE b < 100")
	for index, want := range map[string]int{"x": 4096, "y": 4096, "part": 600} {
		if n := checkSketch(t, db, index); n != want {
			t.Errorf("%s: a sketch of %d addresses, want %d", index, n, want)
		}
	}
	accepted(t, s, "INSERT INTO t SELECT i, -i, i % 10, 'z' FROM generate_series(6001, 9000) AS i", "ANALYZE t")
	db.Close()
	db, s = open()
	for index, want := range map[string]int{"x": 4096, "y": 4096, "part": 3600} {
		if n := checkSketch(t, db, index); n != want {
			t.Errorf("after ANALYZE, %s: a sketch of %d addresses, want %d", index, n, want)
		}
	}

	accepted(t, s, "REINDEX INDEX CONCURRENTLY x")
	for under := true; under; under, _ = db.builds.UnderWay(t.Context(),
		db.Snapshot().Table("public", "t").Index("x").ID) {
		accepted(t, s, "SELECT 1")
	}
	if n := checkSketch(t, db, "x"); n != 4096 {
		t.Errorf("after REINDEX: a sketch of %d addresses", n)
	}
	accepted(t, s, "DROP INDEX part", "ALTER TABLE t ADD COLUMN d int DEFAULT 3")
	accepted(t, s, "TRUNCATE t")
	db.Close()
	db, _ = open()
	defer db.Close()
	if left := db.Snapshot().Table("public", "t").Stats.Sketches; len(left) > 0 {
		t.Errorf("%d sketches are left of no rows", len(left))
	}
}

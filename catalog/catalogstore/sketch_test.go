package catalogstore

import (
	"slices"
	"testing"

	"zproxy/catalog"
	"zproxy/store"
	"zproxy/types"
)

// storedSketches are the numbers of the indexes that have a sketch in the store.
func storedSketches(t *testing.T, st store.Store) []uint64 {
	t.Helper()
	var out []uint64
	err := items(t.Context(), begin(t, st), kindSketch, bytesColumn, func(id uint64, _ types.Value) error {
		out = append(out, id)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSketches holds that sketches are stored when they change, and go with what they are about.
func TestSketches(t *testing.T) {
	st := open(t)
	var before *catalog.Table
	put := func(change func(*catalog.Table)) *catalog.Table {
		t.Helper()
		table := testTable()
		table.Stats = catalog.Stats{Known: true, Rows: 5, Columns: map[uint32]catalog.ColumnStats{}}
		change(table)
		txn := begin(t, st)
		if err := Put(txn, catalog.DatabaseID, table); err != nil {
			t.Fatal(err)
		}
		if err := PutSketches(txn, before, table); err != nil {
			t.Fatal(err)
		}
		commit(t, txn)
		snap, err := Load(t.Context(), begin(t, st))
		if err != nil {
			t.Fatal(err)
		}
		before = table
		return snap.In(catalog.DatabaseID).Table("public", "t")
	}
	const z, none = 20001, 999
	first := []uint64{1, 2, 1 << 63, 1<<64 - 1}
	for _, c := range []struct {
		what     string
		sketches map[uint32][]uint64
	}{
		{"the first", map[uint32][]uint64{z: first}},
		{"the same", map[uint32][]uint64{z: first}},
		{"another one", map[uint32][]uint64{z: {7, 8}}},
		{"that of another index, which is not there", map[uint32][]uint64{none: {7, 8}}},
		{"the first again", map[uint32][]uint64{z: first}},
	} {
		got := put(func(table *catalog.Table) { table.Stats.Sketches = c.sketches })
		if !slices.Equal(got.Stats.Sketches[z], c.sketches[z]) {
			t.Errorf("%s: %v", c.what, got.Stats.Sketches)
		}
		if want := min(1, len(c.sketches[z])); len(storedSketches(t, st)) != want {
			t.Errorf("%s: %v are stored", c.what, storedSketches(t, st))
		}
	}
	put(func(table *catalog.Table) { table.Stats.Sketches, table.Indexes = map[uint32][]uint64{z: first}, nil })
	if left := storedSketches(t, st); left != nil {
		t.Errorf("without the index: %v", left)
	}
	put(func(table *catalog.Table) { table.Stats.Sketches = map[uint32][]uint64{z: first} })
	txn := begin(t, st)
	if err := Delete(txn, catalog.DatabaseID, before); err != nil {
		t.Fatal(err)
	}
	commit(t, txn)
	if left := storedSketches(t, st); left != nil {
		t.Errorf("without the table: %v", left)
	}
}

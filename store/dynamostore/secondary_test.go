package dynamostore

import (
	"testing"
	"testing/synctest"
	"time"

	"zproxy/encoding/ordered"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

// following is a table that carries the keys of an index, and the index.
func following() (table, index *store.Space) {
	columns := []store.Column{{ID: 1, Name: "a", Type: types.Int8}}
	table = &store.Space{ID: 1, Name: "t", Columns: columns, Carries: []store.SpaceID{2}}
	return table, &store.Space{ID: 2, Name: "t.by_a", Columns: columns, Sorted: true, Base: 1, BaseName: "t"}
}

// TestSecondaryLost makes and removes an index while answers get lost and tables take their time. What it holds is what
// the items carry, also those that were there before.
func TestSecondaryLost(t *testing.T) {
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			f := dynamofake.New(dynamofake.Options{Seed: seed, TableDelay: 3 * time.Second})
			s := openOn(t, f, "")
			table, index := following()
			must(t, s.Create(t.Context(), table))
			f.SetFaults(dynamofake.Faults{ErrorBefore: 0.2, ErrorAfter: 0.2, Throttle: 0.1})
			put := func(id int64, has bool) {
				tx := begin(t, s)
				values := types.Row{types.NewInt(10 * id), types.Null, types.Null}
				if has {
					values[1], values[2] = types.NewBytes(nil), types.NewBytes(numbered(10*id).Partition)
				}
				must(t, tx.Put(table, store.Item{Key: numbered(id), Values: values}, store.Always))
				must(t, tx.Commit(t.Context()))
			}
			f.EndFaults()
			put(1, true)
			put(2, false)
			f.SetFaults(dynamofake.Faults{ErrorBefore: 0.2, ErrorAfter: 0.2, Throttle: 0.1})
			must(t, s.Create(t.Context(), index))
			must(t, s.Create(t.Context(), index))
			f.EndFaults()
			put(3, true)
			all := store.Scan{Columns: []int{0}, Range: store.Range{Partition: []byte{}}}
			rows, _ := scanned(t, begin(t, s), index, all)
			if rows != 2 {
				t.Errorf("seed %d: %d items in the index, want 2", seed, rows)
			}
			f.SetFaults(dynamofake.Faults{ErrorBefore: 0.2, ErrorAfter: 0.2, Throttle: 0.1})
			must(t, s.Drop(t.Context(), index))
			must(t, s.Drop(t.Context(), index))
			must(t, s.Drop(t.Context(), table))
			must(t, s.Drop(t.Context(), index))
			must(t, s.Close())
		})
	}
}

func numbered(n int64) store.Key {
	return store.Key{Partition: ordered.Append(nil, types.NewInt(n), false)}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSecondaryRefuses reads and writes an index as the store does not.
func TestSecondaryRefuses(t *testing.T) {
	s := openOn(t, dynamofake.New(dynamofake.Options{}), "")
	table, index := following()
	must(t, s.Create(t.Context(), table))
	must(t, s.Create(t.Context(), index))
	tx := begin(t, s)
	item := store.Item{Key: numbered(1), Values: types.Row{types.NewInt(1)}}
	if err := tx.Put(index, item, store.Always); err == nil {
		t.Error("an index was written")
	}
	if err := tx.Delete(index, numbered(1), store.Always); err == nil {
		t.Error("an index was written")
	}
	if err := tx.Put(table, item, store.Always); err == nil {
		t.Error("an item without the values of its keys was put")
	}
	get := store.Get{Keys: []store.Key{numbered(1)}, Columns: []int{0}, Remember: true, Stats: &store.Stats{}}
	if _, err := tx.Get(t.Context(), index, &get, types.NewBatch(1)); err == nil {
		t.Error("an index was read to be remembered")
	}
	if err := s.AlterSpace(t.Context(), index); err == nil {
		t.Error("the capacity of an index was changed")
	}
}

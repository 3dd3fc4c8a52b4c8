package store_test

import (
	"testing"

	"zproxy/store"
	"zproxy/types"
)

// TestUnits holds the arithmetic of units at the edges of what is rounded.
func TestUnits(t *testing.T) {
	for _, test := range []struct{ bytes, read, write float64 }{
		{0, 1, 1}, {1, 1, 1}, {1024, 1, 1}, {1025, 1, 2}, {4096, 1, 4}, {4097, 2, 5}, {409600, 100, 400},
	} {
		if r, w := store.ReadUnits(test.bytes), store.WriteUnits(test.bytes); r != test.read || w != test.write {
			t.Errorf("%v bytes: %v and %v units", test.bytes, r, w)
		}
	}
	for _, test := range []struct{ bytes, requests, units float64 }{
		{0, 1, 1}, {96000, 1, 24}, {1 << 20, 1, 256}, {1<<20 + 1, 2, 257}, {3 << 20, 3, 768},
	} {
		if n, u := store.RangeUnits(test.bytes); n != test.requests || u != test.units {
			t.Errorf("a range of %v bytes: %v requests, %v units", test.bytes, n, u)
		}
	}
}

// TestItemBytes adds up an item: what the store adds, the key, and the columns that are not NULL.
func TestItemBytes(t *testing.T) {
	s := &store.Space{Sorted: true, Columns: []store.Column{{Name: "n", Type: types.Int8}, {Name: "text", Type: types.Text},
		{Name: "none", Type: types.Text}}}
	it := store.Item{
		Key:    store.Key{Partition: make([]byte, 5), Sort: make([]byte, 3)},
		Values: []types.Value{types.NewInt(1234), types.NewText("abc"), types.Null},
	}
	if n := store.ItemBytes(s, it); n != 17+8+1+3+4+3 {
		t.Errorf("%d bytes", n)
	}
}

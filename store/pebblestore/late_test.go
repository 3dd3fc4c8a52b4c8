package pebblestore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/internal/testseed"
	"zproxy/store"
	"zproxy/store/late"
	"zproxy/types"
)

var mixedSpace = &store.Space{ID: 9, Name: "mixed", Sorted: true, Columns: []store.Column{
	{ID: 1, Name: "a", Type: types.Int8}, {ID: 2, Name: "b", Type: types.Text}, {ID: 3, Name: "c", Type: types.Int8},
	{ID: 4, Name: "d", Type: types.Text}, {ID: 5, Name: "e", Type: types.Numeric}}}

// loadMixed writes rows of which some have NULLs, and every fourth is a write of a transaction that is open.
func loadMixed(t *testing.T, s *Store, rng *rand.Rand, rows int) *txn {
	t.Helper()
	load := begin(t, s, store.Mode{})
	var own []store.Item
	for i := range rows {
		values := []types.Value{types.NewInt(rng.Int64N(10)), types.NewText(fmt.Sprintf("text %d", rng.IntN(1e9))),
			types.NewInt(rng.Int64()), types.NewText("y"), types.Null}
		for at := 1; at < len(values); at++ {
			if rng.IntN(5) == 0 {
				values[at] = types.Null
			}
		}
		item := store.Item{
			Key: store.Key{Partition: []byte("p"), Sort: fmt.Appendf(nil, "%06d", i)}, Values: values}
		if rng.IntN(4) == 0 {
			own = append(own, item)
			continue
		}
		must(t, load.Put(mixedSpace, item, store.Always))
	}
	must(t, load.Commit(ctx))
	tx := begin(t, s, store.Mode{})
	for _, item := range own {
		must(t, tx.Put(mixedSpace, item, store.Always))
	}
	return tx
}

// rowsUpTo scans, with late columns or not, and gives the rows whose first column is not above a number.
func rowsUpTo(t *testing.T, tx *txn, columns []int, most int64, by *late.Columns) (out []string, filtered int64) {
	t.Helper()
	var stats store.Stats
	scan := store.Scan{Columns: columns, Stats: &stats}
	scan.Late = by
	for batch, err := range tx.Scan(ctx, mixedSpace, &scan) {
		must(t, err)
		for i := range batch.Len() {
			if row := batch.Row(i); row[0].Int() <= most {
				var key []byte
				for _, v := range row {
					key = types.AppendKey(key, v)
				}
				out = append(out, string(key))
			}
		}
	}
	return out, stats.Filtered
}

// TestLate compares scans that make some columns later with those that make all at once.
func TestLate(t *testing.T) {
	rng := rand.New(rand.NewPCG(testseed.Of(t), 0))
	s := openMem(t, vfs.NewMem())
	tx := loadMixed(t, s, rng, 5000)
	defer tx.Rollback()
	for range 40 {
		columns := []int{0}
		for range rng.IntN(5) {
			columns = append(columns, rng.IntN(6)-1) // NoColumn, too
		}
		by := &late.Columns{Early: make([]bool, len(columns))}
		for at := range by.Early {
			by.Early[at] = at == 0 || rng.IntN(3) == 0
		}
		most := rng.Int64N(11) - 1
		by.Keep = func(b *types.Batch) (sel []int32, err error) {
			for i := range b.Len() {
				if b.Column(0).Int(i) <= most {
					sel = append(sel, int32(i))
				}
			}
			return sel, nil
		}
		want, _ := rowsUpTo(t, tx, columns, most, nil)
		got, filtered := rowsUpTo(t, tx, columns, most, by)
		if !slices.Equal(got, want) || filtered == 0 && most < 9 {
			t.Fatalf("columns %v, early %v, up to %d: %d rows, want %d; %d filtered", columns, by.Early, most, len(got),
				len(want), filtered)
		}
	}
	failed := errors.New("failed")
	fails := &late.Columns{Early: []bool{true, false},
		Keep: func(*types.Batch) ([]int32, error) { return nil, failed }}
	scan := &store.Scan{Columns: []int{0, 1}, Stats: &store.Stats{}}
	scan.Late = fails
	for _, err := range tx.Scan(ctx, mixedSpace, scan) {
		if !errors.Is(err, failed) {
			t.Errorf("error %v, want that of Keep", err)
		}
	}
}

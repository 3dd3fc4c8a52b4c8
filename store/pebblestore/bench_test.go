package pebblestore

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"zproxy/store"
	"zproxy/types"
)

var wideSpace = &store.Space{ID: 7, Name: "wide", Sorted: true, Columns: []store.Column{
	{ID: 1, Name: "id", Type: types.Int8}, {ID: 2, Name: "name", Type: types.Text}, {ID: 3, Name: "price", Type: types.Float8},
	{ID: 4, Name: "at", Type: types.Timestamp}, {ID: 5, Name: "count", Type: types.Int4},
}}

func wideKey(i int) store.Key {
	return store.Key{Partition: fmt.Appendf(nil, "%04d", i/1000), Sort: fmt.Appendf(nil, "%08d", i)}
}

func wideItem(i int) store.Item {
	return store.Item{Key: wideKey(i), Values: []types.Value{types.NewInt(int64(i)),
		types.NewText(fmt.Sprint("some words, number ", i)),
		types.NewFloat(float64(i) / 3), types.NewTimestamp(800_000_000_000_000 + int64(i)),
		types.NewInt(int64(i % 100))}}
}

// loaded is a store on disk with n items, which were written in random order and are
// compacted.
func loaded(b *testing.B, n int) *Store {
	b.Helper()
	s, err := Open(b.TempDir(), Options{FS: vfs.Default})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(n, func(i, j int) { order[i], order[j] = order[j], order[i] })
	tx, _ := s.Begin(context.Background(), store.Mode{Bulk: true})
	for _, i := range order {
		if err := tx.Put(wideSpace, wideItem(i), store.Always); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(context.Background()); err != nil {
		b.Fatal(err)
	}
	if err := s.db.Compact(context.Background(), []byte{0}, []byte{1}, false); err != nil {
		b.Fatal(err)
	}
	return s
}

func BenchmarkGet(b *testing.B) {
	const n = 1_500_000
	s := loaded(b, n)
	ctx := context.Background()
	for _, keys := range []int{0, 1, 4, 5, 10, 100} {
		b.Run(fmt.Sprintf("%d-keys", keys), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			out := types.NewBatch(5)
			g := store.Get{Columns: []int{0, 1, 2, 3, 4}, Stats: &store.Stats{}}
			b.ReportAllocs()
			for b.Loop() {
				g.Keys = g.Keys[:0]
				for range keys {
					g.Keys = append(g.Keys, wideKey(rng.IntN(n)))
				}
				tx, err := s.Begin(ctx, store.Mode{ReadOnly: true})
				if err != nil {
					b.Fatal(err)
				}
				out.Reset(5)
				if _, err := tx.Get(ctx, wideSpace, &g, out); err != nil {
					b.Fatal(err)
				}
				tx.Rollback()
			}
		})
	}
}

// BenchmarkPebbleGet is what Pebble itself takes for BenchmarkGet/1-keys.
func BenchmarkPebbleGet(b *testing.B) {
	const n = 1_500_000
	s := loaded(b, n)
	rng := rand.New(rand.NewPCG(1, 1))
	for b.Loop() {
		k := wideKey(rng.IntN(n))
		key := append(append([]byte{0, 0, 0, 0, 0, 0, 0, 7}, k.Partition...), k.Sort...)
		_, closer, err := s.db.Get(key)
		if err != nil {
			b.Fatal(err)
		}
		closer.Close()
	}
}

func BenchmarkScan(b *testing.B) {
	const n = 1_500_000
	s := loaded(b, n)
	for _, rows := range []int{1, 10, 100, 10_000} {
		b.Run(fmt.Sprintf("rows=%d", rows), func(b *testing.B) { benchScan(b, s, rows, n) })
	}
}

func benchScan(b *testing.B, s *Store, rows, n int) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 1))
	tx, err := s.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		b.Fatal(err)
	}
	defer tx.Rollback()
	b.ReportAllocs()
	total := 0
	for b.Loop() {
		from := wideKey(rng.IntN(n - rows))
		r := store.Scan{Range: store.Range{From: append(from.Partition, from.Sort...)}, Columns: []int{0, 1, 2, 3, 4},
			Enough: rows, Stats: &store.Stats{}}
		for batch, err := range tx.Scan(ctx, wideSpace, &r) {
			if err != nil {
				b.Fatal(err)
			}
			if total += batch.Len(); total%rows == 0 {
				break
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(total), "ns/row")
}

// BenchmarkCommit commits transactions of four items, synced, of some connections at a time.
func BenchmarkCommit(b *testing.B) {
	for _, connections := range []int{1, 8} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			s := loaded(b, 1)
			ctx := context.Background()
			var next atomic.Int64
			b.ResetTimer()
			var group sync.WaitGroup
			for range connections {
				group.Go(func() {
					for n := next.Add(4); n < int64(4*b.N); n = next.Add(4) {
						tx, _ := s.Begin(ctx, store.Mode{})
						for i := range 4 {
							if err := tx.Put(wideSpace, wideItem(int(n)+i), store.Absent); err != nil {
								b.Error(err)
							}
						}
						if err := tx.Commit(ctx); err != nil {
							b.Error(err)
						}
					}
				})
			}
			group.Wait()
		})
	}
}

// BenchmarkLoad puts 500,000 items into one transaction.
func BenchmarkLoad(b *testing.B) {
	const n = 500_000
	for _, bulk := range []bool{false, true} {
		b.Run(fmt.Sprintf("bulk=%v", bulk), func(b *testing.B) {
			for b.Loop() {
				s := loaded(b, 1)
				tx, _ := s.Begin(context.Background(), store.Mode{Bulk: bulk})
				for i := range n {
					if err := tx.Put(wideSpace, wideItem(i+1), store.Absent); err != nil {
						b.Fatal(err)
					}
				}
				if err := tx.Commit(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/item")
		})
	}
}

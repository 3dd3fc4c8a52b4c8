package executor

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/internal/valuetest"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestSortColumns sorts rows of random types as columns and one by one, in memory and in files: in the same order.
func TestSortColumns(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 11))
	var all []types.T
	for _, x := range slices.Concat(valuetest.Types(), valuetest.Composed()) {
		if x.Kind().Ordered() {
			all = append(all, x)
		}
	}
	for range 300 {
		width := 1 + random.IntN(4)
		of := make([]types.T, width)
		var by []plan.SortKey
		for at := range of {
			of[at] = all[random.IntN(len(all))]
			if at == 0 || random.IntN(2) == 0 {
				by = append(by, plan.SortKey{Expr: expr.Column{Index: at, T: of[at]}, Desc: random.IntN(2) == 0,
					NullsFirst: random.IntN(2) == 0})
			}
		}
		batches := randomBatches(random, of)
		f := frame{ctx: context.Background(), env: newEnv()}
		if random.IntN(3) == 0 {
			f.env.WorkMemory = 20 << 10
		}
		byOne := newSorter(f, by, width, math.MaxInt64)
		wanted := wantedRows{math.MaxInt64, new(atomic.Uint64)}
		if wanted.last.Store(math.MaxUint64); random.IntN(2) == 0 {
			wanted.most = 1 + random.Int64N(500)
		}
		byColumns := newColumnSorter(f, by, width, wanted)
		for _, b := range batches {
			err := byOne.take(b)
			if random.IntN(2) == 0 {
				b.ToColumns()
			}
			if err = cmp.Or(err, byColumns.take(b)); err != nil {
				t.Fatal(err)
			}
		}
		want, got := delivered(t, f, width, byOne.deliver), delivered(t, f, width, byColumns.deliver)
		spills := byColumns.files != nil
		byOne.close()
		byColumns.close()
		if wanted.most < int64(len(want)) && wanted.most <= int64(len(got)) {
			want, got = want[:wanted.most], got[:wanted.most]
		}
		for _, row := range want {
			v, err := by[0].Expr.Eval(f.env.Expr, row)
			if err != nil || prefix(by[0], v) > wanted.last.Load() {
				t.Fatalf("%v by %v: a wanted row is behind the last one: %v, %v", of, by, row, err)
			}
		}
		if !slices.EqualFunc(want, got, func(a, b types.Row) bool { return slices.EqualFunc(a, b, types.Identical) }) {
			at := 0
			for at < min(len(want), len(got)) && slices.EqualFunc(want[at], got[at], types.Identical) {
				at++
			}
			t.Fatalf("%v by %v, in files %v: %d rows, %d as columns; the first that differs is %d", of, by, spills,
				len(want), len(got), at)
		}
		if used := f.env.memory.used; used != 0 {
			t.Fatalf("%d bytes are still held", used)
		}
	}
}

// randomBatches are batches of few or many rows, of which many begin alike or are equal in places.
func randomBatches(random *rand.Rand, of []types.T) (out []*types.Batch) {
	number := types.Row{}
	for _, x := range of {
		number = append(number, valuetest.Random(random, x))
	}
	for range random.IntN(12) {
		b := types.NewBatch(len(of))
		most := 1 + random.IntN(types.BatchRows)
		if random.IntN(2) == 0 {
			most = 1 + random.IntN(8)
		}
		for range most {
			row := b.Add()
			for at, x := range of {
				switch random.IntN(8) {
				case 0:
				case 1:
					row[at] = number[at]
				default:
					row[at] = valuetest.Random(random, x)
				}
			}
		}
		out = append(out, b)
	}
	return out
}

// delivered are the rows that a sorter delivers.
func delivered(t *testing.T, f frame, width int, deliver func(*output) error) (out []types.Row) {
	for batch, err := range produce(f, width, deliver) {
		if err != nil {
			t.Fatal(err)
		}
		for i := range batch.Len() {
			out = append(out, slices.Clone(batch.Row(i)))
		}
	}
	return out
}

// TestRadixSort sorts random items, which stay as they were where their prefixes are equal.
func TestRadixSort(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 12))
	var room []sortItem
	for range 200 {
		items := make([]sortItem, 1+random.IntN(3000))
		mask := random.Uint64() & random.Uint64() & random.Uint64() // bytes that all have alike, and equal ones
		for i := range items {
			items[i] = sortItem{prefix: random.Uint64() & mask, row: int32(i)}
		}
		want := slices.Clone(items)
		slices.SortStableFunc(want, func(a, b sortItem) int { return cmp.Compare(a.prefix, b.prefix) })
		if room = radixSort(items, room); !slices.Equal(items, want) {
			t.Fatalf("%d items with bits of %x are not in order", len(items), mask)
		}
	}
}

// BenchmarkSort sorts a million rows by a number that is anywhere, or by a text.
func BenchmarkSort(b *testing.B) {
	const rows = 1 << 20
	for _, by := range []int{0, 2} {
		b.Run(fmt.Sprint("column ", by), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 1))
			var batches []*types.Batch
			for n := 0; n < rows; n += types.BatchRows {
				batch := types.NewBatch(3)
				for i := range types.BatchRows {
					row := batch.Add()
					row[0], row[1] = types.NewInt(random.Int64N(1<<31)), types.NewInt(int64(n+i))
					row[2] = types.NewText(fmt.Sprint("s", random.IntN(rows)))
				}
				batch.ToColumns()
				batches = append(batches, batch)
			}
			keys := []plan.SortKey{{Expr: column(by)}}
			b.ResetTimer()
			for range b.N {
				f := frame{ctx: context.Background(), env: newEnv()}
				f.env.WorkMemory = 1 << 30
				s := newColumnSorter(f, keys, 3, wantedRows{math.MaxInt64, new(atomic.Uint64)})
				for _, batch := range batches {
					if err := s.take(batch); err != nil {
						b.Fatal(err)
					}
				}
				n := 0
				for batch, err := range produce(f, 3, s.deliver) {
					if err != nil {
						b.Fatal(err)
					}
					n += batch.Len()
				}
				s.close()
				if n != rows {
					b.Fatal(n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(rows*b.N), "ns/row")
		})
	}
}

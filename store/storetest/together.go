package storetest

import (
	"fmt"
	"slices"
	"sync"

	"zproxy/store"
	"zproxy/types"
)

var togetherTests = []test{
	{name: "reads at once", run: testReadsAtOnce},
}

// testReadsAtOnce reads in several goroutines of one transaction, over writes of its own,
// and goes on writing when they are done. The race detector sees what the rows do not tell.
func testReadsAtOnce(e *env) {
	s := e.grid()
	tx := e.begin(store.Mode{})
	for round := range 3 {
		for i, p := range partitions {
			e.must(tx.Put(s, item(p, fmt.Sprint("a", round), types.NewText(fmt.Sprint("new ", round))), store.Always))
			e.must(tx.Delete(s, key(p, sorts[(i+round)%len(sorts)]), store.Always))
		}
		want := map[string][]string{}
		for _, p := range partitions {
			want[p] = e.scan(tx, s, store.Scan{Range: store.Range{Partition: []byte(p)}})
		}
		var readers sync.WaitGroup
		wrong := make([]string, 4*len(partitions))
		for i := range wrong {
			p := partitions[i%len(partitions)]
			readers.Go(func() { wrong[i] = e.differ(tx, s, p, want[p], i/len(partitions)) })
		}
		readers.Wait()
		for _, w := range wrong {
			if w != "" {
				e.Error(w)
			}
		}
	}
	e.must(tx.Commit(ctx))
}

// differ reads a partition in one of four ways and says what is not as it should be.
func (e *env) differ(tx store.Txn, s *store.Space, partition string, want []string, way int) string {
	if way == 3 {
		return differGet(tx, s, partition)
	}
	r := store.Scan{
		Range: store.Range{Partition: []byte(partition)}, Columns: all(s), Reverse: way == 1, Enough: way * 3,
		Stats: &store.Stats{},
	}
	var got []string
	for batch, err := range tx.Scan(ctx, s, &r) {
		if err != nil {
			return err.Error()
		}
		for i := range batch.Len() {
			got = append(got, show(batch.Row(i)))
		}
	}
	if r.Reverse {
		slices.Reverse(got)
	}
	if !slices.Equal(got, want) || r.Stats.Items != int64(len(want)) {
		return fmt.Sprintf("partition %q: %q, want %q; %+v", partition, got, want, r.Stats)
	}
	return ""
}

// differGet gets what the transaction itself has written last, and something that is not there.
func differGet(tx store.Txn, s *store.Space, partition string) string {
	g := store.Get{Keys: []store.Key{key(partition, "a0"), key(partition, "none")}, Columns: all(s),
		Stats: &store.Stats{}}
	out := types.NewBatch(1)
	there, err := tx.Get(ctx, s, &g, out)
	switch {
	case err != nil:
		return err.Error()
	case !slices.Equal(there, []bool{true, false}), out.Row(0)[0].Text() != "new 0", g.Stats.Items != 1:
		return fmt.Sprintf("partition %q: %v, %+v", partition, there, g.Stats)
	}
	return ""
}

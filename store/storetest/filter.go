package storetest

import (
	"fmt"
	"slices"

	"zproxy/encoding/span"
	"zproxy/store"
	"zproxy/types"
)

// testFilter reads with tests. A store may leave out what does not pass, and nothing else, wherever
// its pages end and whatever the transaction wrote itself.
func testFilter(e *env) {
	s := e.space(true, types.Int4, types.Text)
	var items []store.Item
	for i := range 500 {
		values := []types.Value{types.NewInt(int64(i % 7)), types.NewText(fmt.Sprint("text ", i%5))}
		if i%11 == 0 {
			values[1] = types.Null
		}
		items = append(items, item(pick(e, partitions), number(i), values...))
	}
	e.load(s, items)
	for range 30 {
		tx := e.begin(store.Mode{})
		for range e.rng.IntN(3) { // own writes may pass or not
			it := items[e.rng.IntN(len(items))]
			e.must(tx.Put(s, store.Item{Key: it.Key,
				Values: []types.Value{types.NewInt(int64(e.rng.IntN(7))), types.Null}}, store.Always))
		}
		tests := []store.Test{{Column: e.rng.IntN(2)}}
		tests[0].Set = e.someSet(tests[0].Column)
		if e.rng.IntN(2) == 0 {
			tests = append(tests, store.Test{Column: 1 - tests[0].Column, Set: e.someSet(1 - tests[0].Column)})
		}
		scan := store.Scan{Reverse: e.rng.IntN(2) == 0}
		if e.rng.IntN(3) > 0 {
			scan.Range = store.Range{Partition: []byte(pick(e, partitions)), From: []byte(number(e.rng.IntN(100)))}
		}
		all := e.passing(tx, s, scan, tests)
		scan.Filter, scan.Enough, scan.Each = tests, e.rng.IntN(40), float64(e.rng.IntN(50))
		got := e.passing(tx, s, scan, tests)
		if scan.Range.Partition == nil {
			got, all = e.sorted(got), e.sorted(all)
		}
		e.equal(fmt.Sprintf("%+v", scan), got, all)
		tx.Rollback()
	}
}

// someSet is a random set for a column of testFilter.
func (e *env) someSet(column int) span.Set {
	value := func() types.Value {
		if column == 0 {
			return types.NewInt(int64(e.rng.IntN(8)))
		}
		return types.NewText(fmt.Sprint("text ", e.rng.IntN(6)))
	}
	switch e.rng.IntN(6) {
	case 0:
		return span.Points(value(), value())
	case 1:
		return span.Of(span.Interval{Low: value(), LowOpen: true})
	case 2:
		return span.Of(span.Interval{High: value()}).Union(span.OnlyNull)
	case 3:
		return span.NotNull
	case 4:
		return span.Points(value()).Complement()
	}
	return span.OnlyNull
}

// passing is what a scan delivers that passes tests.
func (e *env) passing(tx store.Txn, s *store.Space, r store.Scan, tests []store.Test) []string {
	e.Helper()
	r.Columns, r.Stats = all(s), &store.Stats{}
	rows := []string{}
	for batch, err := range tx.Scan(ctx, s, &r) {
		e.must(err)
		for i := range batch.Len() {
			row := batch.Row(i)
			if !slices.ContainsFunc(tests, func(t store.Test) bool { return !t.Set.Contains(row[t.Column]) }) {
				rows = append(rows, show(row))
			}
		}
	}
	if r.Stats.Examined < r.Stats.Items+r.Stats.Filtered {
		e.Errorf("stats %+v", *r.Stats)
	}
	return rows
}

package dynamostore

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"

	"zproxy/internal/testseed"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/dynamostore/dynamofake"
	"zproxy/types"
)

var outsideRuns = flag.Int("outside.runs", 6, "how many tables TestOutsideWrites has")

// TestOutsideWrites makes random transactions on random tables of other programs. Each sees what it has written, in the
// table and in its indexes, and leaves items that differ in nothing else.
func TestOutsideWrites(t *testing.T) {
	seed := testseed.Of(t)
	for n := range *outsideRuns {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { outsideWrites(t, draw{rand.New(rand.NewPCG(seed, uint64(n)))}) })
		})
	}
}

func outsideWrites(t *testing.T, d draw) {
	fake := dynamofake.New(dynamofake.Options{Seed: d.Uint64(), PageItems: d.IntN(6), UnorderedTies: d.IntN(2) == 0})
	if d.IntN(2) == 0 {
		fake.SetFaults(dynamofake.Faults{Partial: 0.2, Pages: 0.1, Throttle: 0.02})
	}
	f := newForeign(t, openOn(t, fake, ""), d)
	for range 8 {
		f.transact()
	}
}

// point is a mark in a transaction, and how the items are to be read there.
type point struct {
	mark  store.Mark
	items map[string]item
}

// work is a transaction under way.
type work struct {
	*foreign
	tx     store.Txn
	now    map[string]item // as it is to see them
	points []point
}

func (f *foreign) transact() {
	f.t.Helper()
	w := &work{foreign: f, tx: begin(f.t, f.s), now: maps.Clone(f.items)}
	for range 2 + f.IntN(12) {
		switch f.IntN(10) {
		case 0:
			w.points = append(w.points, point{w.tx.Mark(), maps.Clone(w.now)})
		case 1:
			if n := len(w.points); n > 0 {
				at := f.IntN(n)
				w.points = w.points[:at+1]
				w.tx.RollbackTo(w.points[at].mark)
				w.now = maps.Clone(w.points[at].items)
			}
		case 2, 3, 4:
			w.update()
		case 5, 6:
			w.insert()
		case 7:
			w.remove()
		default:
			w.read()
		}
	}
	w.read()
	if f.IntN(6) == 0 {
		w.tx.Rollback()
		f.compare("after a rollback")
		return
	}
	if err := w.tx.Commit(f.t.Context()); err != nil {
		f.t.Fatalf("commit: %v %+v", err, errors.Unwrap(err))
	}
	f.items = w.now
	f.compare("after a commit")
	f.items = f.raw()
}

// look reads an item to write it, and says whether it is there.
func (w *work) look(i item) bool {
	w.t.Helper()
	k := w.keyOf(i)
	columns := w.columns()
	out := types.NewBatch(len(columns))
	ask := &store.Get{Keys: []store.Key{k}, Columns: columns, Remember: true, Stats: &store.Stats{}}
	there, err := w.tx.Get(w.t.Context(), w.table(), ask, out)
	if err != nil {
		w.t.Fatal(err)
	}
	if is := w.now[wholeKey(k)]; there[0] != (is != nil) {
		w.t.Fatalf("%q is there: %t", k, there[0])
	} else if is != nil {
		if got, want := w.shown(k, out.Row(0)), w.shown(k, w.row(is)); got != want {
			w.t.Fatalf("get:\n%s\nwant\n%s", got, want)
		}
	}
	return there[0]
}

func (w *work) columns() []int {
	var columns []int
	for c := range w.table().Columns {
		columns = append(columns, c)
	}
	return columns
}

// some is an item that is there.
func (w *work) some() item {
	keys := slices.Sorted(maps.Keys(w.now))
	if len(keys) == 0 {
		return nil
	}
	return w.now[keys[w.IntN(len(keys))]]
}

// update changes one item that was read by its key, or several that a scan has found.
func (w *work) update() {
	w.t.Helper()
	i := w.some()
	switch {
	case i == nil:
		return
	case w.IntN(3) > 0:
		w.look(i)
		w.put(i)
		return
	}
	ask := store.Scan{Columns: w.columns(), Remember: true, Stats: &store.Stats{}}
	if w.IntN(2) == 0 {
		ask.Range.Partition = w.keyOf(i).Partition
	}
	var keys []store.Key
	ask.Keys = func(k store.Key) { keys = append(keys, k) }
	for _, err := range w.tx.Scan(w.t.Context(), w.table(), &ask) {
		if err != nil {
			w.t.Fatal(err)
		}
	}
	for _, k := range keys {
		if w.IntN(3) == 0 {
			w.put(w.now[wholeKey(k)])
		}
	}
}

// put writes an item over one that was read.
func (w *work) put(i item) {
	w.t.Helper()
	after := maps.Clone(i)
	values := w.row(i)
	for c := range w.table().Columns {
		column := &w.table().Columns[c]
		if column.Name == "p" || column.Name == "s" || w.IntN(3) > 0 {
			continue
		}
		if values[c], after[column.Name] = w.set(column, i[column.Name]); after[column.Name] == nil {
			delete(after, column.Name)
		}
	}
	k := w.keyOf(i)
	if err := w.tx.Put(w.table(), store.Item{Key: k, Values: values}, store.Unchanged); err != nil {
		w.t.Fatal(err)
	}
	w.now[wholeKey(k)] = after
}

// insert puts an item that is not there.
func (w *work) insert() {
	w.t.Helper()
	i := w.key()
	if w.look(i) {
		return
	}
	for c := range w.table().Columns {
		column := &w.table().Columns[c]
		if i[column.Name] == nil && w.IntN(2) == 0 {
			i[column.Name] = w.first(column)
		}
	}
	k := w.keyOf(i)
	if err := w.tx.Put(w.table(), store.Item{Key: k, Values: w.row(i)}, store.Absent); err != nil {
		w.t.Fatal(err)
	}
	w.now[wholeKey(k)] = i
}

func (w *work) remove() {
	w.t.Helper()
	i := w.some()
	if i == nil {
		return
	}
	w.look(i)
	k := w.keyOf(i)
	if err := w.tx.Delete(w.table(), k, store.Unchanged); err != nil {
		w.t.Fatal(err)
	}
	delete(w.now, wholeKey(k))
}

// read reads the table or an index, all of it or ranges, as it is or as it was at a mark.
func (w *work) read() {
	w.t.Helper()
	s := w.spaces[w.IntN(len(w.spaces))]
	ask := store.Scan{Columns: w.columns(), Stats: &store.Stats{}, Enough: w.IntN(4)}
	items := w.now
	if n := len(w.points); n > 0 && w.IntN(3) == 0 {
		p := &w.points[w.IntN(n)]
		ask.At, items = &p.mark, p.items
	}
	_, keys := w.shownRows(s, items, store.Range{})
	if len(keys) == 0 || w.IntN(4) == 0 {
		want, _ := w.shownRows(s, items, store.Range{})
		w.same(s, ask, want, w.rows(s, ask))
		return
	}
	ask.Reverse = w.IntN(2) == 0
	var ranges []store.Range
	for range 1 + w.IntN(3) {
		r := store.Range{Partition: keys[w.IntN(len(keys))].Partition}
		if w.IntN(2) == 0 {
			r.From, r.To = bound(w.Rand, keys, s.Outside), bound(w.Rand, keys, s.Outside)
		}
		ranges = append(ranges, r)
	}
	ask.Range = ranges[0]
	if want, _ := w.shownRows(s, items, ask.Range); true {
		w.same(s, ask, want, w.rows(s, ask))
	}
	for i, got := range w.alternate(s, ask, ranges) {
		want, _ := w.shownRows(s, items, ranges[i])
		ask.Range = ranges[i]
		w.same(s, ask, want, got)
	}
}

// gotRow is a row that was read.
type gotRow struct {
	key  store.Key
	text string
}

// same wants rows to be those that are to be there, in the order of what the index declares.
func (w *work) same(s *store.Space, ask store.Scan, want []string, got []gotRow) {
	w.t.Helper()
	var texts []string
	var keys []store.Key
	for _, g := range got {
		texts, keys = append(texts, g.text), append(keys, g.key)
	}
	sorted := ask.Range.Partition == nil || inOrder(keys, s.Outside, ask.Reverse)
	slices.Sort(texts)
	if !sorted || !slices.Equal(texts, want) {
		w.t.Fatalf("%+v of index %q, in order %t:\n%q\nwant\n%q", ask, s.Outside.Index, sorted, texts, want)
	}
}

// rows reads a range.
func (w *work) rows(s *store.Space, ask store.Scan) (out []gotRow) {
	w.t.Helper()
	var keys []store.Key
	ask.Keys = func(k store.Key) { keys = append(keys, k) }
	for batch, err := range w.tx.Scan(w.t.Context(), s, &ask) {
		if err != nil {
			w.t.Fatal(err)
		}
		for i := range batch.Len() {
			out = append(out, gotRow{keys[len(out)], w.shown(keys[len(out)], batch.Row(i))})
		}
	}
	return out
}

// alternate reads several ranges by one scan, a few items of one and then of another. A batch of fewer than were asked
// for ends its range.
func (w *work) alternate(s *store.Space, ask store.Scan, ranges []store.Range) [][]gotRow {
	w.t.Helper()
	left, out := slices.Clone(ranges), make([][]gotRow, len(ranges))
	var keys []store.Key
	ask.Keys = func(k store.Key) { keys = append(keys, k) }
	open := make([]int, len(ranges))
	for i := range open {
		open[i] = i
	}
	now, asked := 0, 1+w.IntN(3)
	ask.Range, ask.Enough = left[0], asked
	ask.Next = func(rest store.Range) (store.Range, int) {
		if slices.Contains(open, now) {
			left[now] = rest
		}
		now = open[w.IntN(len(open))]
		asked = 1 + w.IntN(3)
		return left[now], asked
	}
	for batch, err := range w.tx.Scan(w.t.Context(), s, &ask) {
		if err != nil {
			w.t.Fatal(err)
		}
		for i := range batch.Len() {
			out[now] = append(out[now], gotRow{keys[i], w.shown(keys[i], batch.Row(i))})
		}
		keys = nil
		if batch.Len() < asked {
			open = slices.DeleteFunc(open, func(i int) bool { return i == now })
		}
		if len(open) == 0 {
			break
		}
		if len(out[now]) > 1000 {
			w.t.Fatal("a range has no end")
		}
	}
	return out
}

// TestOutsideTakenBack writes more of our own rows than one request takes, once a transaction has taken back what it
// wrote of another program's table, and before that not.
func TestOutsideTakenBack(t *testing.T) {
	s := openOn(t, dynamofake.New(dynamofake.Options{}), "")
	f := newForeign(t, s, draw{rand.New(rand.NewPCG(testseed.Of(t), 10))})
	if err := s.Create(t.Context(), items(1)); err != nil {
		t.Fatal(err)
	}
	for _, back := range []bool{false, true} {
		w := &work{foreign: f, tx: begin(t, s), now: maps.Clone(f.items)}
		mark := w.tx.Mark()
		w.remove()
		if back {
			w.tx.RollbackTo(mark)
		}
		var err error
		for i := 0; i < maxTransactItems+1 && err == nil; i++ {
			err = w.tx.Put(items(1), bodied(i), store.Absent)
		}
		if back && err == nil {
			err = w.tx.Commit(t.Context())
		}
		if (err == nil) != back || !back && !sqlerr.Has(err, sqlerr.ProgramLimitExceeded) {
			t.Errorf("taken back %t: %v", back, err)
		}
	}
	f.compare("after all")
}

package executor

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/memstore"
	"zproxy/store/pebblestore"
	"zproxy/types"
)

// storeKinds are stores that differ in how they are read.
var storeKinds = map[string]func(testing.TB) store.Store{
	"memory":    func(testing.TB) store.Store { return memstore.New(memstore.Options{}) },
	"unordered": func(testing.TB) store.Store { return memstore.New(memstore.Options{Unordered: true}) },
	"pebble": func(t testing.TB) store.Store {
		st, err := pebblestore.Open(t.TempDir(), pebblestore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = st.Close() })
		return st
	},
}

// noLeaks looks for goroutines that outlive a test, when its stores are closed.
func noLeaks(t *testing.T) {
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, before) })
}

// counting is a transaction that knows how many scans are at work at once, and in which
// partitions items were read.
type counting struct {
	store.Txn
	mu       sync.Mutex
	now      int
	most     int
	open     int
	items    map[string]int
	fails    string        // the partition in which a scan fails behind its first batch
	panics   bool          // instead
	stuck    chan struct{} // not nil: scans wait for it, or for their context
	atOnce   int           // they all wait until so many are at work, and longer by a fake clock
	together chan struct{}
}

func (c *counting) enter(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now += n
	c.most = max(c.most, c.now)
	if c.atOnce > 0 && c.now == c.atOnce {
		c.atOnce = 0
		time.AfterFunc(20*time.Millisecond, func() { close(c.together) })
	}
}

func (c *counting) count(partition []byte, items, open int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[string(partition)] += items
	c.open += open
}

// wait is what a store waits for before it has an answer.
func (c *counting) wait(ctx context.Context) error {
	for _, until := range []chan struct{}{c.stuck, c.together} {
		if until == nil {
			continue
		}
		select {
		case <-until:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Scan implements store.Txn.
func (c *counting) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	return func(yield func(*types.Batch, error) bool) {
		c.count(r.Range.Partition, 0, 1)
		defer c.count(r.Range.Partition, 0, -1)
		c.enter(1)
		defer c.enter(-1)
		if err := c.wait(ctx); err != nil {
			yield(nil, err)
			return
		}
		for batch, err := range c.Txn.Scan(ctx, s, r) {
			if err == nil {
				c.count(r.Range.Partition, batch.Len(), 0)
			}
			c.enter(-1)
			more := yield(batch, err)
			c.enter(1)
			if more && c.fails != "" && c.fails == string(r.Range.Partition) {
				if c.panics {
					panic(errStore)
				}
				yield(nil, errStore)
				return
			}
			if !more {
				return
			}
		}
	}
}

// mergeWorld is a table with rows in some partitions: the column p, then o, o2 and id.
func mergeWorld(t testing.TB, kind string, desc bool, rows [][]types.Value) (*world, *counting) {
	table := tableOf("p int4, id int4, o int4, o2 text", 2)
	table.Columns[2].NotNull, table.Columns[3].NotNull = false, false
	sign := map[bool]string{true: "-"}[desc]
	index(table, false, "p", sign+"o", "o2")
	w := newWorldIn(t, table, storeKinds[kind](t))
	t.Cleanup(func() { w.env.Txn.Rollback() })
	for chunk := range slices.Chunk(rows, 5000) {
		if got := w.insert(plan.Insert{}, chunk...); got != fmt.Sprint(len(chunk)) {
			t.Fatal(got)
		}
	}
	w.commit()
	c := &counting{Txn: w.env.Txn, items: map[string]int{}}
	w.env.Txn = c
	return w, c
}

// mergeScan reads the rows of some partitions in the order of o, or of o and o2.
func mergeScan(w *world, columns int, o plan.Order, partitions ...any) plan.Scan {
	by := []plan.Order{o, {Column: 3, Desc: o.Desc != w.table.Indexes[0].Layout.Sort[0].Desc,
		NullsFirst: o.Desc != w.table.Indexes[0].Layout.Sort[0].Desc}}
	a := plan.Access{Path: spansOf(plan.Entries{Index: &w.table.Indexes[0]}, 1, term(1, plan.TermIn, partitions...)),
		Delivery: plan.Delivery{Ordered: true, Merge: &plan.Merge{Parts: 1, By: by[:columns]}}}
	a.Reverse = o.Desc != w.table.Indexes[0].Layout.Sort[0].Desc
	reads := []int{1, 0}
	return plan.Scan{Table: w.table, Reads: reads, Access: &a, Cols: plan.TableColumns(w.table, reads)}
}

// TestMergeModel merges random streams and compares with a sort.
func TestMergeModel(t *testing.T) {
	noLeaks(t)
	seed := testseed.Of(t)
	for kind := range storeKinds {
		for i := range uint64(12) {
			t.Run(fmt.Sprint(kind, " ", i), func(t *testing.T) {
				testMergeModel(t, kind, rand.New(rand.NewPCG(seed, i)))
			})
		}
	}
}

func testMergeModel(t *testing.T, kind string, random *rand.Rand) {
	desc := random.IntN(2) == 0
	var rows [][]types.Value
	sizes := []int{0, 1, 5, 300, 700}
	different := 1 + random.IntN(400)
	for p := range 1 + random.IntN(6) {
		for id := range sizes[random.IntN(len(sizes))] {
			var o any = random.IntN(different)
			if random.IntN(8) == 0 {
				o = nil
			}
			var o2 any = strings.Repeat("x", 7+random.IntN(3)) + fmt.Sprint(random.IntN(3))
			if random.IntN(8) == 0 {
				o2 = nil
			}
			rows = append(rows, row(p, id, o, o2))
		}
	}
	w, _ := mergeWorld(t, kind, desc, rows)
	for range 12 {
		w.env.Parallel = random.IntN(4)
		o := plan.Order{Column: 2, Desc: random.IntN(2) == 0}
		o.NullsFirst = o.Desc
		columns := 1 + random.IntN(2)
		from := random.IntN(5)
		n := mergeScan(w, columns, o, []any{0, 1, 2, 3, 4, 77}[from:from+1+random.IntN(6-from)]...)
		if random.IntN(3) == 0 {
			n.Access = filtering(*n.Access, compare(expr.NE, column(1), constant(2)))
		}
		if random.IntN(3) == 0 { // a stream of several ranges
			n.Access = along(*n.Access, 2,
				append(boundsOf(n.Access), term(3, plan.TermIn, someNumbers(random, different)...))...)
		}
		want := mergeModel(n, rows, columns)
		var top plan.Node = n
		if random.IntN(3) > 0 {
			limit := plan.Limit{Input: n, Count: constant(random.IntN(3) * random.IntN(900)),
				Offset: constant(random.IntN(2) * random.IntN(300))}
			n.Access.Most = &plan.Limit{Count: limit.Count, Offset: limit.Offset}
			top = limit
			from := min(number(limit.Offset), len(want))
			want = want[from:min(from+number(limit.Count), len(want))]
		}
		if got := w.rows(top); got != strings.Join(want, " ") {
			t.Fatalf("%+v by %+v, parallel %d, limit %v: got %.300s, want %.300s", o, n.Access.Merge.By, w.env.Parallel,
				n.Access.Most, got, strings.Join(want, " "))
		}
		if w.env.memory.used != 0 {
			t.Fatalf("%d bytes are still held", w.env.memory.used)
		}
	}
}

// someNumbers are some of those below one, and one that is not.
func someNumbers(random *rand.Rand, below int) []any {
	out := []any{below}
	for range 1 + random.IntN(40) {
		out = append(out, random.IntN(below))
	}
	return out
}

func number(e expr.Expr) int { return int(e.(expr.Const).Value.Int()) }

// mergeModel is what a merge delivers: rows by its order, of equal ones those of the stream
// that is read first, and in a stream as the index has them.
func mergeModel(n plan.Scan, rows [][]types.Value, columns int) []string {
	down, bounds := n.Access.Reverse, boundsOf(n.Access)
	sortKey := func(desc bool) plan.SortKey { return plan.SortKey{Desc: desc, NullsFirst: desc} }
	by := n.Access.Merge.By
	rows = slices.Clone(rows)
	slices.SortFunc(rows, func(a, b []types.Value) int {
		keys := []plan.SortKey{
			{Desc: by[0].Desc, NullsFirst: by[0].NullsFirst}, sortKey(down), sortKey(down), sortKey(down),
		}
		at := []int{2, 0, 3, 1}
		if columns == 2 {
			at = []int{2, 3, 0, 1}
		}
		for i, k := range keys {
			if c := compareBy(k, a[at[i]], b[at[i]]); c != 0 {
				return c
			}
		}
		return 0
	})
	wanted := func(bound int, v types.Value) bool {
		return len(bounds) <= bound || !v.IsNull() && slices.ContainsFunc(bounds[bound].Terms[0].Args,
			func(e expr.Expr) bool { return int64(number(e)) == v.Int() })
	}
	out := []string{}
	for _, r := range rows {
		if wanted(0, r[0]) && wanted(1, r[2]) && (len(n.Access.Entries().Filter) == 0 || r[0].Int() != 2) {
			out = append(out, rowText(types.Row{r[1], r[0]}))
		}
	}
	return out
}

// even are rows of 16 partitions in whose order of o they take turns.
func even(n int) (rows [][]types.Value, partitions []any) {
	for i := range n {
		rows = append(rows, row(i%16, i, i, "x"))
	}
	for p := range 16 {
		partitions = append(partitions, p)
	}
	return rows, partitions
}

// drain reads a plan to its end, or to the first n batches of it.
func drain(ctx context.Context, n plan.Node, env *Env, batches int) (rows int, err error) {
	for batch, err := range Run(ctx, n, env) {
		if err != nil {
			return rows, err
		}
		rows += batch.Len()
		if batches--; batches == 0 {
			break
		}
	}
	return rows, nil
}

// concat is a scan like another without a merge.
func concat(n plan.Scan) plan.Scan {
	a := *n.Access
	a.Merge, a.Ordered = nil, false
	n.Access = &a
	return n
}

// TestScansAtOnce looks at how many scans are at work together: no more than may, and as
// many as may.
func TestScansAtOnce(t *testing.T) {
	noLeaks(t)
	synctest.Test(t, scanAtOnce)
}

func scanAtOnce(t *testing.T) {
	rows, partitions := even(16 * 600)
	for _, parallel := range []int{1, 4, 16, 64} {
		w, c := mergeWorld(t, "memory", false, rows)
		n := mergeScan(w, 1, plan.Order{Column: 2}, partitions...)
		for name, n := range map[string]plan.Scan{"merge": n, "concatenation": concat(n)} {
			w.env.Parallel, c.most = parallel, 0
			c.atOnce, c.together = min(parallel, 16), make(chan struct{})
			w.env.Profile = plan.NewProfile(n)
			got, err := drain(t.Context(), n, w.env, 0)
			p := w.env.Profile.Node(0)
			if err != nil || got != len(rows) || c.most != min(parallel, 16) || c.open != 0 {
				t.Errorf("%s, %d at once: %d rows, %v; %d were, %d are open", name, parallel, got, err, c.most, c.open)
			}
			if p.AtOnce != int64(c.most) || p.Ranges != 16 || p.Partitions != 16 || p.Stats.Items != int64(len(rows)) {
				t.Errorf("%s, %d at once: profile %+v", name, parallel, p)
			}
			if parallel > 1 && p.Memory == 0 || w.env.memory.used != 0 {
				t.Errorf("%s, %d at once: %d bytes were held, %d are", name, parallel, p.Memory, w.env.memory.used)
			}
		}
	}
}

// TestPartitionsOfStreams counts each partition once, also where a stream has several ranges in it
// and others are read between them.
func TestPartitionsOfStreams(t *testing.T) {
	rows, partitions := even(16 * 60)
	for _, parallel := range []int{1, 4} {
		w, _ := mergeWorld(t, "memory", false, rows)
		w.env.Parallel = parallel
		n := mergeScan(w, 1, plan.Order{Column: 2}, partitions...)
		var some []any
		for o := range 16 * 10 {
			some = append(some, o)
		}
		n.Access = along(*n.Access, 2, append(boundsOf(n.Access), term(3, plan.TermIn, some...))...)
		w.env.Profile = plan.NewProfile(n)
		got, err := drain(t.Context(), n, w.env, 0)
		if p := w.env.Profile.Node(0); err != nil || got != len(some) || p.Partitions != 16 ||
			p.Ranges != int64(16*len(some)) {
			t.Errorf("%d at once: %d rows, %v; profile %+v", parallel, got, err, p)
		}
		// As many streams in one partition, in the order of what follows.
		n.Access = along(*n.Access, 2, term(1, plan.TermEQ, 0), boundsOf(n.Access)[1])
		n.Access.Merge = &plan.Merge{Parts: 2, By: []plan.Order{{Column: 3}}}
		w.env.Profile = plan.NewProfile(n)
		got, err = drain(t.Context(), n, w.env, 0)
		if p := w.env.Profile.Node(0); err != nil || got != 10 || p.Partitions != 1 || p.Ranges != int64(len(some)) {
			t.Errorf("%d at once, one partition: %d rows, %v; profile %+v", parallel, got, err, p)
		}
	}
}

// TestOneScanAtATime looks at scans of rows that are to be written, which are never together.
func TestOneScanAtATime(t *testing.T) {
	rows, partitions := even(16 * 600)
	w, c := mergeWorld(t, "memory", false, rows)
	w.env.Parallel = 16
	n := mergeScan(w, 1, plan.Order{Column: 2}, partitions...)
	n.Write = true
	n.Access = lookingUp(*n.Access, 0, 1)
	for name, n := range map[string]plan.Scan{"merge": n, "concatenation": concat(n)} {
		if got, err := drain(t.Context(), n, w.env, 0); err != nil || got != len(rows) || c.most != 1 {
			t.Errorf("%s: %d rows, %v; %d scans at once", name, got, err, c.most)
		}
	}
}

// TestFanOutEnds stops scans by an error in one of them, by a cancel while all wait for the
// store, and by a consumer that has enough.
func TestFanOutEnds(t *testing.T) {
	noLeaks(t)
	rows, partitions := even(16 * 600)
	cause := sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
	for _, parallel := range []int{1, 3, 16} {
		w, c := mergeWorld(t, "memory", false, rows)
		w.env.Parallel = parallel
		n := mergeScan(w, 1, plan.Order{Column: 2}, partitions...)
		for name, n := range map[string]plan.Scan{"merge": n, "concatenation": concat(n)} {
			clear(c.items)
			if _, err := drain(t.Context(), n, w.env, 1); err != nil || c.open != 0 {
				t.Errorf("%s, %d at once, stopped: %v, %d scans are open", name, parallel, err, c.open)
			}
			for p := range c.items {
				c.fails = max(c.fails, p)
			}
			if _, err := drain(t.Context(), n, w.env, 0); !errors.Is(err, errStore) || c.open != 0 {
				t.Errorf("%s, %d at once, failed: %v, %d scans are open", name, parallel, err, c.open)
			}
			c.fails, c.stuck = "", make(chan struct{})
			ctx, cancel := context.WithCancelCause(t.Context())
			done := make(chan error)
			go func() {
				_, err := drain(ctx, n, w.env, 0)
				done <- err
			}()
			cancel(cause)
			if err := <-done; !errors.Is(err, cause) || c.open != 0 {
				t.Errorf("%s, %d at once, canceled: %v, %d scans are open", name, parallel, err, c.open)
			}
			c.stuck = nil
			if w.env.memory.used != 0 {
				t.Errorf("%s, %d at once: %d bytes are still held", name, parallel, w.env.memory.used)
			}
		}
	}
}

// TestReadAheadBounded reads no further ahead than memory allows.
func TestReadAheadBounded(t *testing.T) {
	rows, partitions := even(16 * 2000)
	w, _ := mergeWorld(t, "memory", false, rows)
	n := mergeScan(w, 1, plan.Order{Column: 2}, partitions...)
	w.env.Parallel, w.env.WorkMemory, w.env.Profile = 16, 1, plan.NewProfile(n)
	got, err := drain(t.Context(), n, w.env, 0)
	most := 16 * types.BatchRows * rowBytes(make(types.Row, 3))
	if p := w.env.Profile.Node(0); err != nil || got != len(rows) || p.Memory > most {
		t.Errorf("%d rows, %v; %d bytes were held, %d may be", got, err, p.Memory, most)
	}
}

// TestMergeOfPoints reads whole keys in one step, and a range that no span could divide, in
// the order of the merge all the same.
func TestMergeOfPoints(t *testing.T) {
	for kind := range storeKinds {
		table := tableOf("a int4, b int4, c int4", 2)
		w := newWorldIn(t, table, storeKinds[kind](t))
		t.Cleanup(func() { w.env.Txn.Rollback() })
		w.insert(plan.Insert{}, row(1, 5, 0), row(1, 6, 0), row(2, 4, 0), row(2, 5, 0), row(3, 1, 0))
		w.commit()
		merge := &plan.Merge{Parts: 1, By: []plan.Order{{Column: 1, Desc: true}}}
		points := scanOf(table, plan.Access{Path: spansOf(plan.Entries{}, 2, term(1, plan.TermIn, 1, 2),
			term(2, plan.TermIn, 4, 5, 6)), Delivery: plan.Delivery{Merge: merge}})
		points.Reads = []int{0}
		interval := scanOf(table, plan.Access{Path: spansOf(plan.Entries{Filter: []expr.Expr{compare(expr.LE, column(0),
			constant(2))}}, 1, term(1, plan.TermLE, 2)), Delivery: plan.Delivery{Merge: merge}})
		first := interval
		limited := *interval.Access
		limited.Most = &plan.Limit{Count: constant(1)}
		first.Access = &limited
		second, soft := points, *points.Access
		soft.Most, soft.Soft = limited.Most, true
		second.Access = &soft
		for _, c := range []struct {
			name string
			n    plan.Node
			want string
			get  int64
		}{
			{"points", points, "(1) (2) (1) (2)", 6},
			{"an interval", interval, "(1,6,0) (1,5,0) (2,5,0) (2,4,0)", 0},
			{"the first of an interval", plan.Limit{Input: first, Count: constant(1)}, "(1,6,0)", 0},
			{"another instead of the first", plan.Limit{Input: plan.Filter{Input: second,
				Cond: compare(expr.GT, column(0), constant(1))}, Count: constant(1)}, "(2)", 0},
		} {
			w.env.Profile = plan.NewProfile(c.n)
			got := w.rows(c.n)
			// Of equal rows either may come first here.
			got = strings.Replace(got, "(2) (1) (2)", "(1) (2) (2)", 1)
			if want := strings.Replace(c.want, "(2) (1) (2)", "(1) (2) (2)", 1); got != want {
				t.Errorf("%s, %s: %s, want %s", kind, c.name, got, want)
			}
			if p := w.env.Profile.Node(0); c.get > 0 && (p.Stats.Requests != 1 || p.Stats.Examined != c.get) {
				t.Errorf("%s, %s: %+v", kind, c.name, p.Stats)
			}
		}
	}
}

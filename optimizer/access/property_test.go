package access_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/internal/plantest"
	"zproxy/internal/testseed"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
	"zproxy/planner/spans"
	"zproxy/store"
	"zproxy/types"
)

var roundsFlag = flag.Int("rounds", 1, "how many times as many random tables there are")

// TestPathsLeaveNoRowOut reads random tables by every path that a query may take, and
// wants of each exactly the rows for which WHERE holds, in the order that it promises.
func TestPathsLeaveNoRowOut(t *testing.T) {
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
	all := []string{
		"union", "intersection", "spans", "box", "several boxes", "skip", "skip through all", "exact", "edges", "lookup", "ordered", "reverse", "tuple", "entry filter", "row filter", "rows", "partial", "removed", "merge", "aside",
		"shard", "random shard", "heavy", "bucket", "text", "leading bits", "shard in a text", "random shard in a text", "bucket in a text", "prefix", "padded number",
		"one partition", "several partitions", "over partitions", "counted", "counted when it runs", "interval of texts",
		"chosen", "chosen otherwise",
	}
	untilMet(t, 24, all, func(met map[string]int) {
		w := newWorld(t, r)
		for range 25 {
			q := w.query()
			for _, hint := range append(w.indexes, "primary", mergeHint, "") {
				q.hint, q.unordered = hint, r.IntN(3) == 0
				w.check(q, met)
			}
		}
		w.checkPoints(met)
	})
}

// untilMet plays rounds, -rounds times as many, and then up to 10 times as many until all kinds of paths were met that
// are wanted: some are rare, and a seed must not fail for that.
func untilMet(t *testing.T, rounds int, wanted []string, round func(met map[string]int)) {
	t.Helper()
	met := map[string]int{}
	missing := func() []string {
		return slices.DeleteFunc(slices.Clone(wanted), func(what string) bool { return met[what] > 0 })
	}
	rounds *= *roundsFlag // make rules plays more
	for n := 0; n < rounds || n < 10*rounds && len(missing()) > 0; n++ {
		round(met)
	}
	if left := missing(); len(left) > 0 {
		t.Errorf("not once in %d rounds: %q", 10*rounds, left)
	}
}

// run is one query along one path.
type run struct {
	*world
	query
	scan   plan.Scan
	ctx    *expr.Context
	sets   keys.Sets
	codec  *keys.Codec
	spans  []span.Span // none for a box
	ranges []store.Range
	skip   store.Skipper // of a box
	exact  bool
}

func (w *world) run(q query, scan plan.Scan, ctx *expr.Context, sets keys.Sets) *run {
	r := &run{world: w, query: q, scan: scan, ctx: ctx, sets: sets, codec: w.codec(scan.Table, layoutOf(scan))}
	if box, ok := scan.Access.Path.(plan.Box); ok {
		boxes, _, err := spans.Boxes(box, r.codec, ctx)
		if err != nil {
			r.fail(q, "%v", err)
		}
		r.ranges, r.skip, r.exact = boxes.Ranges, boxes.Skip, boxes.Exact
		return r
	}
	path, ok := scan.Access.Spans()
	if !ok {
		return r
	}
	var err error
	if r.spans, err = spans.In(path, r.codec, sets, ctx); err != nil {
		r.fail(q, "%v", err)
	}
	r.ranges = r.codec.Ranges(r.spans, !q.unordered)
	return r
}

// check plans a query with a hint, and compares what its path reads with what WHERE says.
func (w *world) check(q query, met map[string]int) *run {
	w.t.Helper()
	n, err := w.schema.Plan(q.sql)
	if err != nil {
		w.fail(q, "%v", err)
	}
	where := filterOf(n)
	ctx := &expr.Context{Env: &types.Env{}, Params: w.params(q, where)}
	o := optimizer.Options{Env: ctx.Env, Store: access.Store{OrderedPartitions: !q.unordered},
		Off: []string{"PruneEmpty"}} // a scan is wanted, if of no rows
	if n, err = optimizer.Optimize(hinted(n, q.hint), &o); err != nil {
		w.fail(q, "%v", err)
	}
	scan, _ := scanOf(n)
	run := w.follow(q, scan, where, ctx, met)
	if chooser := optimizer.NewPlanChooser(n, &o); chooser.Chooses() {
		met["chosen"]++
		chosen, _ := scanOf(chooser.Run(ctx))
		was, is := factsOf(scan.Access), factsOf(chosen.Access)
		if is.Box != was.Box || is.Index != was.Index || (is.Keys == nil) != (was.Keys == nil) {
			met["chosen otherwise"]++
		}
		return w.follow(q, chosen, where, ctx, met)
	}
	return run
}

// follow compares what the path of a scan reads with what WHERE says.
func (w *world) follow(q query, scan plan.Scan, where expr.Expr, ctx *expr.Context, met map[string]int) *run {
	w.t.Helper()
	sets, err := setsOf(factsOf(scan.Access).Bounds, ctx)
	if err != nil {
		w.fail(q, "%v", err)
	}
	run := w.run(q, scan, ctx, sets)
	run.checkStored()
	run.checkJumps()
	got := run.read()
	run.checkRows(got, where)
	if scan.Access.Ordered {
		for _, stream := range run.streams(got) {
			run.checkOrder(stream)
		}
	}
	a := factsOf(scan.Access)
	for what, holds := range map[string]bool{
		"spans": a.Parts > 0, "box": a.Box && len(a.Either) == 0, "several boxes": a.Box && len(a.Either) > 0, "skip": a.Skip > 0 && a.Parts > 0,
		"skip through all": a.Skip > 0 && a.Parts == 0, "exact": run.exact && len(a.BoxFilter) > 0, "edges": a.Box && !run.exact && len(a.BoxFilter) > 0, "lookup": a.Lookup, "ordered": a.Ordered, "merge": a.Merge != nil, "reverse": a.Reverse,
		"tuple": a.Tuple != nil, "entry filter": len(a.EntryFilter) > 0, "row filter": len(a.RowFilter) > 0, "rows": len(got) > 0,
		"partial": a.Index != nil && a.Index.Partial(), "either": len(a.Either) > 0,
		"aside":                     a.EntryReads != nil && !a.Lookup,
		"either without a filter":   len(a.Either) > 0 && len(a.EntryFilter)+len(a.RowFilter) == 0,
		"either of row comparisons": slices.ContainsFunc(a.Either, func(alt plan.Side) bool { return alt.Tuple != nil }),
		"union":                     a.Keys != nil && a.Keys.Any,
		"intersection":              a.Keys != nil && !a.Keys.Any,
		"removed":                   slices.ContainsFunc(a.Candidates, func(c plan.Candidate) bool { return c.Removed }),
	} {
		if holds {
			met[what]++
		}
	}
	run.count(met)
	return run
}

func (w *world) fail(q query, format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s;\n%s;\nparameters %v, hint %q, unordered %t: %s", strings.Join(w.ddl, ";\n"), q.sql, q.params,
		q.hint, q.unordered, fmt.Sprintf(format, args...))
}

// params gives each parameter the type that the plan gave it.
func (w *world) params(q query, where expr.Expr) []types.Value {
	out := make([]types.Value, len(q.params))
	expr.Any(where, func(e expr.Expr) bool {
		if p, ok := e.(expr.Param); ok {
			out[p.Number] = w.value(q.params[p.Number], p.T)
		}
		return false
	})
	return out
}

func filterOf(n plan.Node) expr.Expr {
	for {
		if f, ok := n.(plan.Filter); ok {
			return f.Cond
		}
		n = n.Inputs()[0]
	}
}

// mergeHint asks for a merge of any indexes, where others name one.
const mergeHint = "(merge)"

// hinted is a plan whose scan is asked to take an index.
func hinted(n plan.Node, index string) plan.Node {
	if s, ok := n.(plan.Scan); ok {
		switch index {
		case "":
		case mergeHint:
			s.Hints = []plan.Hint{{Merge: true}}
		default:
			s.Hints = []plan.Hint{{Indexes: []string{index}}}
		}
		return s
	}
	return n.WithInputs([]plan.Node{hinted(n.Inputs()[0], index)})
}

// checkStored wants the path to read only what its items hold.
func (r *run) checkStored() {
	r.t.Helper()
	a := factsOf(r.scan.Access)
	if a.Keys != nil {
		return
	}
	stored := r.scan.Table.StoredOrdinals(a.Index)
	reads := r.scan.Reads
	if a.EntryReads != nil {
		reads = a.EntryReads
	}
	for i, c := range r.scan.Reads {
		if !a.Lookup && !slices.Contains(reads, c) && !slices.Contains(r.scan.Aside, i) {
			r.fail(r.query, "column %d is wanted and not read", c)
		}
	}
	if a.Lookup {
		for _, k := range r.scan.Table.KeyOrdinals() {
			if !slices.Contains(reads, k) {
				r.fail(r.query, "a lookup without key column %d", k)
			}
		}
	}
	for _, c := range reads {
		if !slices.Contains(stored, c) {
			r.fail(r.query, "column %d is read from an index that does not hold it", c)
		}
	}
	if !a.Lookup && len(a.RowFilter) > 0 {
		r.fail(r.query, "a filter on rows that are not fetched")
	}
}

// entry is what an index, or the table, has of a row.
type entry struct {
	row int
	at  int // the range that it is in
	key store.Key
}

// read follows the path: the entries in its ranges, in the order of these and of their
// keys, of them those that pass the filters. It answers with the places of their rows.
func (r *run) read() []int {
	a := factsOf(r.scan.Access)
	if a.Keys != nil {
		return r.readKeys()
	}
	var entries []entry
	for i, row := range r.rows {
		if key := r.codec.Key(row); r.holds(row) {
			if at, in := r.inPath(key); in {
				entries = append(entries, entry{i, at, key})
			}
		}
	}
	slices.SortFunc(entries, r.byKey)
	if a.Reverse {
		slices.Reverse(entries)
	}
	entryReads := r.scan.Reads
	if a.EntryReads != nil {
		entryReads = a.EntryReads
	}
	var edges []expr.Expr
	if !r.exact {
		edges = a.BoxFilter
	}
	var out []int
	for _, e := range entries {
		if r.passes(edges, r.rows[e.row], entryReads) && r.passes(a.EntryFilter, r.rows[e.row], entryReads) &&
			r.passes(a.RowFilter, r.rows[e.row], r.scan.Reads) {
			out = append(out, e.row)
		}
	}
	return out
}

// byKey is the order in which a store gives entries. Partitions without an order come in
// that of their hashes.
func (r *run) byKey(x, y entry) int {
	partition := func(k store.Key) []byte {
		if !r.unordered {
			return k.Partition
		}
		sum := sha256.Sum256(k.Partition)
		return sum[:]
	}
	if x.at != y.at {
		return x.at - y.at
	}
	return bytes.Compare(slices.Concat(partition(x.key), x.key.Sort), slices.Concat(partition(y.key), y.key.Sort))
}

// holds says whether the index that is read has an entry of a row.
func (r *run) holds(row types.Row) bool {
	x := r.scan.Access.Index()
	at := slices.IndexFunc(r.scan.Holds, func(p plan.Predicate) bool { return x != nil && p.Index == x.ID })
	if at < 0 {
		return true
	}
	v, err := r.scan.Holds[at].Cond.Eval(&expr.Context{}, row)
	if err != nil {
		r.fail(r.query, "condition of %s: %v", x.Name, err)
	}
	return v.IsTrue()
}

// inPath finds the one range that a key is in, if there is one.
func (r *run) inPath(key store.Key) (at int, ok bool) {
	n := 0
	for i, g := range r.ranges {
		if g.Partition == nil && r.unordered && (g.From != nil || g.To != nil) {
			r.fail(r.query, "bounds over partitions without order")
		}
		if inRange(g, key) && r.wants(g, key) {
			at = i
			n++
		}
	}
	if n > 1 {
		r.fail(r.query, "key %x is in %d ranges", key, n)
	}
	return at, n == 1
}

// wants says whether a key of a range is one that skipping leaves.
func (r *run) wants(g store.Range, key store.Key) bool {
	skip := r.skipper(g)
	return skip == nil || skip.Wanted(inBounds(g, key))
}

// skipper leaves out keys of a range, if it is not nil.
func (r *run) skipper(g store.Range) store.Skipper {
	if n := factsOf(r.scan.Access).Skip; n > 0 {
		return r.codec.Skipper(n, r.sets, g.Partition == nil)
	}
	return r.skip
}

// inBounds are the bytes of a key that the bounds of a range are made of.
func inBounds(g store.Range, key store.Key) []byte {
	if g.Partition == nil {
		return slices.Concat(key.Partition, key.Sort)
	}
	return key.Sort
}

// checkJumps wants jumps from keys that are not wanted to go on, and over no key that is wanted.
func (r *run) checkJumps() {
	r.t.Helper()
	for _, g := range r.ranges {
		skip := r.skipper(g)
		var all [][]byte
		for _, row := range r.rows {
			if key := r.codec.Key(row); skip != nil && inRange(g, key) {
				all = append(all, inBounds(g, key))
			}
		}
		slices.SortFunc(all, func(a, b []byte) int { return bytes.Compare(b, a) })
		var behind []byte // the wanted key that comes next
		for _, at := range all {
			if skip.Wanted(at) {
				behind = at
				continue
			}
			next, ok := skip.Next(nil, at)
			if ok && bytes.Compare(next, at) <= 0 || behind != nil && (!ok || bytes.Compare(next, behind) > 0) {
				r.fail(r.query, "a jump from %x to %x, %t, where %x is wanted", at, next, ok, behind)
			}
		}
	}
}

func inRange(g store.Range, k store.Key) bool {
	at := slices.Concat(k.Partition, k.Sort)
	if g.Partition != nil {
		if !bytes.Equal(g.Partition, k.Partition) {
			return false
		}
		at = k.Sort
	}
	return bytes.Compare(at, g.From) >= 0 && (g.To == nil || bytes.Compare(at, g.To) < 0)
}

func (r *run) passes(conds []expr.Expr, row types.Row, reads []int) bool {
	narrow := make(types.Row, len(reads))
	for i, c := range reads {
		narrow[i] = row[c]
	}
	for _, c := range conds {
		v, err := c.Eval(r.ctx, narrow)
		if err != nil {
			r.fail(r.query, "%s: %v", c, err)
		}
		if !v.IsTrue() {
			return false
		}
	}
	return true
}

func (r *run) checkRows(got []int, where expr.Expr) {
	r.t.Helper()
	all := make([]int, len(r.scan.Table.Columns))
	for i := range all {
		all[i] = i
	}
	for i, row := range r.rows {
		want := 0
		if r.passes([]expr.Expr{where}, row, all) {
			want = 1
		}
		n := 0
		for _, g := range got {
			if g == i {
				n++
			}
		}
		if n != want {
			r.fail(r.query, "row %s comes %d times, want %d:\n%s", r.show(row), n, want, plantest.Tree(r.scan))
		}
	}
}

func (r *run) show(row types.Row) string {
	var out []string
	for i, v := range row {
		out = append(out, expr.Const{Value: v, T: r.scan.Table.Columns[i].Type}.String())
	}
	return strings.Join(out, ", ")
}

// streams parts rows into the streams that are merged, each in its order.
func (r *run) streams(rows []int) [][]int {
	merge := r.scan.Access.Merge
	switch {
	case merge == nil:
		return [][]int{rows}
	case len(r.ranges) == 1 && r.ranges[0].Whole():
		return nil // too many partitions to be counted: what is read is sorted
	}
	var out [][]int
	for _, stream := range keys.Streams(r.spans, merge.Parts) {
		out = append(out, slices.DeleteFunc(slices.Clone(rows), func(row int) bool {
			return !slices.ContainsFunc(r.codec.Ranges(stream, !r.unordered),
				func(g store.Range) bool { return inRange(g, r.codec.Key(r.rows[row])) })
		}))
	}
	return out
}

func (r *run) checkOrder(got []int) {
	r.t.Helper()
	for i := 1; i < len(got); i++ {
		before, after := r.rows[got[i-1]], r.rows[got[i]]
		for _, o := range r.scan.Order {
			c := order(before[o.Column], after[o.Column], o)
			if c > 0 {
				r.fail(r.query, "row %s comes before %s:\n%s", r.show(before), r.show(after), plantest.Tree(r.scan))
			}
			if c < 0 {
				break
			}
		}
	}
}

func order(a, b types.Value, o plan.Order) int {
	if a.IsNull() || b.IsNull() {
		c := map[bool]int{true: 1}[a.IsNull()] - map[bool]int{true: 1}[b.IsNull()]
		if o.NullsFirst {
			return -c
		}
		return c
	}
	if o.Desc {
		return types.Compare(b, a)
	}
	return types.Compare(a, b)
}

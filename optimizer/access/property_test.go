package access_test

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/internal/plantest"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

var seed = flag.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the random tests")

// TestPathsLeaveNoRowOut reads random tables by every path that a query may take, and
// wants of each exactly the rows for which WHERE holds, in the order that it promises.
func TestPathsLeaveNoRowOut(t *testing.T) {
	t.Logf("-seed %d", *seed)
	r := rand.New(rand.NewPCG(*seed, 0))
	met := map[string]int{}
	for range 60 {
		w := newWorld(t, r)
		for range 25 {
			q := w.query()
			for _, hint := range append(w.indexes, "primary", "") {
				q.hint, q.unordered = hint, r.IntN(4) == 0
				w.check(q, met)
			}
		}
	}
	for _, what := range []string{"spans", "box", "lookup", "ordered", "reverse", "tuple", "entry filter", "row filter", "rows", "partial", "removed"} {
		if met[what] < 5 {
			t.Errorf("%s: only %d times", what, met[what])
		}
	}
}

// world is a random table, its indexes and its rows.
type world struct {
	*rand.Rand
	t       *testing.T
	schema  plantest.Schema
	ddl     string
	indexes []string
	rows    []types.Row
}

// column is one that random tables have, with the literals that are tried.
type column struct {
	name, typ string
	literals  []string
}

var columns = []column{
	{"a", "int4", []string{"-1", "0", "1", "2", "3"}},
	{"b", "int8", []string{"0", "1", "2", "5000000000"}},
	{"c", "text", []string{"''", "'a'", "'ab'", "'ab_'", "'abc'", "'b'"}},
	{"d", "bool", []string{"true", "false"}},
	{"e", "float8", []string{"-1.5", "0", "2.25"}},
	{"f", "varchar", []string{"'a'", "'ab'", "'abcdefghi'"}},
}

func newWorld(t *testing.T, r *rand.Rand) *world {
	w := &world{Rand: r, t: t}
	var defs []string
	for _, c := range columns {
		defs = append(defs, c.name+" "+c.typ+[]string{"", " NOT NULL"}[r.IntN(2)])
	}
	ddl := []string{"CREATE TABLE t (" + strings.Join(defs, ", ") + ", PRIMARY KEY (" + w.key(2, true) + "))"}
	for i := range 5 {
		name := fmt.Sprint("i", i)
		w.indexes = append(w.indexes, name)
		ddl = append(ddl, w.index(name))
	}
	w.ddl = strings.Join(ddl, ";\n")
	if err := w.schema.Define(w.ddl); err != nil {
		t.Fatalf("%s: %v", w.ddl, err)
	}
	w.fill()
	return w
}

// key is up to n columns in random order.
func (w *world) key(n int, desc bool) string {
	var out []string
	for _, i := range w.Perm(len(columns))[:1+w.IntN(n)] {
		name := columns[i].name
		if desc && w.IntN(3) == 0 {
			name += " DESC"
		}
		out = append(out, name)
	}
	return strings.Join(out, ", ")
}

func (w *world) index(name string) string {
	switch w.IntN(9) {
	case 6:
		return "CREATE NULL_FILTERED INDEX " + name + " ON t (" + w.key(2, true) + ")"
	case 7:
		return "CREATE UNIQUE INDEX " + name + " ON t (a, c) WHERE " + []string{"a", "c", "a IS NOT NULL AND c"}[w.IntN(3)] + " IS NOT NULL"
	case 8:
		return "CREATE NULL_FILTERED INDEX " + name + " ON t USING zorder (" + w.key(2, false) + ")"
	case 0:
		return "CREATE UNIQUE INDEX " + name + " ON t (" + w.key(2, true) + ")"
	case 1:
		return "CREATE INDEX " + name + " ON t (" + w.key(2, true) + ") INCLUDE (" + w.key(4, false) + ")"
	case 2:
		return "CREATE INDEX " + name + " ON t USING zorder (" + w.key(4, false) + ")"
	case 3:
		return "CREATE INDEX " + name + " ON t USING zorder (c zorder_ops (bytes = 1), a zorder_ops (bits = 31), e) WITH (covering = 'none')"
	}
	return "CREATE INDEX " + name + " ON t (" + w.key(4, true) + ")"
}

// fill makes rows that break no unique key.
func (w *world) fill() {
	table := w.schema.Catalog.Table("public", "t")
	taken := map[string]bool{}
	for range 50 {
		row := make(types.Row, len(columns))
		for i, c := range columns {
			if table.Columns[i].NotNull || w.IntN(5) > 0 {
				row[i] = w.value(c.literals[w.IntN(len(c.literals))], table.Columns[i].Type)
			}
		}
		places := []string{w.place(table, &table.Primary, row)}
		for i := range table.Indexes {
			if x := &table.Indexes[i]; x.Unique {
				places = append(places, w.place(table, &x.Layout, row))
			}
		}
		if slices.ContainsFunc(places, func(p string) bool { return taken[p] }) {
			continue
		}
		for _, p := range places {
			taken[p] = true
		}
		w.rows = append(w.rows, row)
	}
}

// place is where a unique layout has room for one row only.
func (w *world) place(t *catalog.Table, l *catalog.Layout, row types.Row) string {
	codec, err := keys.NewCodec(t, l)
	if err != nil {
		w.t.Fatal(err)
	}
	k := codec.Key(row)
	return fmt.Sprintf("%v %x %x", l.Columns(), k.Partition, k.Sort)
}

func (w *world) value(literal string, t types.T) types.Value {
	if literal == "NULL" {
		return types.Null
	}
	v, err := types.ParseText(strings.Trim(literal, "'"), t, &types.Env{})
	if err != nil {
		w.t.Fatal(err)
	}
	return v
}

// run is one query along one path.
type run struct {
	*world
	query
	scan plan.Scan
	ctx  *expr.Context
	sets keys.Sets
}

// check plans a query with a hint, and compares what its path reads with what WHERE says.
func (w *world) check(q query, met map[string]int) {
	w.t.Helper()
	n, err := w.schema.Plan(q.sql)
	if err != nil {
		w.fail(q, "%v", err)
	}
	where := filterOf(n)
	ctx := &expr.Context{Env: &types.Env{}, Params: w.params(q, where)}
	o := optimizer.Options{Env: ctx.Env, Store: access.Store{OrderedPartitions: !q.unordered}}
	if n, err = optimizer.Optimize(hinted(n, q.hint), &o); err != nil {
		w.fail(q, "%v", err)
	}
	scan, _ := scanOf(n)
	sets, err := setsOf(scan, ctx)
	if err != nil {
		w.fail(q, "%v", err)
	}
	run := &run{world: w, query: q, scan: scan, ctx: ctx, sets: sets}
	run.checkStored()
	got := run.read()
	run.checkRows(got, where)
	if scan.Access.Ordered {
		for _, stream := range run.streams(got) {
			run.checkOrder(stream)
		}
	}
	a := scan.Access
	for what, holds := range map[string]bool{
		"spans": a.Parts > 0, "box": a.Box, "lookup": a.Lookup, "ordered": a.Ordered, "merge": a.Merge != nil, "reverse": a.Reverse,
		"tuple": a.Tuple != nil, "entry filter": len(a.EntryFilter) > 0, "row filter": len(a.RowFilter) > 0, "rows": len(got) > 0,
		"partial": a.Index != nil && a.Index.Partial(), "either": len(a.Either) > 0,
		"either without a filter":   len(a.Either) > 0 && len(a.EntryFilter)+len(a.RowFilter) == 0,
		"either of row comparisons": slices.ContainsFunc(a.Either, func(alt plan.Alternative) bool { return alt.Tuple != nil }),
		"removed":                   slices.ContainsFunc(a.Candidates, func(c plan.Candidate) bool { return c.Removed }),
	} {
		if holds {
			met[what]++
		}
	}
}

func (w *world) fail(q query, format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s;\n%s;\nparameters %v, hint %q, unordered %t: %s", w.ddl, q.sql, q.params, q.hint, q.unordered, fmt.Sprintf(format, args...))
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

// hinted is a plan whose scan is asked to take an index.
func hinted(n plan.Node, index string) plan.Node {
	if s, ok := n.(plan.Scan); ok {
		if index != "" {
			s.Hints = []plan.Hint{{Indexes: []string{index}}}
		}
		return s
	}
	return n.WithInputs([]plan.Node{hinted(n.Inputs()[0], index)})
}

// checkStored wants the path to read only what its items hold.
func (r *run) checkStored() {
	r.t.Helper()
	a := r.scan.Access
	stored := r.scan.Table.StoredOrdinals(a.Index)
	reads := r.scan.Reads
	if a.Lookup {
		reads = a.EntryReads
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

// read follows the path: the entries in its ranges, in the order of their keys, of them
// those that pass the filters. It answers with the places of their rows.
func (r *run) read() []int {
	a := r.scan.Access
	codec, err := keys.NewCodec(r.scan.Table, layoutOf(r.scan))
	if err != nil {
		r.fail(r.query, "%v", err)
	}
	type entry struct {
		row int
		key store.Key
	}
	var entries []entry
	for i, row := range r.rows {
		if key := codec.Key(row); r.holds(row) && r.inPath(codec, key) {
			entries = append(entries, entry{i, key})
		}
	}
	slices.SortFunc(entries, func(x, y entry) int {
		return bytes.Compare(slices.Concat(x.key.Partition, x.key.Sort), slices.Concat(y.key.Partition, y.key.Sort))
	})
	if a.Reverse {
		slices.Reverse(entries)
	}
	entryReads := r.scan.Reads
	if a.Lookup {
		entryReads = a.EntryReads
	}
	var out []int
	for _, e := range entries {
		if r.passes(a.EntryFilter, r.rows[e.row], entryReads) && r.passes(a.RowFilter, r.rows[e.row], r.scan.Reads) {
			out = append(out, e.row)
		}
	}
	return out
}

// holds says whether the index that is read has an entry of a row.
func (r *run) holds(row types.Row) bool {
	x := r.scan.Access.Index
	return x == nil || !slices.ContainsFunc(x.NotNull, func(id uint32) bool { return row[r.scan.Table.Ordinal(id)].IsNull() })
}

// inPath says whether a key is in the path's ranges or box.
func (r *run) inPath(codec *keys.Codec, key store.Key) bool {
	if r.scan.Access.Box {
		g, skip, some := codec.Box(r.sets)
		return some && slices.ContainsFunc(g, func(g store.Range) bool { return inRange(g, key) }) && skip.Wanted(key.Sort)
	}
	n := 0
	spans, err := r.scan.Access.Spans(codec, r.sets, r.ctx)
	if err != nil {
		r.fail(r.query, "%v", err)
	}
	for _, s := range spans {
		g := codec.Range(s, !r.unordered)
		if g.Partition == nil && r.unordered && (g.From != nil || g.To != nil) {
			r.fail(r.query, "bounds over partitions without order")
		}
		if inRange(g, key) {
			n++
		}
	}
	if n > 1 {
		r.fail(r.query, "key %x is in %d ranges", key, n)
	}
	return n == 1
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
	all := make([]int, len(columns))
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
	if merge == nil {
		return [][]int{rows}
	}
	codec, err := keys.NewCodec(r.scan.Table, layoutOf(r.scan))
	if err != nil {
		r.fail(r.query, "%v", err)
	}
	spans, err := r.scan.Access.Spans(codec, r.sets, r.ctx)
	if err != nil {
		r.fail(r.query, "%v", err)
	}
	var out [][]int
	for _, stream := range keys.Streams(spans, merge.Parts) {
		out = append(out, slices.DeleteFunc(slices.Clone(rows), func(row int) bool {
			return !slices.ContainsFunc(stream, func(s span.Span) bool { return inRange(codec.Range(s, true), codec.Key(r.rows[row])) })
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

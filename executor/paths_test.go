package executor

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/planner/spans"
	"zproxy/types"
)

// bound is random terms on a column; one that another part follows leaves single values.
func (tr *trial) bound(column uint32, points bool) plan.Bound {
	typ := tr.table.Columns[tr.table.Ordinal(column)].Type
	value := func() expr.Expr { return expr.Const{Value: tr.value(typ), T: typ} }
	ops := []plan.TermOp{plan.TermEQ, plan.TermIn, plan.TermNull}
	if !points {
		ops = append(ops, plan.TermLT, plan.TermLE, plan.TermGT, plan.TermGE, plan.TermNotNull)
	}
	b := plan.Bound{Column: column}
	for len(b.Terms) == 0 || !points && tr.random.IntN(2) == 0 {
		t := plan.Term{Op: ops[tr.random.IntN(len(ops))]}
		switch t.Op {
		case plan.TermNull, plan.TermNotNull:
		case plan.TermIn:
			t.Args = []expr.Expr{value(), value(), value()}
		default:
			t.Args = []expr.Expr{value()}
		}
		b.Terms = append(b.Terms, t)
	}
	return b
}

// path is a random way to read part of the table.
func (tr *trial) path() plan.Access {
	var entries plan.Entries
	a := plan.Access{Delivery: plan.Delivery{Reverse: tr.random.IntN(2) == 0}}
	l := &tr.table.Primary
	if n := tr.random.IntN(len(tr.table.Indexes) + 1); n > 0 {
		entries.Index, entries.Reads = &tr.table.Indexes[n-1], tr.table.KeyOrdinals()
		a.Lookup = &plan.Lookups{}
		l = &entries.Index.Layout
	}
	if entries.Index != nil && entries.Index.Method == catalog.ZOrder {
		box := plan.Box{Entries: entries, Sides: [][]plan.Bound{tr.box(l)}}
		if tr.random.IntN(2) == 0 {
			box.Sides = nil
			for range 1 + tr.random.IntN(5) {
				box.Sides = append(box.Sides, tr.box(l))
			}
		}
		a.Path, a.Reverse = box, false
		return a
	}
	ids := l.Columns()
	side := plan.Side{Parts: tr.random.IntN(len(ids) + 1)}
	for i, id := range ids[:side.Parts] {
		last := i == side.Parts-1 && (tr.env.Store.OrderedPartitions || i > 0)
		side.Bounds = append(side.Bounds, tr.bound(id, !last))
	}
	skip := 0
	if tr.random.IntN(2) == 0 {
		skip = side.Parts
		for _, id := range ids[side.Parts:] {
			if tr.random.IntN(3) == 0 {
				break
			}
			skip++
			if tr.random.IntN(3) > 0 {
				side.Bounds = append(side.Bounds, tr.bound(id, false))
			}
		}
	}
	a.Path = plan.Spans{Entries: entries, Sides: []plan.Side{side}, Skip: skip}
	return a
}

// box bounds some of the columns of a layout.
func (tr *trial) box(l *catalog.Layout) []plan.Bound {
	var out []plan.Bound
	for _, id := range l.Columns() {
		if tr.random.IntN(3) > 0 {
			out = append(out, tr.bound(id, false))
		}
	}
	return out
}

// within are the rows of the model whose columns the bounds leave.
func (tr *trial) within(bounds []plan.Bound) []string {
	return tr.withinAny([][]plan.Bound{bounds})
}

// withinAny are the rows of the model that one of several sides leaves.
func (tr *trial) withinAny(sides [][]plan.Bound) []string {
	out := []string{}
	for _, r := range tr.model {
		if slices.ContainsFunc(sides, func(bounds []plan.Bound) bool { return tr.leaves(bounds, r) }) {
			out = append(out, rowText(r[:len(tr.visible())]))
		}
	}
	return out
}

func (tr *trial) leaves(bounds []plan.Bound, r types.Row) bool {
	return !slices.ContainsFunc(bounds, func(b plan.Bound) bool {
		set, err := b.Set(tr.env.Expr)
		tr.check(err)
		return !set.Contains(r[tr.table.Ordinal(b.Column)])
	})
}

// exact says whether a box holds nothing outside of its bounds.
func (tr *trial) exact(box plan.Box) bool {
	p, err := tr.env.Tables.of(tr.table)
	tr.check(err)
	l, err := p.layoutOf(box.Index)
	tr.check(err)
	boxes, some, err := spans.Boxes(box, l.codec, tr.env.Expr)
	tr.check(err)
	return !some || boxes.Exact
}

// TestPaths reads random parts of random tables along random paths. A box that is not exact may
// hold more than its bounds say; the same path in reverse gives the same rows in reverse; a path
// with a limit gives the first of them.
func TestPaths(t *testing.T) {
	seed := testseed.Of(t)
	for i := range uint64(60) {
		tr := newTrial(t, rand.New(rand.NewPCG(seed, 1000+i)), i%2 == 1)
		for range 150 {
			r := tr.row()
			if tr.insert(plan.Insert{Conflict: plan.ConflictNothing}, r) == "1" {
				tr.setModel(append(tr.modelRows(), r))
			}
		}
		for range 60 {
			tr.comparePath(tr.path())
		}
	}
}

func (tr *trial) comparePath(a plan.Access) {
	tr.t.Helper()
	got := strings.Fields(tr.rows(scanOf(tr.table, a)))
	sides, _ := a.Sides()
	want := tr.withinAny(sides)
	box, boxed := a.Path.(plan.Box)
	if boxed && !tr.exact(box) {
		got = slices.DeleteFunc(got, func(r string) bool { return !slices.Contains(want, r) })
	}
	if have := slices.Sorted(slices.Values(got)); !slices.Equal(have, slices.Sorted(slices.Values(want))) {
		tr.t.Fatalf("%+v: got %v, want %v", a, have, want)
	}
	if boxed {
		return
	}
	few := 1 + tr.random.IntN(5)
	a.Most = &plan.Limit{Count: constant(few)}
	limited := strings.Fields(tr.rows(plan.Limit{Input: scanOf(tr.table, a), Count: a.Most.Count}))
	if !slices.Equal(limited, got[:min(few, len(got))]) {
		tr.t.Fatalf("%+v: got %v of %v", a, limited, got)
	}
	a.Most, a.Reverse = nil, !a.Reverse
	back := strings.Fields(tr.rows(scanOf(tr.table, a)))
	slices.Reverse(back)
	if tr.env.Store.OrderedPartitions && !slices.Equal(back, got) {
		tr.t.Fatalf("%+v: got %v, and in reverse %v", a, back, got)
	}
	tr.inOrder(a.Index(), got)
}

// inOrder is checked by the store's own key order: rows come as their keys are sorted.
func (tr *trial) inOrder(x *catalog.Index, rows []string) {
	tr.t.Helper()
	p, err := tr.env.Tables.of(tr.table)
	tr.check(err)
	l, err := p.layoutOf(x)
	tr.check(err)
	keys := map[string]string{}
	for _, r := range tr.model {
		k := l.codec.Key(r)
		keys[rowText(r)] = string(k.Partition) + string(k.Sort)
	}
	sorted := slices.IsSortedFunc(rows, func(a, b string) int { return strings.Compare(keys[a], keys[b]) })
	reversed := slices.IsSortedFunc(rows, func(a, b string) int { return strings.Compare(keys[b], keys[a]) })
	if tr.env.Store.OrderedPartitions && !sorted && !reversed {
		tr.t.Fatalf("out of order: %v", rows)
	}
}

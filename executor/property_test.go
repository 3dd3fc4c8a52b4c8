package executor

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/store/memstore"
	"zproxy/types"
)

// trial is a random table with a model of what it should hold: its rows by primary key.
type trial struct {
	*world
	random *rand.Rand
	model  map[string]types.Row
	before map[string]types.Row // at the last commit
}

func (tr *trial) value(t types.T) types.Value {
	n := tr.random.IntN(6)
	switch {
	case tr.random.IntN(6) == 0:
		return types.Null
	case t.Kind() == types.KindText:
		return types.NewText(strings.Repeat("\x00é", n%3) + string(rune('a'+n)))
	case t.Kind() == types.KindNumeric:
		return types.NewNumeric(apd.New(int64(n)*10, -int32(tr.random.IntN(2))-1)) // 1.0 and 1.00
	case t.Kind() == types.KindFloat:
		return types.NewFloat([]float64{0, math.Copysign(0, -1), 0.5, math.Inf(-1), math.Inf(1), math.NaN()}[n])
	default:
		return types.NewInt(int64(n))
	}
}

// newTrial makes a random table in a store with or without an order of partitions.
func newTrial(t *testing.T, random *rand.Rand, unordered bool) *trial {
	return newTrialOf(t, random, randomTable(random), unordered)
}

func newTrialOf(t *testing.T, random *rand.Rand, table *catalog.Table, unordered bool) *trial {
	w := newWorldIn(t, table, memstore.New(memstore.Options{Unordered: unordered,
		RangePrice: []float64{0, 1}[random.IntN(2)]}))
	w.env.Tables.random = random.IntN
	return &trial{world: w, random: random, model: map[string]types.Row{}}
}

func randomTable(random *rand.Rand) *catalog.Table {
	words := []string{"int4", "text", "numeric", "float8"}
	var columns []string
	for i := range 3 + random.IntN(3) {
		columns = append(columns, fmt.Sprintf("c%d %s", i, words[random.IntN(len(words))]))
	}
	table := tableOf(strings.Join(columns, ", "), 1+random.IntN(2))
	for i := range table.Primary.Sort {
		table.Primary.Sort[i].Desc = random.IntN(2) == 0
	}
	for range random.IntN(4) {
		var names []string
		for _, i := range random.Perm(len(columns))[:1+random.IntN(len(columns))] {
			sign := []string{"", "-", ""}[random.IntN(3)]
			if len(names) > 0 && random.IntN(3) == 0 {
				sign = "+"
			}
			names = append(names, sign+table.Columns[i].Name)
		}
		index(table, random.IntN(3) == 0, names...)
	}
	if random.IntN(2) == 0 {
		withCurve(table, random.Perm(len(columns))[:1+random.IntN(len(columns))]...)
	}
	return table
}

// keyOrdinals are the ordinals of the columns of the primary key as it was declared.
func (tr *trial) keyOrdinals() []int {
	var ordinals []int
	for _, id := range tr.table.Primary.Columns() {
		ordinals = append(ordinals, tr.table.Ordinal(id))
	}
	return ordinals
}

// visible are the columns that the model knows, which are the first ones.
func (tr *trial) visible() []catalog.Column {
	n := slices.IndexFunc(tr.table.Columns, func(c catalog.Column) bool { return c.Hidden })
	if n < 0 {
		n = len(tr.table.Columns)
	}
	return tr.table.Columns[:n]
}

// withCurve adds a Z-order index that covers the table.
func withCurve(t *catalog.Table, columns ...int) *catalog.Index {
	x := index(t, false, t.Columns[columns[0]].Name)
	x.Name, x.Method, x.Covers = "z", catalog.ZOrder, true
	part := catalog.Part{Kind: part.ZAddress}
	for _, c := range columns {
		part.Curve = append(part.Curve, catalog.Dimension{Column: t.Columns[c].ID, Bits: 16, Map: catalog.MapRaw})
	}
	x.Layout = catalog.Layout{Sort: []catalog.Part{part}, Tie: t.Primary.Parts()}
	return x
}

func (tr *trial) row() types.Row {
	r := make(types.Row, len(tr.table.Columns))
	for i, c := range tr.visible() {
		for r[i] = tr.value(c.Type); c.NotNull && r[i].IsNull(); {
			r[i] = tr.value(c.Type)
		}
	}
	return r
}

// key is a text that is equal for equal values of columns.
func key(r types.Row, ordinals []int) string {
	var out []byte
	for _, i := range ordinals {
		out = types.AppendKey(out, r[i])
	}
	return string(out)
}

// fits says whether rows break no unique key.
func (tr *trial) fits(rows []types.Row) bool {
	all := [][]int{tr.keyOrdinals()}
	for _, x := range tr.table.Indexes {
		if x.Unique {
			var ordinals []int
			for _, id := range x.Layout.Columns() {
				ordinals = append(ordinals, tr.table.Ordinal(id))
			}
			all = append(all, ordinals)
		}
	}
	for _, ordinals := range all {
		seen := map[string]bool{}
		for _, r := range rows {
			if slices.ContainsFunc(ordinals, func(i int) bool { return r[i].IsNull() }) {
				continue
			}
			k := key(r, ordinals)
			if seen[k] {
				return false
			}
			seen[k] = true
		}
	}
	return true
}

func (tr *trial) modelRows() []types.Row {
	var out []types.Row
	for _, r := range tr.model {
		out = append(out, r)
	}
	return out
}

func (tr *trial) setModel(rows []types.Row) {
	tr.model = map[string]types.Row{}
	for _, r := range rows {
		tr.model[key(r, tr.keyOrdinals())] = r
	}
}

// insert inserts rows, or drops those that conflict, or replaces.
func (tr *trial) insertSome() (plan.Node, []types.Row) {
	n := plan.Insert{Table: tr.table, Overwrite: tr.random.IntN(4) == 0}
	if !n.Overwrite && tr.random.IntN(2) == 0 {
		n.Conflict = plan.ConflictNothing
	}
	after := tr.modelRows()
	var given [][]types.Value
	for range 1 + tr.random.IntN(4) {
		r := tr.row()
		given = append(given, r)
		if n.Overwrite {
			k := key(r, tr.keyOrdinals())
			after = slices.DeleteFunc(after, func(o types.Row) bool { return key(o, tr.keyOrdinals()) == k })
		}
		if n.Conflict == plan.ConflictError || tr.fits(append(slices.Clone(after), r)) {
			after = append(after, r)
		}
	}
	n.Input = valuesOf(tr.table, given)
	return n, after
}

// some is a random condition and which rows of the model it keeps.
func (tr *trial) some() (expr.Expr, func(types.Row) bool) {
	at := tr.random.IntN(len(tr.visible()))
	op := expr.CompareOp(tr.random.IntN(6))
	v := tr.value(tr.table.Columns[at].Type)
	cond := expr.Compare{Op: op, Left: expr.Column{Index: at, T: tr.table.Columns[at].Type},
		Right: expr.Const{Value: v}}
	return cond, func(r types.Row) bool {
		return !v.IsNull() && !r[at].IsNull() && op.Holds(types.Compare(r[at], v))
	}
}

func (tr *trial) deleteSome() (plan.Node, []types.Row) {
	cond, keeps := tr.some()
	return plan.Delete{Table: tr.table, Input: tr.reading(cond)}, slices.DeleteFunc(tr.modelRows(), keeps)
}

func (tr *trial) updateSome() (plan.Node, []types.Row) {
	cond, keeps := tr.some()
	n := plan.Update{Table: tr.table, Input: tr.reading(cond)}
	for _, at := range tr.random.Perm(len(tr.visible()))[:1+tr.random.IntN(2)] {
		c := tr.table.Columns[at]
		from := slices.IndexFunc(tr.visible(),
			func(o catalog.Column) bool { return o.Type.Same(c.Type) && (o.NotNull || !c.NotNull) })
		n.Set = append(n.Set, plan.Assignment{Column: at, Value: expr.Column{Index: from, T: c.Type}})
		if v := tr.value(c.Type); !v.IsNull() && tr.random.IntN(3) > 0 {
			n.Set[len(n.Set)-1].Value = expr.Const{Value: v, T: c.Type}
		}
	}
	after := tr.modelRows()
	for i, r := range after {
		if !keeps(r) {
			continue
		}
		after[i] = slices.Clone(r)
		for _, a := range n.Set {
			after[i][a.Column], _ = a.Value.Eval(tr.env.Expr, r)
		}
	}
	return n, after
}

// reading reads the rows for which a condition holds, along any index.
func (tr *trial) reading(cond expr.Expr) plan.Scan {
	a := whole(plan.Entries{Filter: []expr.Expr{cond}})
	if n := tr.random.IntN(len(tr.table.Indexes) + 1); n > 0 {
		a = plan.Access{Path: plan.Whole{Entries: plan.Entries{Index: &tr.table.Indexes[n-1],
			Reads: tr.table.KeyOrdinals()}}, Lookup: &plan.Lookups{Filter: []expr.Expr{cond}}}
	}
	s := scanOf(tr.table, a)
	s.Write = true
	return s
}

// step runs a random statement and compares rows and indexes with the model.
func (tr *trial) step() {
	statement := []func() (plan.Node, []types.Row){tr.insertSome, tr.insertSome, tr.updateSome,
		tr.deleteSome}[tr.random.IntN(4)]
	n, after := statement()
	got := tr.write(n)
	failed := strings.HasPrefix(got, "23505")
	if _, err := strconv.Atoi(got); err != nil && !failed {
		tr.t.Fatalf("%T: %s", n, got)
	}
	if failed == tr.fits(after) {
		tr.t.Fatalf("%T: %s", n, got)
	}
	if failed {
		tr.env.Txn.Rollback()
		tr.begin()
		tr.model = tr.before
		return
	}
	tr.setModel(after)
	if tr.random.IntN(3) == 0 {
		tr.commit()
		tr.before = tr.model
	}
	tr.indexesAgree()
	var want []string
	width := len(tr.visible())
	for _, r := range tr.model {
		want = append(want, rowText(r[:width]))
	}
	for _, a := range tr.paths() {
		n := scanOf(tr.table, a)
		n.Reads = n.Reads[:width]
		have := strings.Fields(tr.rows(n))
		slices.Sort(have)
		slices.Sort(want)
		if !slices.Equal(have, want) {
			tr.t.Fatalf("%T, through %v: got %v, want %v", n, a.Index(), have, want)
		}
	}
}

// paths are all ways to read the whole table.
func (tr *trial) paths() []plan.Access {
	out := []plan.Access{{Path: plan.Whole{}}, {Path: plan.Whole{}, Delivery: plan.Delivery{Reverse: true}}}
	for i := range tr.table.Indexes {
		out = append(out, plan.Access{Path: plan.Whole{Entries: plan.Entries{Index: &tr.table.Indexes[i],
			Reads: tr.table.KeyOrdinals()}}, Lookup: &plan.Lookups{}})
	}
	return out
}

// TestWritesKeepIndexes runs random statements on random tables. After each one every
// index holds what its rows say, and the table what a model says.
func TestWritesKeepIndexes(t *testing.T) {
	seed := testseed.Of(t)
	for i := range uint64(40) {
		tr := newTrial(t, rand.New(rand.NewPCG(seed, i)), i%2 == 1)
		for range 40 {
			tr.step()
		}
		tr.commit()
		tr.rebuild()
	}
}

// rebuild empties each index and builds it anew.
func (tr *trial) rebuild() {
	ctx := context.Background()
	for i := range tr.table.Indexes {
		x := &tr.table.Indexes[i]
		tr.env.Txn.Rollback()
		tr.check(tr.store.Drop(ctx, tr.table.IndexSpace(x)))
		tr.check(tr.store.Create(ctx, tr.table.IndexSpace(x)))
		tr.begin()
		if err := CheckIndex(ctx, tr.env.Txn, tr.env.Tables, plan.Indexed{Table: tr.table},
			x); (err == nil) != (len(tr.model) == 0) {
			tr.t.Fatalf("an empty index for %d rows: %v", len(tr.model), err)
		}
		build := IndexBuild{Tables: tr.env.Tables, Table: plan.Indexed{Table: tr.table}, Index: x}
		tr.check(build.InOwnTxns(ctx, tr.store))
		tr.begin()
		tr.indexesAgree()
	}
}

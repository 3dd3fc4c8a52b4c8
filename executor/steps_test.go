package executor

import (
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/internal/testseed"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/types"
)

// promised is how many items a node says that it writes and reads for a row. What an UPDATE or
// DELETE reads comes from below.
func promised(n plan.Node, w cost.Work) (puts, deletes, reads int64) {
	_, inserts := n.(plan.Insert)
	for _, s := range w.Steps {
		switch {
		case s.Do == cost.Put:
			puts += int64(s.Times)
		case s.Do == cost.Remove:
			deletes += int64(s.Times)
		case s.Do == cost.Look || inserts:
			reads += int64(s.Times)
		}
	}
	return puts, deletes, reads
}

// profiled runs a node that writes and says what it took.
func (tr *trial) profiled(n plan.Node) *plan.NodeProfile {
	tr.env.Profile = plan.NewProfile(n)
	defer func() { tr.env.Profile = nil }()
	if tr.write(n); tr.t.Failed() {
		tr.t.FailNow()
	}
	return tr.env.Profile.Node(0)
}

// changesAll gives columns of the only row new values, which are not NULL.
func (tr *trial) changesAll() plan.Update {
	n := plan.Update{Table: tr.table, Input: scanOf(tr.table, plan.Access{Path: plan.Whole{}})}
	for _, at := range tr.random.Perm(len(tr.visible()))[:1+tr.random.IntN(2)] {
		c := tr.table.Columns[at]
		n.Set = append(n.Set, plan.Assignment{Column: at, Value: expr.Const{Value: tr.other(c.Type), T: c.Type}})
	}
	return n
}

// other is a value that no row has.
func (tr *trial) other(t types.T) types.Value {
	for {
		v := tr.value(t)
		if !v.IsNull() && !slices.ContainsFunc(tr.modelRows(), func(r types.Row) bool {
			return slices.ContainsFunc(r, func(o types.Value) bool { return o.Kind() == v.Kind() && types.Equal(o, v) })
		}) {
			return v
		}
	}
}

// TestStepsArePromised compares what EXPLAIN says of writes with what they do: the same for a row
// that goes in or out or has new values everywhere; else it is the most.
func TestStepsArePromised(t *testing.T) {
	seed := testseed.Of(t)
	exact := 0
	for i := range uint64(300) {
		tr := newTrial(t, rand.New(rand.NewPCG(seed, i)), false)
		if len(tr.table.Indexes) > 0 {
			tr.table.Indexes[0].State = catalog.States[tr.random.IntN(len(catalog.States))]
		}
		row := make(types.Row, len(tr.table.Columns))
		for at, c := range tr.visible() {
			for row[at].IsNull() {
				row[at] = tr.value(c.Type)
			}
		}
		insert := plan.Insert{Table: tr.table, Input: valuesOf(tr.table, [][]types.Value{row})}
		tr.setModel([]types.Row{row})
		tr.did(insert, true)
		tr.replaces(row)
		update := tr.changesAll()
		// a unique entry may stay where it is, and so may one at an address that knows its values roughly
		may := slices.ContainsFunc(tr.table.Indexes,
			func(x catalog.Index) bool { return x.Unique || x.Method == catalog.ZOrder })
		if tr.did(update, !may) {
			exact++
		}
		tr.did(plan.Delete{Table: tr.table, Input: scanOf(tr.table, plan.Access{Path: plan.Whole{}})}, true)
	}
	if exact < 50 {
		t.Errorf("only %d updates were compared exactly", exact)
	}
}

// did runs a node on one row and compares.
func (tr *trial) did(n plan.Node, exactly bool) bool { return tr.worked(n, 0, exactly) }

// worked compares with one of the kinds of work that a node says it does.
func (tr *trial) worked(n plan.Node, kind int, exactly bool) bool {
	w := cost.WorkOf(n, false, false)[kind]
	puts, deletes, reads := promised(n, w)
	p := tr.profiled(n)
	put, read := p.Writes-p.Deletes, p.Stats.Examined
	if p.Rows != 1 || put > puts || p.Deletes > deletes || read > reads {
		tr.t.Fatalf("%T of %d rows: %d puts, %d deletes, %d reads, promised %s", n, p.Rows, put, p.Deletes, read, w)
	}
	if same := put == puts && p.Deletes == deletes && read == reads; exactly && !same {
		tr.t.Fatalf("%T: %d puts, %d deletes, %d reads, promised %s for %v", n, put, p.Deletes, read, w,
			tr.table.Indexes)
	}
	return exactly
}

// replaces gives a row new values outside of its key, by REPLACE and by ON CONFLICT.
func (tr *trial) replaces(row types.Row) {
	keys := tr.keyOrdinals()
	upsert := plan.Insert{Table: tr.table, Conflict: plan.ConflictUpdate, Primary: true}
	other := slices.Clone(row)
	for at, c := range tr.visible() {
		if !slices.Contains(keys, at) {
			other[at] = tr.other(c.Type)
			upsert.Set = append(upsert.Set,
				plan.Assignment{Column: at, Value: expr.Column{Index: len(row) + at, T: c.Type}})
		}
	}
	upsert.Input = valuesOf(tr.table, [][]types.Value{other})
	tr.worked(upsert, 1, false)
	tr.worked(plan.Insert{Table: tr.table, Overwrite: true, Input: valuesOf(tr.table, [][]types.Value{row})}, 1, false)
	tr.did(plan.Delete{Table: tr.table, Input: scanOf(tr.table, plan.Access{Path: plan.Whole{}})}, true)
	tr.worked(upsert, 0, true)
	tr.did(plan.Delete{Table: tr.table, Input: scanOf(tr.table, plan.Access{Path: plan.Whole{}})}, true)
	tr.worked(plan.Insert{Table: tr.table, Overwrite: true, Input: valuesOf(tr.table, [][]types.Value{row})}, 0, true)
}

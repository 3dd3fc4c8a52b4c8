package executor

import (
	"context"
	"errors"
	"iter"
	"testing"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

var errStore = errors.New("the disk is gone")

// faulty is a transaction of which one kind of call fails, after it did something first.
type faulty struct {
	store.Txn
	call  string
	first func()
}

func (f *faulty) fails(call string) bool {
	if f.call == call {
		f.first()
	}
	return f.call == call
}

// Scan implements store.Txn.
func (f *faulty) Scan(ctx context.Context, s *store.Space, r *store.Scan) iter.Seq2[*types.Batch, error] {
	if f.fails("scan") {
		return failed(errStore)
	}
	return f.Txn.Scan(ctx, s, r)
}

// Get implements store.Txn.
func (f *faulty) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	if f.fails("get") {
		return nil, errStore
	}
	return f.Txn.Get(ctx, s, g, out)
}

// Put implements store.Txn.
func (f *faulty) Put(s *store.Space, item store.Item, g store.Guard) error {
	if f.fails("put") {
		return errStore
	}
	return f.Txn.Put(s, item, g)
}

// Delete implements store.Txn.
func (f *faulty) Delete(s *store.Space, key store.Key, g store.Guard) error {
	if f.fails("delete") {
		return errStore
	}
	return f.Txn.Delete(s, key, g)
}

// TestStoreFailures hands the store's errors up, unless the statement was canceled: then
// that is why.
func TestStoreFailures(t *testing.T) {
	table := tableOf("id int4, a int4", 1)
	x := index(table, false, "a")
	all := scanOf(table, plan.Access{Path: plan.Whole{}})
	lookup := scanOf(table, plan.Access{Path: plan.Whole{Entries: plan.Entries{Index: x, Reads: []int{0}}},
		Lookup: &plan.Lookups{}})
	point := scanOf(table, plan.Access{Path: spansOf(plan.Entries{}, 1, term(1, plan.TermEQ, 1))})
	insert := plan.Insert{Table: table, Input: valuesOf(table, [][]types.Value{row(7, 7)})}
	replace := insert
	replace.Overwrite = true
	for _, c := range []struct {
		call string
		plan plan.Node
	}{
		{"scan", all},
		{"scan", plan.Limit{Input: plan.Distinct{Input: all}, Count: constant(1)}},
		{"scan", plan.Sort{Input: all, Keys: []plan.SortKey{{Expr: column(0)}}}},
		{"scan", plan.Aggregate{Input: plan.Filter{Input: all, Cond: constant(true)}}},
		{"scan", plan.Project{Input: all, Exprs: []expr.Expr{column(0)}}},
		{"scan", lookup},
		{"get", lookup},
		{"get", point},
		{"get", insert},
		{"get", replace},
		{"put", insert},
		{"scan", plan.Insert{Table: table, Input: all}},
		{"scan", plan.Update{Table: table, Input: all}},
		{"put", plan.Update{Table: table, Input: all}},
		{"scan", plan.Delete{Table: table, Input: all}},
		{"delete", plan.Delete{Table: table, Input: all}},
	} {
		for _, canceled := range []bool{false, true} {
			w := newWorld(t, table)
			w.insert(plan.Insert{}, row(1, 10), row(2, 20))
			ctx, cancel := context.WithCancelCause(context.Background())
			want := errStore
			first := func() {}
			if canceled {
				cause := sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
				want, first = cause, func() { cancel(cause) }
			}
			w.env.Txn = &faulty{Txn: w.env.Txn, call: c.call, first: first}
			if err := run(ctx, c.plan, w.env); !errors.Is(err, want) {
				t.Errorf("%T, %s, canceled %v: %v", c.plan, c.call, canceled, err)
			}
			cancel(nil)
		}
	}
}

// run is the error of a plan.
func run(ctx context.Context, n plan.Node, env *Env) error {
	switch n.(type) {
	case plan.Insert, plan.Update, plan.Delete:
		_, _, err := Write(ctx, n, env)
		return err
	}
	for _, err := range Run(ctx, n, env) {
		if err != nil {
			return err
		}
	}
	return nil
}

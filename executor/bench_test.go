package executor

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/planner/plan"
	"zproxy/store/pebblestore"
	"zproxy/types"
	"zproxy/types/numeric"
)

// benchWorld is a table of 10,000 rows.
func benchWorld(b *testing.B) *world {
	table := tableOf("id int4, a int4, b text", 1)
	w := newWorld(b, table)
	var rows [][]types.Value
	for i := range 10_000 {
		rows = append(rows, row(i, i%100, "some text"))
	}
	w.insert(plan.Insert{}, rows...)
	w.commit()
	return w
}

// BenchmarkPoint is SELECT * FROM t WHERE id = $1, with the store's own share.
func BenchmarkPoint(b *testing.B) {
	w := benchWorld(b)
	eq := plan.Bound{Column: 1, Terms: []plan.Term{{Op: plan.TermEQ, Args: []expr.Expr{expr.Param{T: types.Int4}}}}}
	var n plan.Node = scanOf(w.table, plan.Access{Path: plan.Point{Bounds: []plan.Bound{eq}, Parts: 1}})
	n = plan.Project{Input: n, Exprs: []expr.Expr{column(0), column(1), column(2)}}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		w.env.Expr.Params = []types.Value{types.NewInt(int64(i % 10_000))}
		for batch, err := range Run(context.Background(), n, w.env) {
			if err != nil || batch.Len() != 1 {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkScan filters and adds up 10,000 rows.
func BenchmarkScan(b *testing.B) {
	w := benchWorld(b)
	s := scanOf(w.table, whole(plan.Entries{Filter: []expr.Expr{compare(expr.LT, column(1), constant(50))}}))
	n := plan.Aggregate{Input: s, Calls: []plan.AggregateCall{{Fn: builtin.Aggregates("count")[0]}}}
	b.ReportAllocs()
	for b.Loop() {
		for _, err := range Run(context.Background(), n, w.env) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkFanOut is SELECT * FROM t ORDER BY id LIMIT 1000 over 100,000 rows on Pebble, in one range and merged from
// 16 shards.
func BenchmarkFanOut(b *testing.B) {
	for _, shards := range []int{1, 16} {
		b.Run(fmt.Sprint(shards), func(b *testing.B) {
			table := tableOf("id int8, a int4, b text", 1)
			if shards > 1 {
				table.Primary.Partition = []catalog.Part{{Kind: part.Shard, Of: []uint32{1}, Count: shards}}
				table.Primary.Sort = partsOf(table.Columns[0])
			}
			w := restingWorld(b, table, 100_000)
			limit := plan.Limit{Count: constant(1000)}
			access := plan.Access{Path: plan.Whole{}, Delivery: plan.Delivery{Ordered: true}, Most: &limit}
			if shards > 1 {
				access = *along(access, 1)
				access.Merge = &plan.Merge{Parts: 1, By: []plan.Order{{Column: 0}}}
			}
			limit.Input = scanOf(table, access)
			b.ReportAllocs()
			for b.Loop() {
				if rows, err := drain(b.Context(), limit, w.env, 0); err != nil || rows != 1000 {
					b.Fatal(rows, err)
				}
			}
		})
	}
}

// restingWorld is a table of rows in Pebble, opened anew, so that none is in memory only.
func restingWorld(b *testing.B, table *catalog.Table, rows int) *world {
	dir := b.TempDir()
	open := func() *pebblestore.Store {
		st, err := pebblestore.Open(dir, pebblestore.Options{})
		if err != nil {
			b.Fatal(err)
		}
		return st
	}
	st := open()
	w := newWorldIn(b, table, st)
	var all [][]types.Value
	for i := range rows {
		all = append(all, row(i, i%100, strings.Repeat("some text ", 10)))
	}
	w.insert(plan.Insert{}, all...)
	w.commit()
	w.env.Txn.Rollback()
	w.check(st.Close())
	st = open()
	b.Cleanup(func() { w.env.Txn.Rollback(); w.check(st.Close()) })
	w.store = st
	w.begin()
	return w
}

// BenchmarkInsert is an INSERT of one row into a table without indexes.
func BenchmarkInsert(b *testing.B) {
	w := benchWorld(b)
	n := plan.Insert{Table: w.table}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		n.Input = valuesOf(w.table, [][]types.Value{{types.NewInt(int64(10_000 + i)), types.NewInt(1),
			types.NewText("x")}})
		if _, _, err := Write(context.Background(), n, w.env); err != nil {
			b.Fatal(err)
		}
	}
}

// numberedRows are rows of a key that is made of their number, and of the number.
func numberedRows(n int, key func(i int) int) Rows {
	return func(yield func(*types.Batch, error) bool) {
		batch := types.NewBatch(2)
		for i := 0; i < n; {
			batch.Reset(2)
			for ; !batch.Full() && i < n; i++ {
				row := batch.Add()
				row[0], row[1] = types.NewInt(int64(key(i))), types.NewInt(int64(i))
			}
			if !yield(batch, nil) {
				return
			}
		}
	}
}

// BenchmarkPricing sums up prices, discounts and taxes of 100,000 rows by two flags, as TPC-H's first query does.
func BenchmarkPricing(b *testing.B) {
	const rows, kinds = 100_000, 4
	price, discount := expr.Expr(numericColumn(1)), expr.Expr(numericColumn(2))
	one := expr.Const{Value: types.NewSmall(numeric.Small{Coefficient: 1}), T: types.Numeric}
	call := func(sign string, left, right expr.Expr) expr.Expr {
		for _, f := range builtin.Operators(sign, 2) {
			if f.Result == types.OIDNumeric && f.Args[0] == types.OIDNumeric {
				return expr.Call{Fn: f, Args: []expr.Expr{left, right}, T: types.Numeric}
			}
		}
		panic(sign)
	}
	reduced := call("*", price, call("-", one, discount))
	n := plan.Aggregate{Input: plan.Stream{Cols: cols(3)}, Groups: []expr.Expr{column(0)}, Cols: cols(7)}
	for _, c := range []struct {
		name string
		arg  expr.Expr
	}{{"sum", price}, {"sum", reduced}, {"sum", call("*", reduced, call("+", one, discount))}, {"avg", price},
		{"avg", discount}} {
		for _, f := range builtin.Aggregates(c.name) {
			if f.Args[0] == types.OIDNumeric {
				n.Calls = append(n.Calls, plan.AggregateCall{Fn: f, Args: []expr.Expr{c.arg}})
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		env := newEnv()
		env.Stream = func(yield func(*types.Batch, error) bool) {
			batch := types.NewBatch(3)
			for i := 0; i < rows; {
				columns := batch.Columns(3)
				columns[0].Shape(types.KindInt, types.BatchRows)
				columns[1].Shape(types.KindNumeric, types.BatchRows)
				columns[2].Shape(types.KindNumeric, types.BatchRows)
				columns[1].Scale, columns[2].Scale = 2, 2
				for at := range types.BatchRows {
					columns[0].Ints[at] = int64(i % kinds)
					columns[1].Ints[at], columns[2].Ints[at] = int64(i*7), int64(i%11)
					i++
				}
				batch.Grow(types.BatchRows)
				if !yield(batch, nil) {
					return
				}
			}
		}
		for _, err := range Run(b.Context(), n, env) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
}

func numericColumn(at int) expr.Column { return expr.Column{Index: at, T: types.Numeric} }

// BenchmarkHashJoin joins two million rows with ten thousand.
func BenchmarkHashJoin(b *testing.B) {
	const probes, builds = 2_000_000, 10_000
	series := func(n, different int) Rows { return numberedRows(n, func(i int) int { return i % different }) }
	for _, c := range []struct {
		name string
		keys []plan.JoinKey
	}{
		{"int", []plan.JoinKey{{Left: column(0), Right: column(0)}}},
		{"two", []plan.JoinKey{{Left: column(0), Right: column(0)}, {Left: column(0), Right: column(1)}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				env := newEnv()
				env.Stream = series(probes, builds)
				small := expr.Call{Fn: &expr.Function{Name: "small", Out: make([]expr.OutColumn, 2),
					Rows: func(*expr.Context, []types.Value) expr.Set { return each(series(builds, builds)) }}}
				n := plan.Join{
					Left:   plan.Stream{Cols: cols(2)},
					Right:  plan.FunctionScan{Calls: []expr.Call{small}, Cols: cols(2)},
					Method: &plan.JoinMethod{Strategy: plan.Hash, Keys: c.keys},
				}
				rows := 0
				for batch, err := range Run(context.Background(), plan.Aggregate{Input: n,
					Calls: []plan.AggregateCall{{Fn: builtin.Aggregates("count")[0]}}, Cols: cols(1)}, env) {
					if err != nil {
						b.Fatal(err)
					}
					rows += int(batch.Row(0)[0].Int())
				}
				if rows != probes {
					b.Fatal(rows)
				}
			}
		})
	}
}

// BenchmarkMergeJoin joins rows in order, four of one side with each of the other, by a merge and by a hash table.
func BenchmarkMergeJoin(b *testing.B) {
	const parents, children = 50_000, 4
	series := func(n, per int) Rows { return numberedRows(n, func(i int) int { return i / per }) }
	for name, strategy := range map[string]plan.Strategy{"merge": plan.Merged, "hash": plan.Hash} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				env := newEnv()
				env.Stream = series(parents*children, children)
				set := expr.Call{Fn: &expr.Function{Name: "parents", Out: make([]expr.OutColumn, 2),
					Rows: func(*expr.Context, []types.Value) expr.Set { return each(series(parents, 1)) }}}
				n := plan.Join{Left: plan.Stream{Cols: cols(2)},
					Right:  plan.FunctionScan{Calls: []expr.Call{set}, Cols: cols(2)},
					Method: &plan.JoinMethod{Strategy: strategy, Keys: []plan.JoinKey{{Left: column(0), Right: column(0)}}}}
				rows := 0
				for batch, err := range Run(context.Background(), plan.Aggregate{Input: n,
					Calls: []plan.AggregateCall{{Fn: builtin.Aggregates("count")[0]}}, Cols: cols(1)}, env) {
					if err != nil {
						b.Fatal(err)
					}
					rows += int(batch.Row(0)[0].Int())
				}
				if rows != parents*children {
					b.Fatal(rows)
				}
			}
		})
	}
}

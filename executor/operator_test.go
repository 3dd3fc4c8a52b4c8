package executor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/internal/testseed"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// offer is rows of one column in batches of three, and an error after them. It counts
// the rows that are read.
func offer(rows []any, after error, read *int) Rows {
	return func(yield func(*types.Batch, error) bool) {
		out := types.NewBatch(1)
		for chunk := range slices.Chunk(rows, 3) {
			out.Reset(1)
			for _, v := range chunk {
				out.Append(row(v))
			}
			*read += len(chunk)
			if !yield(out, nil) {
				return
			}
		}
		if after != nil {
			yield(nil, after)
		}
	}
}

func ints(n int) []any {
	var out []any
	for i := range n {
		out = append(out, i)
	}
	return out
}

// over runs a plan over the rows that a client streams.
func over(rows []any, n func(plan.Node) plan.Node) string {
	read := 0
	env := &Env{Tables: NewTables(), Given: Given{Stream: offer(rows, nil, &read)}, Expr: &expr.Context{}}
	return show(Run(context.Background(), n(plan.Stream{Cols: make([]plan.Column, 1)}), env))
}

func TestLimit(t *testing.T) {
	failure := errors.New("broken")
	for _, c := range []struct {
		name          string
		offered       int
		after         error
		offset, count any
		want          string
		read          int
	}{
		{"stops at the last row it needs", 9, nil, 0, 3, "(0) (1) (2)", 3},
		{"stops within a batch", 9, nil, 0, 4, "(0) (1) (2) (3)", 6},
		{"skips", 9, nil, 4, 3, "(4) (5) (6)", 9},
		{"skips whole batches", 9, nil, 3, 2, "(3) (4)", 6},
		{"no rows are left", 3, nil, 4, 3, "", 3},
		{"LIMIT 0 reads nothing", 9, nil, 0, 0, "", 0},
		{"NULL is no limit", 4, nil, nil, nil, "(0) (1) (2) (3)", 4},
		{"an error behind the last row is not met", 3, failure, 0, 3, "(0) (1) (2)", 3},
		{"an error before the last row is", 3, failure, 0, 4, "(0) (1) (2) broken", 3},
		{"a negative count", 3, nil, 0, -1, "2201W LIMIT must not be negative", 0},
		{"a negative offset", 3, nil, -1, 1, "2201X OFFSET must not be negative", 0},
		{"both very large", 2, nil, 1, math.MaxInt, "(1)", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			read := 0
			env := &Env{Tables: NewTables(), Given: Given{Stream: offer(ints(c.offered), c.after, &read)},
				Expr: &expr.Context{}}
			n := plan.Limit{Input: plan.Stream{}, Count: constant(c.count), Offset: constant(c.offset)}
			if got := show(Run(context.Background(), n, env)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if read != c.read {
				t.Errorf("read %d rows, want %d", read, c.read)
			}
		})
	}
}

func TestOperators(t *testing.T) {
	group := func(groups []expr.Expr, calls ...plan.AggregateCall) func(plan.Node) plan.Node {
		return func(in plan.Node) plan.Node { return plan.Aggregate{Input: in, Groups: groups, Calls: calls} }
	}
	count := plan.AggregateCall{Fn: builtin.Aggregates("count")[0]}
	countOf := plan.AggregateCall{Fn: builtin.Aggregates("count")[1], Args: []expr.Expr{column(0)}}
	distinctCount := countOf
	distinctCount.Distinct = true
	above1 := count
	above1.Filter = compare(expr.GT, column(0), constant(1))
	sorted := func(k plan.SortKey) func(plan.Node) plan.Node {
		k.Expr = column(0)
		return func(in plan.Node) plan.Node { return plan.Sort{Input: in, Keys: []plan.SortKey{k}} }
	}
	for _, c := range []struct {
		name string
		rows []any
		plan func(plan.Node) plan.Node
		want string
	}{
		{"filter", ints(5), func(in plan.Node) plan.Node {
			return plan.Filter{Input: in, Cond: compare(expr.GT, column(0), constant(2))}
		}, "(3) (4)"},
		{"filter drops NULL", []any{1, nil, 2}, func(in plan.Node) plan.Node {
			return plan.Filter{Input: in, Cond: compare(expr.GT, column(0), constant(1))}
		}, "(2)"},
		{"project", ints(4), func(in plan.Node) plan.Node {
			return plan.Project{Input: in, Exprs: []expr.Expr{column(0), constant("x"), column(0)}}
		}, "(0,x,0) (1,x,1) (2,x,2) (3,x,3)"},
		{"values", nil, func(plan.Node) plan.Node {
			return plan.Values{Rows: [][]expr.Expr{{constant(1), constant("a")}, {constant(nil), constant(true)}},
				Cols: make([]plan.Column, 2)}
		}, "(1,a) (null,t)"},
		{"sort", []any{3, 1, nil, 2}, sorted(plan.SortKey{}), "(1) (2) (3) (null)"},
		{"sort with NULLs first", []any{3, 1, nil, 2}, sorted(plan.SortKey{NullsFirst: true}), "(null) (1) (2) (3)"},
		{"sort downwards", []any{3, 1, nil, 2}, sorted(plan.SortKey{Desc: true, NullsFirst: true}), "(null) (3) (2) (1)"},
		{"sort downwards with NULLs last", []any{3, 1, nil, 2}, sorted(plan.SortKey{Desc: true}), "(3) (2) (1) (null)"},
		{"distinct", []any{2, nil, 1, 2, nil, 3, 1}, func(in plan.Node) plan.Node { return plan.Distinct{Input: in} }, "(2) (null) (1) (3)"},
		{"groups", []any{2, nil, 1, 2, nil, 2}, group([]expr.Expr{column(0)}, count), "(2,3) (null,2) (1,1)"},
		{"groups of nothing", nil, group([]expr.Expr{column(0)}, count), ""},
		{"one group", []any{2, nil, 1, 2}, group(nil, count, countOf, distinctCount, above1), "(4,3,2,2)"},
		{"one group of nothing", nil, group(nil, count, countOf), "(0,0)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := over(c.rows, c.plan); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// TestSortFirst compares the first rows that a sort keeps with those of a whole one. Equal
// rows must stay in their order.
func TestSortFirst(t *testing.T) {
	random := rand.New(rand.NewPCG(testseed.Of(t), 2))
	for range 200 {
		rows := make([]any, random.IntN(40))
		for i := range rows {
			rows[i] = random.IntN(10)*100 + i // ordered by the hundreds
		}
		hundreds := expr.Call{Fn: &expr.Function{Fn1: func(_ *expr.Context, v types.Value) (types.Value, error) {
			return types.NewInt(v.Int() / 100), nil
		}}, Args: []expr.Expr{column(0)}}
		whole := func(in plan.Node) plan.Node {
			return plan.Sort{Input: in, Keys: []plan.SortKey{{Expr: hundreds}}}
		}
		few := &plan.Limit{Count: constant(random.IntN(12)), Offset: constant(random.IntN(5))}
		limited := func(in plan.Node) plan.Node {
			return plan.Limit{Input: in, Count: few.Count, Offset: few.Offset}
		}
		want := over(rows, func(in plan.Node) plan.Node { return limited(whole(in)) })
		got := over(rows, func(in plan.Node) plan.Node {
			s := whole(in).(plan.Sort)
			s.Most = few
			return limited(s)
		})
		if got != want {
			t.Fatalf("%v: got %s, want %s", rows, got, want)
		}
	}
}

// TestCanceled ends a statement with the cause of its context.
func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request")
	env := &Env{Tables: NewTables(), Expr: &expr.Context{},
		Given: Given{Stream: func(yield func(*types.Batch, error) bool) {
			for out := types.NewBatch(1); ; cancel(cause) {
				out.Reset(1)
				out.Append(row(1))
				if !yield(out, nil) {
					return
				}
			}
		}}}
	in := plan.Stream{Cols: make([]plan.Column, 1)}
	for _, n := range []plan.Node{
		plan.Filter{Input: in, Cond: expr.Const{Value: types.NewBool(true), T: types.Bool}},
		plan.Project{Input: in, Exprs: []expr.Expr{column(0)}},
		plan.Sort{Input: in, Keys: []plan.SortKey{{Expr: column(0)}}},
		plan.Distinct{Input: in},
		plan.Aggregate{Input: in},
	} {
		var last error
		for _, last = range Run(ctx, n, env) {
		}
		if !errors.Is(last, cause) {
			t.Errorf("%T: %v", n, last)
		}
	}
}

// TestStreamingMemory lets a thousand batches through operators that keep nothing: they
// need no more memory than for ten.
func TestStreamingMemory(t *testing.T) {
	allocations := func(rows int) float64 {
		in := ints(rows)
		n := plan.Limit{
			Input: plan.Project{
				Input: plan.Filter{Input: plan.Stream{}, Cond: compare(expr.GE, column(0), constant(0))},
				Exprs: []expr.Expr{column(0), column(0)},
			},
			Count: constant(1 << 40),
		}
		return testing.AllocsPerRun(3, func() {
			read, got := 0, 0
			batch := types.NewBatch(1)
			env := &Env{Tables: NewTables(), Expr: &expr.Context{},
				Given: Given{Stream: func(yield func(*types.Batch, error) bool) {
					for _, v := range in {
						batch.Reset(1)
						batch.Append(types.Row{types.NewInt(int64(v.(int)))})
						read++
						if !yield(batch, nil) {
							return
						}
					}
				}}}
			for out := range Run(context.Background(), n, env) {
				got += out.Len()
			}
			if got != rows || read != rows {
				t.Errorf("%d rows came out of %d", got, read)
			}
		})
	}
	if few, many := allocations(10), allocations(1000); many > few+10 {
		t.Errorf("%v allocations for 10 batches, %v for 1000", few, many)
	}
}

// TestProfile counts per node.
func TestProfile(t *testing.T) {
	n := plan.Limit{Input: plan.Filter{Input: plan.Stream{}, Cond: compare(expr.GT, column(0), constant(1))},
		Count: constant(3)}
	read := 0
	env := &Env{Tables: NewTables(), Given: Given{Stream: offer(ints(9), nil, &read)}, Expr: &expr.Context{},
		Profile: plan.NewProfile(n)}
	show(Run(context.Background(), n, env))
	var got []string
	for i := range 3 {
		p := env.Profile.Node(i)
		got = append(got, fmt.Sprint(p.Loops, p.Rows, p.Removed, p.First <= p.Time))
	}
	if want := "[1 3 0 true 1 4 2 true 1 6 0 true]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

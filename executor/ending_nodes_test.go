package executor

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/trigger"
	"zproxy/expr"
	"zproxy/expr/builtin"
	"zproxy/planner/plan"
	"zproxy/types"
)

// TestEveryNodeEnds wants each kind of node of the package plan to be in a plan of TestOperatorsEnd.
func TestEveryNodeEnds(t *testing.T) {
	run := map[string]bool{}
	var see func(n plan.Node)
	see = func(n plan.Node) {
		run[reflect.TypeOf(n).Name()] = true
		for _, in := range n.Inputs() {
			see(in)
		}
	}
	for _, plans := range []map[string]endingPlan{endingPlans(), streamingPlans(), setPlans(), storedPlans()} {
		for _, p := range plans {
			see(p.plan(plan.Stream{Cols: cols(1)}))
		}
	}
	kinds := nodeKinds(t)
	if len(kinds) < 20 {
		t.Fatalf("only %d kinds of nodes were found", len(kinds))
	}
	for _, kind := range kinds {
		if !run[kind] {
			t.Errorf("plan.%s is in no plan of TestOperatorsEnd", kind)
		}
	}
}

// nodeKinds are the types of the package plan with the method that makes them nodes.
func nodeKinds(t *testing.T) (kinds []string) {
	files, err := filepath.Glob("../planner/plan/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "node" && f.Type.Results == nil {
				if of, ok := f.Recv.List[0].Type.(*ast.Ident); ok {
					kinds = append(kinds, of.Name)
				}
			}
		}
	}
	return kinds
}

// never is a filter that no row passes.
func never(in plan.Node) plan.Node {
	return plan.Filter{Input: in, Cond: compare(expr.LT, column(0), constant(-1))}
}

// allNumbers is a set as long as the stream.
func allNumbers() expr.Call {
	return expr.Call{Fn: upTo, Args: []expr.Expr{constant(endingRows)}, T: types.Int8}
}

// streaming is a plan whose input is part of its work.
func streaming(of func(in plan.Node) plan.Node) endingPlan {
	return endingPlan{plan: of, rows: endingRows, value: func(i int) any { return i }, work: endingRows, whole: true}
}

// streamingPlans are plans whose nodes work while they read, and give few rows out: above them nothing
// would look at the context.
func streamingPlans() map[string]endingPlan {
	window := func(calls ...plan.WindowCall) func(in plan.Node) plan.Node {
		return func(in plan.Node) plan.Node {
			return never(plan.Window{Input: in, Order: []plan.SortKey{{Expr: column(0)}}, Calls: calls,
				Cols: cols(1 + len(calls))})
		}
	}
	return map[string]endingPlan{
		"filter": streaming(never),
		"project": streaming(func(in plan.Node) plan.Node {
			return never(plan.Project{Input: in, Exprs: []expr.Expr{plus(column(0), 1)}, Cols: cols(1)})
		}),
		"limit": streaming(func(in plan.Node) plan.Node {
			return plan.Limit{Input: in, Count: constant(1), Offset: constant(endingRows - 1)}
		}),
		"distinct": streaming(func(in plan.Node) plan.Node { return never(plan.Distinct{Input: in}) }),
		"distinct on": streaming(func(in plan.Node) plan.Node {
			return plan.Distinct{Input: in, On: []expr.Expr{constant(1)}}
		}),
		"groups": streaming(func(in plan.Node) plan.Node {
			return never(plan.Aggregate{Input: in, Groups: []expr.Expr{column(0)}, Cols: cols(1)})
		}),
		"sorted groups": streaming(func(in plan.Node) plan.Node {
			return never(plan.Aggregate{Input: in, Groups: []expr.Expr{column(0)}, Cols: cols(1), Sorted: true})
		}),
		"append": streaming(func(in plan.Node) plan.Node {
			return never(plan.Append{In: []plan.Node{listOf(1), in}, Cols: cols(1)})
		}),
		"intersect": streaming(func(in plan.Node) plan.Node {
			return plan.SetOp{Left: in, Right: listOf(1, row(-1)), Cols: cols(1)}
		}),
		"intersect all": streaming(func(in plan.Node) plan.Node {
			return plan.SetOp{All: true, Left: listOf(1, row(-1)), Right: in, Cols: cols(1)}
		}),
		"except": streaming(func(in plan.Node) plan.Node {
			return plan.SetOp{Except: true, Left: listOf(1, row(1)), Right: in, Cols: cols(1)}
		}),
		"with": streaming(func(in plan.Node) plan.Node {
			return plan.With{Number: 1, Query: in,
				Input: never(plan.Append{In: []plan.Node{refOf(1), refOf(1)}, Cols: cols(1)})}
		}),
		"values": streaming(func(plan.Node) plan.Node { return never(constants(func(i int) any { return i }, endingRows)) }),
		"virtual": streaming(func(plan.Node) plan.Node {
			return never(plan.Virtual{Relation: &catalog.Virtual{}, Reads: []int{0}, Cols: cols(1)})
		}),
		"window functions": streaming(window(windowCall("row_number"), windowCall("rank"), windowCall("lag", column(0)),
			windowCall("ntile", constant(3)), windowCall("cume_dist"))),
		"ranks": streaming(window(windowCall("row_number"), windowCall("rank"), windowCall("dense_rank"))),
		"growing frames": streaming(window(plan.WindowCall{Aggregate: builtin.Aggregates("sum")[0], Args: []expr.Expr{column(0)},
			Frame: plan.Frame{End: plan.FrameBound{Kind: plan.CurrentRow}}})),
	}
}

// setPlans are those of streamingPlans in which plans and sets run again and again.
func setPlans() map[string]endingPlan {
	few := plan.Filter{Input: refOf(1), Cond: compare(expr.LT, column(0), constant(endingRows/16))}
	step := plan.Project{Input: few, Exprs: []expr.Expr{plus(column(0), 1)}, Cols: cols(1)}
	all := allNumbers()
	return map[string]endingPlan{
		"recursion": streaming(func(plan.Node) plan.Node {
			return never(plan.Recursion{Number: 1, Base: listOf(1, row(0)), Step: step, Cols: cols(1)})
		}),
		"recursion of old rows": streaming(func(in plan.Node) plan.Node {
			return never(plan.Recursion{Number: 1, Base: listOf(1, row(1), row(2)), Distinct: true, Cols: cols(1),
				Step: plan.Project{Input: plan.Join{Left: refOf(1),
					Right: plan.FunctionScan{Calls: []expr.Call{all}, Cols: cols(1)}},
					Exprs: []expr.Expr{constant(1)}, Cols: cols(1)}})
		}),
		"lateral": streaming(func(in plan.Node) plan.Node {
			right := plan.Filter{Input: listOf(1, row(-1), row(-2)), Cond: compare(expr.EQ, column(0), outer(0))}
			return plan.Join{Left: in, Right: right, Slots: []plan.Slot{{Number: 0, Value: column(0)}}}
		}),
		"lateral that keeps rows": streaming(func(in plan.Node) plan.Node {
			return plan.Limit{Input: lateralOf(plan.InnerJoin, in, memoizedOf(listOf(1))), Count: constant(1)}
		}),
		"barrier": streaming(func(in plan.Node) plan.Node {
			return never(plan.Barrier{Input: in})
		}),
		"lateral set": streaming(func(in plan.Node) plan.Node {
			right := never(plan.FunctionScan{Calls: []expr.Call{all}, Cols: cols(1)})
			return plan.Join{Left: listOf(1, row(1), row(2)), Right: right,
				Slots: []plan.Slot{{Number: 0, Value: column(0)}}}
		}),
		"set": streaming(func(plan.Node) plan.Node {
			return never(plan.ProjectSet{Input: listOf(1, row(1)), Calls: []expr.Call{all}, Cols: cols(2)})
		}),
		"sets of nothing": streaming(func(in plan.Node) plan.Node {
			none := expr.Call{Fn: upTo, Args: []expr.Expr{constant(0)}, T: types.Int8}
			return plan.ProjectSet{Input: in, Calls: []expr.Call{none}, Cols: cols(2)}
		}),
		"function": streaming(func(plan.Node) plan.Node {
			return never(plan.FunctionScan{Calls: []expr.Call{all}, Cols: cols(1)})
		}),
		"functions": streaming(func(plan.Node) plan.Node {
			return never(plan.FunctionScan{Calls: []expr.Call{all, all}, Ordinality: true, Cols: cols(3)})
		}),
	}
}

// storedPlans are plans over a table with as many rows as the stream has.
func storedPlans() map[string]endingPlan {
	table := endingTable()
	scan := scanOf(table, plan.Access{Path: plan.Whole{}})
	scan.Write = true
	stored := func(n plan.Node) endingPlan {
		return endingPlan{plan: func(plan.Node) plan.Node { return n }, work: endingRows, whole: true}
	}
	ordered := scanOf(table, plan.Access{Path: plan.Whole{}, Delivery: plan.Delivery{Ordered: true}})
	insert := stored(nil)
	insert.rows, insert.value = endingRows, func(i int) any { return endingRows + i }
	insert.plan = func(in plan.Node) plan.Node { return plan.Insert{Table: table, Input: in} }
	return map[string]endingPlan{
		"scan":   stored(plan.Filter{Input: scan, Cond: compare(expr.LT, column(0), constant(0))}),
		"keys":   stored(plan.Limit{Input: plan.Keys{Table: table, Of: []plan.Node{ordered, scan}}, Offset: constant(endingRows)}),
		"gather": stored(plan.Filter{Input: plan.Gather{Input: ordered}, Cond: compare(expr.LT, column(0), constant(0))}),
		"insert": insert,
		"update": stored(plan.Update{Table: table, Input: scan,
			Set: []plan.Assignment{{Column: 0, Value: plus(column(0), endingRows)}}}),
		"merge into": stored(plan.MergeInto{Table: table, Input: scan,
			Whens: []plan.MergeWhen{{Matched: true, Do: plan.MergeDelete}}}),
		"delete":     stored(plan.Delete{Table: table, Input: scan}),
		"instead":    stored(plan.Instead{Table: table, Input: scan, Event: trigger.Delete}),
		"write each": stored(plan.WriteEach{In: []plan.Node{plan.Delete{Table: table, Input: scan}}}),
		"lock rows":  stored(never(lockedFrom(scan, table, 0))),
	}
}

func endingTable() *catalog.Table { return tableOf("id int4", 1) }

// endingWorld is a store with the table of storedPlans.
func endingWorld(t *testing.T) *world {
	w := newWorld(t, endingTable())
	for first := 0; first < endingRows; first += 1000 {
		var rows [][]types.Value
		for i := first; i < min(first+1000, endingRows); i++ {
			rows = append(rows, row(i))
		}
		w.insert(plan.Insert{}, rows...)
	}
	w.commit()
	return w
}

package explain_test

import (
	"strings"
	"testing"
	"time"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/explain"
	"zproxy/planner/plan"
	"zproxy/planner/rowlock"
	"zproxy/types"
)

func leaf(name string, columns ...string) plan.Scan {
	s := plan.Scan{Table: &catalog.Table{Name: name}, Alias: name}
	for _, c := range columns {
		s.Cols = append(s.Cols, plan.Column{Name: c, Type: types.Int4})
	}
	return s
}

func col(i int, name string) expr.Expr { return expr.Column{Index: i, Name: name, T: types.Int4} }

func less(a, b expr.Expr) expr.Expr { return expr.Compare{Op: expr.LT, Left: a, Right: b} }

func subquery(number int, kind expr.SubqueryKind, n plan.Node, depends ...int) expr.Expr {
	return expr.Subquery{Kind: kind, Plan: plan.Sub{Node: n}, Depends: depends, Number: number, T: types.Int4}
}

// shown is a plan and what EXPLAIN shows of it.
type shown struct {
	n    plan.Node
	want string
}

// TestExplainNodes shows plans of several tables as EXPLAIN does.
func TestExplainNodes(t *testing.T) {
	a, b, function := leaf("a", "x", "y"), leaf("b", "x"), &expr.Function{Name: "generate_series"}
	keys := []plan.JoinKey{{Left: col(0, "x"), Right: col(0, "x")},
		{Left: col(1, "y"), Right: col(0, "x"), NullsEqual: true}}
	count := plan.Aggregate{Input: b}
	for _, c := range []shown{
		{plan.Join{Kind: plan.LeftJoin, Left: a, Right: b, Method: &plan.JoinMethod{Strategy: plan.Hash, Keys: keys, Residual: less(col(1, "y"), col(2, "x"))}}, `
Hash Left Join
  Hash Cond: ((a.x = b.x) AND (a.y IS NOT DISTINCT FROM b.x))
  Join Filter: (a.y < b.x)
  ->  Scan on a
  ->  Hash
        ->  Scan on b`},
		{plan.Join{Kind: plan.SemiJoin, Left: a, Right: b, Method: &plan.JoinMethod{Strategy: plan.Hash, Keys: keys[:1], BuildLeft: true}}, `
Hash Right Semi Join
  Hash Cond: (b.x = a.x)
  ->  Scan on b
  ->  Hash
        ->  Scan on a`},
		{plan.Join{Left: a, Right: b, Method: &plan.JoinMethod{Strategy: plan.Lookup, Keys: keys[:1]}}, `
Nested Loop
  Lookups: b, in batches of 100
  ->  Scan on a
  ->  Scan on b`},
		{plan.Join{Kind: plan.AntiJoin, Left: a, Right: b, On: less(col(0, "x"), col(2, "x"))}, `
Nested Loop Anti Join
  Join Filter: (a.x < b.x)
  ->  Scan on a
  ->  Scan on b`},
		{plan.With{Number: 1, Name: "w", Query: a, Input: plan.Filter{Input: plan.Ref{Number: 1, Name: "w"}, Cond: less(subquery(1, expr.ScalarSubquery, count), subquery(2, expr.ScalarSubquery, b, 0))}}, `
CTE Scan on w
  Filter: ($0 < (SubPlan 2))
  CTE w
    ->  Scan on a
  InitPlan 1 (returns $0)
    ->  Aggregate
          ->  Scan on b
  SubPlan 2
    ->  Scan on b`},
		{plan.Recursion{Number: 1, Name: "r", Base: b, Step: plan.Project{Input: plan.Ref{Number: 1, Name: "r"}}}, `
Recursive Union
  ->  Scan on b
  ->  WorkTable Scan on r`},
		{plan.Append{In: []plan.Node{a, plan.SetOp{Except: true, All: true, Left: a, Right: b}}}, `
Append
  ->  Scan on a
  ->  HashSetOp Except All
        ->  Scan on a
        ->  Scan on b`},
		{plan.Distinct{On: []expr.Expr{col(0, "x")}, Input: plan.Window{Input: plan.ProjectSet{Input: plan.FunctionScan{Calls: []expr.Call{{Fn: function}}, Alias: "g"}}}}, `
Unique
  ->  WindowAgg
        ->  ProjectSet
              ->  Function Scan on generate_series g`},
		{plan.Insert{Input: a, Table: &catalog.Table{Name: "a", PrimaryKey: "a_pkey"}, Primary: true, Conflict: plan.ConflictUpdate, SetWhere: less(col(0, "x"), col(1, "y"))}, `
Insert on a
  Conflict Resolution: UPDATE
  Conflict Arbiter Indexes: a_pkey
  Conflict Filter: (x < y)
  Write: 2 steps per new row: look for the key in a, put into a
  Write: 2 steps per row that is there: read a, put into a
  ->  Scan on a`},
	} {
		x := explain.Options{Values: &expr.Context{}}
		if got := strings.Join(x.Lines(c.n), "\n"); got != c.want[1:] {
			t.Errorf("%s\nnot%s", got, c.want)
		}
	}
}

// TestExplainLock shows what is read FOR UPDATE.
func TestExplainLock(t *testing.T) {
	n := plan.Limit{Input: plan.LockRows{Input: leaf("b", "x"), Targets: []plan.LockTarget{
		{Alias: "b", Lock: rowlock.Lock{Strength: rowlock.Update, Wait: rowlock.NoWait}},
		{Alias: "c", Lock: rowlock.Lock{Strength: rowlock.KeyShare, Wait: rowlock.Skip}},
	}}}
	x := explain.Options{Values: &expr.Context{}}
	want := "Limit\n  ->  LockRows\n        Lock: FOR UPDATE OF b NOWAIT, FOR KEY SHARE OF c SKIP LOCKED\n        ->  Scan on b"
	if got := strings.Join(x.Lines(n), "\n"); got != want {
		t.Error(got)
	}
}

// TestExplainAnalyze shows what each node took under its own number.
func TestExplainAnalyze(t *testing.T) {
	inner := plan.Filter{Input: leaf("b", "x"),
		Cond: less(subquery(1, expr.ScalarSubquery, leaf("c", "x"), 0), col(0, "x"))}
	n := plan.Sort{Input: plan.Join{Left: leaf("a", "x"), Right: inner, Method: &plan.JoinMethod{Strategy: plan.Hash}},
		Keys: []plan.SortKey{{Expr: col(0, "x")}}}
	p := plan.NewProfile(n)
	for i := 0; p.Node(i) != nil; i++ {
		at := p.Node(i)
		*at = plan.NodeProfile{Loops: 2, Rows: int64(20 * i), Time: 4 * time.Millisecond}
		at.Spilled, at.Batches, at.Buckets = 1025, 4, 8
	}
	*p.Node(p.Subquery(1)) = plan.NodeProfile{}
	x := explain.Options{Values: &expr.Context{}, Profile: p}
	want := `
Sort (actual time=0.0000..2.0000 rows=0 loops=2)
  Sort Key: x
  Sort Method: external merge  Disk: 2kB
  ->  Hash Join (actual time=0.0000..2.0000 rows=10 loops=2)
        Hash Cond: ()
        ->  Scan on a (actual time=0.0000..2.0000 rows=20 loops=2)
        ->  Hash (actual time=2.0000..2.0000 rows=30 loops=2)
              Buckets: 8 (originally 8)  Batches: 4 (originally 1)  Memory Usage: 0kB  Disk Usage: 2kB
              ->  Filter (actual time=0.0000..2.0000 rows=30 loops=2)
                    Filter: ((SubPlan 1) < x)
                    Rows Removed by Filter: 0
                    ->  Scan on b (actual time=0.0000..2.0000 rows=40 loops=2)
                    SubPlan 1
                      ->  Scan on c (never executed)`
	if got := strings.Join(x.Lines(n), "\n"); got != want[1:] {
		t.Errorf("%s\nnot%s", got, want)
	}
}

// TestExplainProjection shows the time of the expressions that are computed of a node's rows as the node's.
func TestExplainProjection(t *testing.T) {
	n := plan.Project{Input: leaf("a", "x"), Exprs: []expr.Expr{subquery(1, expr.ScalarSubquery, leaf("b", "x"), 0)}}
	p := plan.NewProfile(n)
	*p.Node(0) = plan.NodeProfile{Loops: 1, Rows: 7, First: 3 * time.Millisecond, Time: 9 * time.Millisecond}
	*p.Node(1) = plan.NodeProfile{Loops: 1, Rows: 7, First: time.Millisecond, Time: 2 * time.Millisecond}
	*p.Node(p.Subquery(1)) = plan.NodeProfile{Loops: 7, Rows: 7, Time: 7 * time.Millisecond}
	x := explain.Options{Values: &expr.Context{}, Profile: p}
	want := `
Scan on a (actual time=3.000..9.000 rows=7 loops=1)
  SubPlan 1
    ->  Scan on b (actual time=0.0000..1.0000 rows=1 loops=7)`
	if got := strings.Join(x.Lines(n), "\n"); got != want[1:] {
		t.Errorf("%s\nnot%s", got, want)
	}
}

// TestExplainTimes rounds times so that the time of all runs of the nodes below a node is at most its own. A node that
// was measured wrongly stays as it is.
func TestExplainTimes(t *testing.T) {
	n := plan.Project{Input: leaf("a", "x"), Exprs: []expr.Expr{subquery(1, expr.ScalarSubquery,
		plan.Limit{Input: leaf("b", "x")}, 0)}}
	p := plan.NewProfile(n)
	*p.Node(0) = plan.NodeProfile{Loops: 1, Time: 1_000_400}
	*p.Node(p.Subquery(1)) = plan.NodeProfile{Loops: 1000, Time: 1_000_399}
	*p.Node(p.Subquery(1) + 1) = plan.NodeProfile{Loops: 3, Time: 1_000_398}
	x := explain.Options{Values: &expr.Context{}, Profile: p}
	want := `
Scan on a (actual time=0.000..1.001 rows=0 loops=1)
  SubPlan 1
    ->  Limit (actual time=0.000000..0.001001 rows=0 loops=1000)
          ->  Scan on b (actual time=0.0000..0.3335 rows=0 loops=3)`
	if got := strings.Join(x.Lines(n), "\n"); got != want[1:] {
		t.Errorf("%s\nnot%s", got, want)
	}
	p.Node(p.Subquery(1)).Time = 7_000
	want = `
Scan on a (actual time=0.000..1.000 rows=0 loops=1)
  SubPlan 1
    ->  Limit (actual time=0.000000..0.000007 rows=0 loops=1000)
          ->  Scan on b (actual time=0.0000..0.3335 rows=0 loops=3)`
	if got := strings.Join(x.Lines(n), "\n"); got != want[1:] {
		t.Errorf("%s\nnot%s", got, want)
	}
}

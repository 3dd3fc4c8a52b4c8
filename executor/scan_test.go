package executor

import (
	"testing"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

func TestScan(t *testing.T) {
	table := tableOf("id int4, a int4, b text", 1)
	byA := index(table, false, "a")
	byB := index(table, true, "b", "+a")
	w := newWorld(t, table)
	for i := range 10 {
		b := value(string(rune('a' + i)))
		if i > 7 {
			b = types.Null
		}
		if got := w.insert(plan.Insert{}, row(i, i%3, b)); got != "1" {
			t.Fatal(got)
		}
	}
	w.commit()
	most := func(count int) *plan.Limit { return &plan.Limit{Count: constant(count)} }
	aIs := func(op expr.CompareOp, at, v int) []expr.Expr {
		return []expr.Expr{compare(op, column(at), constant(v))}
	}
	for _, c := range []struct {
		name     string
		access   plan.Access
		want     string
		examined int64 // entries and rows
		lookups  int64
	}{
		{"everything", plan.Access{Path: plan.Whole{}}, "(0,0,a) (1,1,b) (2,2,c) (3,0,d) (4,1,e) (5,2,f) (6,0,g) (7,1,h) (8,2,null) (9,0,null)", 10, 0},
		{"a point", plan.Access{Path: plan.Point{Bounds: []plan.Bound{term(1, plan.TermEQ, 4)}, Parts: 1}}, "(4,1,e)", 1, 0},
		{"a point that is not there", plan.Access{Path: plan.Point{Bounds: []plan.Bound{term(1, plan.TermEQ, 40)}, Parts: 1}}, "", 1, 0},
		{"NULL equals nothing", plan.Access{Path: plan.Point{Bounds: []plan.Bound{term(1, plan.TermEQ, nil)}, Parts: 1}}, "", 0, 0},
		{"a point by spans", plan.Access{Path: spansOf(plan.Entries{}, 1, term(1, plan.TermEQ, 4))}, "(4,1,e)", 1, 0},
		{"points in key order", plan.Access{Path: spansOf(plan.Entries{}, 1, term(1, plan.TermIn, 5, 2, nil, 77, 5))}, "(2,2,c) (5,2,f)", 3, 0},
		{"points in reverse", plan.Access{Path: spansOf(plan.Entries{}, 1, term(1, plan.TermIn, 5, 2)), Delivery: plan.Delivery{Reverse: true}}, "(5,2,f) (2,2,c)", 2, 0},
		{"no more points than needed", plan.Access{Path: spansOf(plan.Entries{}, 1, term(1, plan.TermIn, 5, 2)), Most: most(1)}, "(2,2,c)", 1, 0},
		{"a range", plan.Access{Path: spansOf(plan.Entries{}, 1, term(1, plan.TermGT, 7))}, "(8,2,null) (9,0,null)", 2, 0},
		{"a range in reverse", plan.Access{Path: spansOf(plan.Entries{}, 1, term(1, plan.TermGE, 8)), Delivery: plan.Delivery{Reverse: true}}, "(9,0,null) (8,2,null)", 2, 0},
		{"an empty interval", plan.Access{Path: spansOf(plan.Entries{}, 1, plan.Bound{Column: 1, Terms: append(term(1, plan.TermGT, 7).Terms, term(1, plan.TermLT, 3).Terms...)})}, "", 0, 0},
		{"a filter", whole(plan.Entries{Filter: aIs(expr.EQ, 1, 2)}), "(2,2,c) (5,2,f) (8,2,null)", 10, 0},
		{"LIMIT stops the store", plan.Access{Path: plan.Whole{}, Most: most(2)}, "(0,0,a) (1,1,b)", 2, 0},
		{"LIMIT 0 reads nothing", plan.Access{Path: plan.Whole{}, Most: most(0)}, "", 0, 0},
		{"LIMIT over ranges", plan.Access{Path: spansOf(plan.Entries{Index: byA, Reads: []int{0}}, 1, term(2, plan.TermIn, 2, 1)), Lookup: &plan.Lookups{}, Most: most(5)}, "(1,1,b) (4,1,e) (7,1,h) (2,2,c) (5,2,f)", 10, 5},
		{"an index with lookups", plan.Access{Path: spansOf(plan.Entries{Index: byA, Reads: []int{0}}, 1, term(2, plan.TermEQ, 2)), Lookup: &plan.Lookups{}}, "(2,2,c) (5,2,f) (8,2,null)", 6, 3},
		{"a filter before lookups", plan.Access{Path: spansOf(plan.Entries{Index: byA, Reads: []int{0}, Filter: aIs(expr.GT, 0, 4)}, 1, term(2, plan.TermEQ, 2)), Lookup: &plan.Lookups{}}, "(5,2,f) (8,2,null)", 5, 2},
		{"a filter behind lookups", plan.Access{Path: spansOf(plan.Entries{Index: byA, Reads: []int{0}}, 1, term(2, plan.TermEQ, 2)), Lookup: &plan.Lookups{Filter: []expr.Expr{expr.IsNull{Arg: column(2)}}}}, "(8,2,null)", 6, 3},
		{"an index that covers", plan.Access{Path: spansOf(plan.Entries{Index: byB}, 1, term(3, plan.TermLT, "c"))}, "(0,0,a) (1,1,b)", 2, 0},
		{"a unique key", plan.Access{Path: spansOf(plan.Entries{Index: byB}, 1, term(3, plan.TermEQ, "c"))}, "(2,2,c)", 1, 0},
		{"NULLs of a unique key", plan.Access{Path: spansOf(plan.Entries{Index: byB}, 1, term(3, plan.TermNull))}, "(8,2,null) (9,0,null)", 2, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var n plan.Node = scanOf(table, c.access)
			if c.access.Most != nil {
				n = plan.Limit{Input: n, Count: c.access.Most.Count}
			}
			w.env.Profile = plan.NewProfile(n)
			defer func() { w.env.Profile = nil }()
			if got := w.rows(n); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
			p := w.env.Profile.Node(len(n.Inputs()))
			if p.Stats.Examined != c.examined || p.Lookups != c.lookups {
				t.Errorf("examined %d with %d lookups, want %d with %d", p.Stats.Examined, p.Lookups, c.examined,
					c.lookups)
			}
		})
	}
}

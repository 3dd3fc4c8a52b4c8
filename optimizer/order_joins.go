package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// orderJoins joins three or more inputs of inner joins in an order that begins with the
// fewest rows and goes on with what a condition connects, so that no product of unrelated
// inputs is made where there is another way.
//
//	Project                          Project
//	└─ Join on (v.a = u.a)...    →   └─ Project
//	   ├─ Join                          └─ Join on (v.b = w.b)
//	   │  ├─ Scan u                        ├─ Join on (u.a = v.a)
//	   │  └─ Scan w                        │  ├─ Scan u
//	   └─ Scan v                           │  └─ Scan v
//	                                       └─ Scan w
//
// It must not fire on an outer, semi, anti or lateral join: whose rows lack a partner
// depends on the order. The greedy order is that of Fegaras, A New Heuristic for
// Optimizing Large Queries (1998), with the rows of the inputs as the only measure.
var orderJoins = Rule{"OrderJoins", func(o *Options, n plan.Node) (plan.Node, bool) {
	if j, ok := n.(plan.Join); ok && plainInner(j) {
		return n, false // the topmost of the joins decides for all of them
	}
	in := n.Inputs()
	out := slices.Clone(in)
	changed := false
	for i, x := range in {
		if j, ok := x.(plan.Join); ok && plainInner(j) {
			if better, ok := o.reorder(j); ok {
				out[i], changed = better, true
			}
		}
	}
	if !changed {
		return n, false
	}
	return n.WithInputs(out), true
}}

// plainInner says whether a join is an inner one that is not lateral and has no method yet: what holds of its sides,
// and its condition, holds of all of its rows, in whatever order it is joined with others.
func plainInner(j plan.Join) bool {
	return j.Kind == plan.InnerJoin && j.Method == nil && len(j.Slots) == 0
}

// joinSet is inner joins taken apart: their inputs, and conditions over the columns of all
// of them side by side.
type joinSet struct {
	inputs []plan.Node
	starts []int // of each input: its first column
	width  int
	conds  []expr.Expr
}

func (s *joinSet) add(n plan.Node) {
	j, ok := n.(plan.Join)
	if !ok || !plainInner(j) {
		s.inputs, s.starts = append(s.inputs, n), append(s.starts, s.width)
		s.width += plan.Width(n)
		return
	}
	first := s.width
	s.add(j.Left)
	s.add(j.Right)
	for _, c := range expr.Conjuncts(j.On) {
		s.conds = append(s.conds, expr.Shift(c, first))
	}
}

// reads are the inputs that a condition reads.
func (s *joinSet) reads(e expr.Expr) map[int]bool {
	used, out := map[int]bool{}, map[int]bool{}
	expr.Columns(e, used)
	for i := range used {
		at, found := slices.BinarySearch(s.starts, i)
		for found && at+1 < len(s.starts) && s.starts[at+1] == i { // inputs without columns
			at++
		}
		if !found {
			at--
		}
		out[at] = true
	}
	return out
}

// reorder joins the inputs in another order and puts their columns back in place.
func (o *Options) reorder(j plan.Join) (plan.Node, bool) {
	s := &joinSet{}
	s.add(j)
	if len(s.inputs) < 3 || slices.ContainsFunc(s.conds, volatile) {
		return nil, false
	}
	order := s.order(o)
	if slices.IsSorted(order) {
		return nil, false
	}
	ordinals := make([]int, s.width) // of each column now
	at := 0
	for _, i := range order {
		for k := range s.inputs[i].Columns() {
			ordinals[s.starts[i]+k] = at
			at++
		}
	}
	cols := j.Columns()
	back := make([]expr.Expr, len(cols))
	for i, c := range cols {
		back[i] = expr.Column{Index: ordinals[i], Name: c.Name, T: c.Type}
	}
	return plan.Project{Input: s.join(order, ordinals), Exprs: back, Cols: cols}, true
}

// order is the inputs by fewest rows first and then always one that is connected, if
// there is any.
func (s *joinSet) order(o *Options) []int {
	rows := make([]float64, len(s.inputs))
	left := make([]int, len(s.inputs))
	for i, n := range s.inputs {
		rows[i], left[i] = o.rows(n), i
	}
	var order []int
	joined := map[int]bool{}
	for len(left) > 0 {
		best := 0
		for k := range left {
			a, b := s.connection(left[k], joined), s.connection(left[best], joined)
			if a > b || a == b && rows[left[k]] < rows[left[best]] {
				best = k
			}
		}
		order, joined[left[best]] = append(order, left[best]), true
		left = slices.Delete(left, best, best+1)
	}
	return order
}

// How an input is connected with those that are joined: not at all, by some condition, or
// by an equality, which finds partners without looking at all rows.
const (
	unconnected = iota
	compared
	equated
)

func (s *joinSet) connection(input int, joined map[int]bool) int {
	best := unconnected
	for _, c := range s.conds {
		read := s.reads(c)
		if !read[input] || len(read) < 2 {
			continue
		}
		delete(read, input)
		if !within(read, joined) {
			continue
		}
		best = max(best, compared)
		if e, ok := c.(expr.Compare); ok && e.Op == expr.EQ {
			best = equated
		}
	}
	return best
}

// join joins the inputs in an order, with each condition as soon as its columns are there.
func (s *joinSet) join(order, ordinals []int) plan.Node {
	out := s.inputs[order[0]]
	joined := map[int]bool{order[0]: true}
	used := make([]bool, len(s.conds))
	for _, i := range order[1:] {
		joined[i] = true
		var on []expr.Expr
		for k, c := range s.conds {
			if used[k] || !within(s.reads(c), joined) {
				continue
			}
			used[k] = true
			on = append(on, expr.Renumber(c, func(i int) int { return ordinals[i] }))
		}
		out = plan.Join{Left: out, Right: s.inputs[i], On: expr.Conjoin(on)}
	}
	return out
}

func within(read, joined map[int]bool) bool {
	for i := range read {
		if !joined[i] {
			return false
		}
	}
	return true
}

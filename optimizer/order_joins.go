package optimizer

import (
	"math"
	"slices"
	"sort"

	"zproxy/expr"
	"zproxy/optimizer/joinorder"
	"zproxy/planner/plan"
)

// orderJoins joins three or more inputs in the order that costs least, as far as the statistics of tables say. A
// product of inputs that no condition connects is made where it is written, or where nothing else is possible.
//
//	Project                          Project
//	└─ Join on (v.a = u.a)...    →   └─ Project
//	   ├─ Join                          └─ Join on (v.b = w.b)
//	   │  ├─ Scan u                        ├─ Join on (u.a = v.a)
//	   │  └─ Scan w                        │  ├─ Scan u
//	   └─ Scan v                           │  └─ Scan v
//	                                       └─ Scan w
//
// It must not fire on a full join, nor on a lateral one whose right side computes something volatile or locks rows,
// which are inputs like others; nor on inputs that may share their requests, which another order could read by more.
// Which orders of outer, semi, anti and lateral joins give the same rows is package joinorder's matter.
var orderJoins = Rule{"OrderJoins", func(o *Options, n plan.Node) (plan.Node, bool) {
	in := n.Inputs()
	out := slices.Clone(in)
	changed := false
	for i, x := range in {
		if above, ok := n.(plan.Join); ok && orderable(above) && !(i == 1 && len(above.Slots) > 0) {
			continue // the topmost of the joins decides for all of them; what runs for each row has an order of its own
		}
		if j, ok := x.(plan.Join); ok && orderable(j) {
			if better, ok := o.reorder(j, append(slices.Clone(o.above), n)); ok {
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
func plainInner(j plan.Join) bool { return j.Kind == plan.InnerJoin && plain(j) }

// plain says whether a join is neither a full nor a lateral one, and has no method yet.
func plain(j plan.Join) bool { return j.Kind != plan.FullJoin && j.Method == nil && len(j.Slots) == 0 }

// orderable says whether a join may be one of several whose order is chosen. The right side of a lateral one may then
// run for other rows than it is written for.
func orderable(j plan.Join) bool {
	lateral := len(j.Slots) > 0 && j.Method == nil
	return plain(j) || lateral && !holdsVolatile(j.Right) && len(plan.Locked(j.Right)) == 0
}

// worthIt is the share of what the joins cost as they are written below which others are better. Estimates are not so
// exact that a smaller difference would mean anything.
const worthIt = 0.95

// pays says whether a cost is below another one by enough. What hints forbid of both does not count.
func (s *joinSet) pays(cost, written float64) bool {
	if len(s.hints.hints) > 0 {
		most := forbidden * math.Floor(cost/forbidden)
		cost, written = cost-most, written-most
	}
	return cost < worthIt*written
}

// reorder joins the inputs, which have some nodes above them, in another order and puts their columns back in place. If
// they are too many for a search, the topmost join stays, and each of its sides has an order.
func (o *Options) reorder(j plan.Join, above []plan.Node) (plan.Node, bool) {
	if countInputs(j) > joinorder.MaxRelations {
		changed := false
		sides := []*plan.Node{&j.Left, &j.Right}
		if len(j.Slots) > 0 {
			sides = sides[:1]
		}
		for _, side := range sides {
			if below, ok := (*side).(plan.Join); ok && orderable(below) {
				if better, ok := o.reorder(below, nil); ok {
					*side, changed = better, true
				}
			}
		}
		return j, changed
	}
	s := &joinSet{}
	t, ok := s.tree(j)
	if !ok || o.anyShare(s.inputs) {
		return nil, false
	}
	s.equate(t.Tree)
	model := newJoinModel(o, s)
	model.need(neededAbove(above), t)
	if o.hinted {
		s.hints = hintsOfJoins(s.inputs)
	}
	model.findOrders(t, wantedAbove(above))
	best := model.ordered(t.Tree)
	if best == nil && len(s.inputs) < 3 && model.orders == nil {
		return nil, false
	}
	second := ""
	if best == nil {
		var written float64
		if o.Seconds {
			best, second, written = s.compared(t.Tree, model)
		} else {
			best, written = joinorder.Search(t.Tree, model)
		}
		if best == nil || !s.pays(best.Cost, written) {
			j.Second = second
			return j, second != ""
		}
	}
	out, columns := model.join(best)
	if top, ok := out.(plan.Join); ok {
		top.Second = second
		out = top
	}
	at := s.ordinalsOf(columns)
	return picked(out, j.Columns(), func(i int) int { return at[t.columns[i]] }), true
}

// countInputs is how many inputs joins have together.
func countInputs(n plan.Node) int {
	j, ok := n.(plan.Join)
	switch {
	case !ok || !orderable(j):
		return 1
	case len(j.Slots) > 0:
		return countInputs(j.Left) + 1
	}
	return countInputs(j.Left) + countInputs(j.Right)
}

// joinSet is joins taken apart: their inputs, whose columns are numbered through, and conditions over these.
type joinSet struct {
	inputs []plan.Node
	starts []int // of each input: its first column
	width  int
	conds  []joinCondition
	hints  joinHints
	slots  map[int][]plan.Slot // of inputs that run for each row of others: what they read of it
}

// joinCondition is one condition of a join.
type joinCondition struct {
	cond  expr.Expr
	key   *plan.JoinKey    // the equality that it is, over the columns of all inputs; nil: it is none
	sides [2]joinorder.Set // what the sides of the key read
}

// joinTree is joins, and the columns of their rows.
type joinTree struct {
	*joinorder.Tree
	columns []int
	node    plan.Node
}

// input adds an input.
func (s *joinSet) input(n plan.Node) joinTree {
	number := len(s.inputs)
	s.inputs, s.starts = append(s.inputs, n), append(s.starts, s.width)
	s.width += plan.Width(n)
	return joinTree{&joinorder.Tree{Relation: number}, s.columnsOf(number), n}
}

// tree takes joins apart; it is not ok if one of them cannot be moved.
func (s *joinSet) tree(n plan.Node) (joinTree, bool) {
	j, ok := n.(plan.Join)
	if !ok || !orderable(j) {
		return s.input(n), true
	}
	l, ok := s.tree(j.Left)
	if !ok {
		return l, false
	}
	r, ok := s.right(j, l)
	if !ok || slices.ContainsFunc(expr.Conjuncts(j.On), volatile) {
		return r, false
	}
	t := joinTree{&joinorder.Tree{Kind: j.Kind, Left: l.Tree, Right: r.Tree}, slices.Concat(l.columns, r.columns), j}
	t.Depends = s.depends(r.Tree, l.Tree)
	m := j.Equalities()
	for _, k := range m.Keys {
		k.Left = expr.Renumber(k.Left, func(i int) int { return l.columns[i] })
		k.Right = expr.Renumber(k.Right, func(i int) int { return r.columns[i] })
		t.Conditions = append(t.Conditions, s.condition(joinCondition{key: &k}))
	}
	for _, c := range expr.Conjuncts(m.Residual) {
		c = expr.Renumber(c, func(i int) int { return t.columns[i] })
		t.Conditions = append(t.Conditions, s.condition(joinCondition{cond: c}))
	}
	switch j.Kind {
	case plan.RightJoin:
		t.Kind, t.Left, t.Right = plan.LeftJoin, r.Tree, l.Tree
	case plan.SemiJoin, plan.AntiJoin:
		t.columns = l.columns
	}
	return t, true
}

// right is the right side of a join. That of a lateral one is one input, whatever it joins.
func (s *joinSet) right(j plan.Join, l joinTree) (joinTree, bool) {
	if len(j.Slots) == 0 {
		return s.tree(j.Right)
	}
	r := s.input(j.Right)
	if s.slots == nil {
		s.slots = map[int][]plan.Slot{}
	}
	s.slots[r.Relation] = slotsOver(j.Slots, l.columns)
	return r, true
}

// slotsOver are slots whose values read other columns instead of the first, the second and so on.
func slotsOver(slots []plan.Slot, columns []int) (out []plan.Slot) {
	for _, slot := range slots {
		slot.Value = expr.Renumber(slot.Value, func(i int) int { return columns[i] })
		out = append(out, slot)
	}
	return out
}

// depends are the inputs by whose rows the right side of a join runs: of those that it does not read any, all.
func (s *joinSet) depends(t, l *joinorder.Tree) (out joinorder.Set) {
	if t.Left != nil || len(s.slots[t.Relation]) == 0 {
		return 0
	}
	for _, slot := range s.slots[t.Relation] {
		out |= s.reads(slot.Value)
	}
	if out == 0 {
		out = l.Relations()
	}
	return out
}

// condition notes a condition, and says what a search must know of it.
func (s *joinSet) condition(c joinCondition) joinorder.Condition {
	if k := c.key; k != nil {
		c.sides = [2]joinorder.Set{s.reads(k.Left), s.reads(k.Right)}
		c.cond = expr.Compare{Op: expr.EQ, Left: k.Left, Right: k.Right}
		if k.NullsEqual {
			c.cond = expr.Distinct{Not: true, Left: k.Left, Right: k.Right}
		}
	}
	out := joinorder.Condition{Number: len(s.conds), Reads: s.reads(c.cond)}
	for i := range s.inputs {
		ofInput := func(at int) bool { return s.inputOf(at) == i }
		if out.Reads.Meets(joinorder.Of(i)) && expr.RejectsNull(c.cond, ofInput) {
			out.Rejects |= joinorder.Of(i)
		}
	}
	s.conds = append(s.conds, c)
	return out
}

// reads are the inputs that an expression reads.
func (s *joinSet) reads(e expr.Expr) (out joinorder.Set) {
	used := map[int]bool{}
	expr.Columns(e, used)
	for i := range used {
		out |= joinorder.Of(s.inputOf(i))
	}
	return out
}

// readByJoins adds the columns that the joins themselves read: their conditions, and what runs for each row of others.
func (s *joinSet) readByJoins(used map[int]bool) {
	for _, c := range s.conds {
		expr.Columns(c.cond, used)
	}
	for _, slots := range s.slots {
		for _, slot := range slots {
			expr.Columns(slot.Value, used)
		}
	}
}

// columnsOf are the columns of an input.
func (s *joinSet) columnsOf(input int) []int {
	columns := make([]int, plan.Width(s.inputs[input]))
	for i := range columns {
		columns[i] = s.starts[input] + i
	}
	return columns
}

// inputOf is the input that a column is of. Those without columns begin where the next one does.
func (s *joinSet) inputOf(column int) int {
	return sort.SearchInts(s.starts, column+1) - 1
}

// join makes the plan that was found, and says what its columns are.
func (m *joinModel) join(p *joinorder.Plan) (plan.Node, []int) {
	s := m.set
	if p.Left == nil {
		number := p.Set.Number()
		if p.Order > 0 {
			return m.orders.scans[orderedInput{number, p.Order}], s.columnsOf(number)
		}
		return s.inputs[number], s.columnsOf(number)
	}
	l, columns := m.join(p.Left)
	r, more := m.join(p.Right)
	both := slices.Concat(columns, more)
	at := s.ordinalsOf(both)
	var on []expr.Expr
	for _, number := range p.Conditions {
		on = append(on, expr.Renumber(s.conds[number].cond, func(i int) int { return at[i] }))
	}
	if p.Kind != plan.SemiJoin && p.Kind != plan.AntiJoin {
		columns = both
	}
	out := plan.Join{Kind: p.Kind, Left: l, Right: r, On: expr.Conjoin(on)}
	if p.Lateral {
		out.Slots = slotsOver(s.slots[p.Right.Set.Number()], at)
	}
	if p.Order > 0 {
		out.Keeps, out.Merges, out.Share = true, p.Merged, m.orders.limited(p.Order)
	}
	return out, columns
}

// ordinalsOf is where each of some columns is among them.
func (s *joinSet) ordinalsOf(columns []int) []int {
	at := make([]int, s.width)
	for i, c := range columns {
		at[c] = i
	}
	return at
}

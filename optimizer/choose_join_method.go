package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/optimizer/cardinality"
	"zproxy/optimizer/cost"
	"zproxy/optimizer/price"
	"zproxy/planner/plan"
)

// chooseJoinMethod picks how a join finds partners: by one scan of both sides where the rows of one lie
// behind those of the other, by a lookup through an index of the right side where few rows need one, unless
// both sides share their requests, else in a hash table of the smaller side, else by comparing all rows.
//
//	Join on (t.a = u.b)       Join hash (a = b)
//	├─ Scan t             →   ├─ Scan t
//	└─ Scan u                 └─ Scan u
//
// It must not fire on a lateral join, whose right side is another one for each row; nor
// take a lookup for a join that has rows of the right side without a partner.
var chooseJoinMethod = Rule{"ChooseJoinMethod", func(o *Options, n plan.Node) (plan.Node, bool) {
	j, ok := n.(plan.Join)
	if !ok || !undecided(j) || len(o.above) > 0 && undecided(o.above[len(o.above)-1]) {
		return n, false // the topmost of several joins decides for all of them, so that each is estimated once
	}
	n, _, changed := o.withMethods(j, o.estimator())
	return n, changed
}}

// undecided says whether a node is a join that may get a method.
func undecided(n plan.Node) bool {
	j, ok := n.(plan.Join)
	return ok && j.Method == nil && len(j.Slots) == 0
}

// withMethods gives methods to joins of joins.
func (o *Options) withMethods(n plan.Node, by cardinality.Estimator) (plan.Node, cardinality.Profile, bool) {
	if !undecided(n) {
		return n, by.Of(n), false
	}
	j := sized{Join: n.(plan.Join)}
	l, ofLeft, leftChanged := o.withMethods(j.Left, by)
	r, ofRight, rightChanged := o.withMethods(j.Right, by)
	j.Left, j.Right, j.left, j.right = l, r, ofLeft.Rows(), ofRight.Rows()
	m := j.Equalities()
	of := by.Joined(j.Kind, ofLeft, ofRight, m.Keys, expr.Conjuncts(m.Residual))
	if len(m.Keys) == 0 {
		return j.Join, of, leftChanged || rightChanged
	}
	builds, _ := j.buildsLeft(o.Memory)
	m.Strategy, m.BuildLeft = plan.Hash, builds && !j.Keeps
	j.Method = &m
	return o.withMethod(j), of, true
}

// sized is a join, and how many rows its sides are thought to have.
type sized struct {
	plan.Join
	left, right float64
}

// buildsLeft says whether a hash table is better made of the left side: if only that one fits into memory, or if it has
// fewer rows. It is not spilled if the table fits.
func (j *sized) buildsLeft(m price.Memory) (build, spilled bool) {
	l, r := m.Holds(j.Left, j.left), m.Holds(j.Right, j.right)
	return l && !r || l == r && j.left < j.right, !l && !r
}

// withMethod is a hash join, or another one in its place.
func (o *Options) withMethod(j sized) plan.Node {
	if o.mayShare(j) {
		return j.Join
	}
	switch ways := o.waysOf(j.Join); {
	case j.Merges && ways.unlessMerged():
		return j.Join
	case !j.Merges && (ways.directed || ways.noLoop != ways.noHash):
		return o.withHints(j, ways)
	}
	if j.Keeps {
		return o.withOrder(j)
	}
	for _, way := range []func(sized) (plan.Node, bool){o.interleavedJoin, o.lookupJoin} {
		if joined, ok := way(j); ok {
			return joined
		}
		if joined, ok := flipped(j, way); ok {
			return joined
		}
	}
	if flipped, ok := o.flippedSemi(j); ok {
		return flipped
	}
	return j.Join
}

// withOrder is the join whose rows come in the order of its left side.
func (o *Options) withOrder(j sized) plan.Node {
	way := o.lookupJoin
	if j.Merges { // whose sides have the same order
		way = o.interleavedJoin
		if joined, ok := flipped(j, way); ok {
			return joined
		}
	}
	if joined, ok := way(j); ok {
		return joined
	}
	return j.Join
}

// withHints is the join that hints leave: one that looks up the partners whatever it costs, one that compares all pairs,
// or one with a hash table.
func (o *Options) withHints(j sized, ways joinWays) plan.Node {
	if ways.directed {
		j.Method.BuildLeft = false
	}
	if ways.noLoop {
		return j.Join
	}
	if ways.noHash {
		j.left, j.right = 0, 0 // so few that lookups pay
	}
	if joined, ok := o.lookupJoin(j); ok {
		return joined
	}
	if joined, ok := flipped(j, o.lookupJoin); ok && !ways.directed && !j.Keeps {
		return joined
	}
	if ways.noHash {
		j.Method = &plan.JoinMethod{Strategy: plan.Loop, Residual: j.On}
	}
	return j.Join
}

// fewRows is for how many left rows partners are looked up whatever it costs: there may be more of the right side than
// is known, and a hash table reads all of them.
const fewRows = 32

// lookupJoin reads the partners through an index, if there is one and it reads less.
func (o *Options) lookupJoin(j sized) (plan.Node, bool) {
	scan, ok := j.Right.(plan.Scan)
	if !ok || scan.Access != nil || j.Kind == plan.RightJoin || j.Kind == plan.FullJoin {
		return nil, false
	}
	m := *j.Method
	a, slots, ok := o.lookup(scan, m.Keys, func(e expr.Expr) string { return plan.Qualify(j.Left, e).String() })
	if !ok {
		return nil, false
	}
	m.Slots = slots
	if j.left > fewRows && !o.lookupsPay(j, scan, cost.Path(a.Estimate)) {
		return nil, false
	}
	a.Rechosen, a.Repriced = false, false
	entries := a.Entries()
	entries.Filter = withoutSlots(entries.Filter, m.Slots)
	a = a.WithEntries(entries)
	if a.Lookup != nil {
		a.Lookup = &plan.Lookups{Verify: a.Lookup.Verify, Filter: withoutSlots(a.Lookup.Filter, m.Slots)}
	}
	scan.Access = &a
	m.Strategy, m.BuildLeft = plan.Lookup, false
	j.Right, j.Method = scan, &m
	return j.Join, true
}

// lookupsPay says whether to look up the partners of left rows, each at a price, costs less than to read all of the
// right side into a hash table, which is paid also for a few rows.
func (o *Options) lookupsPay(j sized, scan plan.Scan, each float64) bool {
	all := o.scanned(scan)
	if j.Share > 0 {
		probed := price.Probed(j.left*j.Share, all.Matches, 0)
		return price.Found(j.left*j.Share, each, 0) <= cost.Path(all)+probed
	}
	hashed := cost.Path(all) + price.Hashed(j.left, all.Matches, 0)
	if _, spilled := j.buildsLeft(o.Memory); spilled {
		hashed += price.SpilledJoin(j.left, all.Matches, 0)
	}
	return price.Found(j.left, each, 0) <= hashed
}

// lookup is the path by which partners are read that keys find, and the values of left rows that bound it. It is not ok
// if no path is bound by them.
func (o *Options) lookup(scan plan.Scan, keys []plan.JoinKey, name func(expr.Expr) string) (
	a plan.Access, slots []plan.Slot, ok bool) {
	scan.Filter = slices.Clone(scan.Filter)
	for _, k := range keys {
		if _, ok := access.KeyColumn(scan, k.Right); !ok || k.NullsEqual {
			continue
		}
		slot := plan.Slot{Number: o.slot(), Value: k.Left}
		slots = append(slots, slot)
		scan.Filter = append(scan.Filter, expr.Compare{Op: expr.EQ, Left: k.Right,
			Right: expr.Outer{Slot: slot.Number, Name: name(k.Left), T: k.Left.Type()}})
	}
	// The ranges for many rows are put together, which takes that all bind the same parts:
	// those of alternatives of an OR may be within partitions and over them.
	paths := o.Paths
	paths.Either, paths.Merge, paths.Skip = true, true, true
	a = access.Choose(scan, o.Store, paths, o.Env)
	return a, slots, searches(&a, slots)
}

// lookedUp is what a lookup is thought to read for one row, of a plan that may not come to be: its slots stay free.
func (o *Options) lookedUp(scan plan.Scan, keys []plan.JoinKey) (plan.Estimate, bool) {
	defer func(before int) { o.slots = before }(o.slots)
	a, _, ok := o.lookup(scan, keys, expr.Expr.String)
	return a.Estimate, ok
}

// searches says whether a path reads spans that equalities with slots make.
func searches(a *plan.Access, slots []plan.Slot) bool {
	spans, ok := a.Spans()
	if !ok || spans.Parts() == 0 {
		return false
	}
	for _, b := range spans.Bounds() {
		for _, t := range b.Terms {
			if t.Op != plan.TermEQ {
				continue
			}
			if out, ok := t.Args[0].(expr.Outer); ok && isSlot(slots, out) {
				return true
			}
		}
	}
	return false
}

func isSlot(slots []plan.Slot, out expr.Outer) bool {
	return slices.ContainsFunc(slots, func(s plan.Slot) bool { return s.Number == out.Slot })
}

// withoutSlots leaves out the equalities with slots, which the keys of the join say.
// Those with slots of a query further out stay.
func withoutSlots(conds []expr.Expr, slots []plan.Slot) []expr.Expr {
	return slices.DeleteFunc(slices.Clone(conds), func(e expr.Expr) bool {
		c, ok := e.(expr.Compare)
		if !ok {
			return false
		}
		out, ok := c.Right.(expr.Outer)
		return ok && isSlot(slots, out)
	})
}

// flipped joins the other way round, with the columns in their places.
func flipped(j sized, way func(sized) (plan.Node, bool)) (plan.Node, bool) {
	kinds := map[plan.JoinKind]plan.JoinKind{plan.InnerJoin: plan.InnerJoin, plan.RightJoin: plan.LeftJoin}
	kind, ok := kinds[j.Kind]
	if !ok {
		return nil, false
	}
	l, r := plan.Width(j.Left), plan.Width(j.Right)
	m := plan.JoinMethod{Strategy: plan.Hash}
	for _, k := range j.Method.Keys {
		m.Keys = append(m.Keys, plan.JoinKey{Left: k.Right, Right: k.Left, NullsEqual: k.NullsEqual})
	}
	if j.Method.Residual != nil {
		m.Residual = expr.Renumber(j.Method.Residual, func(i int) int { return (i + r) % (l + r) })
	}
	other := plan.Join{Kind: kind, Left: j.Right, Right: j.Left, Method: &m}
	joined, ok := way(sized{other, j.right, j.left})
	if !ok {
		return nil, false
	}
	return picked(joined, j.Columns(), func(i int) int { return (i + r) % (l + r) }), true
}

// flippedSemi looks up the left side of a semi join by the different keys of the right
// one, each of which has its partners once.
func (o *Options) flippedSemi(j sized) (plan.Node, bool) {
	if j.Kind != plan.SemiJoin || j.Method.Residual != nil {
		return nil, false
	}
	m := plan.JoinMethod{Strategy: plan.Hash}
	keys := plan.Project{Input: j.Right}
	for i, k := range j.Method.Keys {
		c := plan.Column{Name: k.Right.String(), Type: k.Right.Type()}
		keys.Exprs, keys.Cols = append(keys.Exprs, k.Right), append(keys.Cols, c)
		m.Keys = append(m.Keys, plan.JoinKey{Left: expr.Column{Index: i, Name: c.Name, T: c.Type}, Right: k.Left,
			NullsEqual: k.NullsEqual})
	}
	distinct := plan.Distinct{Input: keys}
	flipped, ok := o.lookupJoin(sized{plan.Join{Left: distinct, Right: j.Left, Method: &m}, o.rows(distinct), j.left})
	if !ok {
		return nil, false
	}
	return picked(flipped, j.Columns(), func(i int) int { return len(keys.Cols) + i }), true
}

package optimizer

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/optimizer/price"
	"zproxy/planner/plan"
)

// run is what one run of a plan for a row outside costs, in rows that are read.
type run struct {
	price float64
	rows  float64
	bound bool // fewer rows are read, by the values of the row outside
}

// perRun is what it costs to run a plan without access paths for one row outside, with keys between values of that and
// columns of the plan. It is too low rather than too high: what is joined with rows that the keys find is taken to be
// looked up.
func (o *Options) perRun(n plan.Node, keys []plan.JoinKey) run {
	switch n := n.(type) {
	case plan.Scan:
		return o.scanRun(n, keys)
	case plan.Filter:
		if scan, ok := n.Input.(plan.Scan); ok {
			scan.Filter = append(expr.Conjuncts(n.Cond), scan.Filter...)
			return o.scanRun(scan, keys)
		}
		return o.perRun(n.Input, keys)
	case plan.Project:
		var below []plan.JoinKey
		for _, k := range keys {
			if c, ok := n.Exprs[k.Right.(expr.Column).Index].(expr.Column); ok {
				below = append(below, plan.JoinKey{Left: k.Left, Right: c})
			}
		}
		return o.perRun(n.Input, below)
	case plan.Join:
		return o.joinRun(n, keys)
	}
	out := run{rows: o.rows(n)}
	for _, in := range n.Inputs() {
		out.price += o.perRun(in, nil).price
	}
	return out
}

func (o *Options) scanRun(s plan.Scan, keys []plan.JoinKey) run {
	if len(keys) > 0 && s.Access == nil {
		if e, ok := o.lookedUp(s, keys); ok {
			return run{cost.Path(e), e.Matches, true}
		}
	}
	e := o.scanned(s)
	return run{cost.Path(e), e.Matches, false}
}

func (o *Options) joinRun(n plan.Join, keys []plan.JoinKey) run {
	width := plan.Width(n.Left)
	var ofLeft, ofRight []plan.JoinKey
	for _, k := range keys {
		if sideOf(k.Right, width) == left {
			ofLeft = append(ofLeft, k)
		} else {
			ofRight = append(ofRight, plan.JoinKey{Left: k.Left, Right: expr.Shift(k.Right, -width)})
		}
	}
	l, r := o.perRun(n.Left, ofLeft), o.perRun(n.Right, ofRight)
	switch {
	case l.bound && !r.bound:
		r.price = math.Min(r.price, cost.RangeRows*math.Max(1, l.rows))
	case r.bound && !l.bound:
		l.price = math.Min(l.price, cost.RangeRows*math.Max(1, r.rows))
	}
	return run{l.price + r.price, math.Max(l.rows, r.rows), l.bound || r.bound}
}

// priceOf is what one run of a plan costs as it will be, for which a phase was the last one: those behind it run on a
// plan that is thrown away.
func (o *Options) priceOf(n plan.Node, phase string) float64 {
	tried := *o
	tried.Observe = nil
	after := slices.IndexFunc(o.phases, func(p Phase) bool { return p.Name == phase })
	tried.phases = o.phases[after+1:]
	out, err := tried.run(n)
	if err != nil {
		return o.perRun(n, nil).price // the error comes again when the plan itself is optimized
	}
	return price.Nodes(out, o.estimator(), o.Memory)[0].Total
}

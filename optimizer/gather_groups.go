package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// gatherGroups has workers make the groups of what they read, of which there are few.
//
//	Aggregate                      Aggregate, final
//	└─ Gather                  →   └─ Gather
//	   └─ Scan t                      └─ Aggregate, partial
//	                                     └─ Scan t
//
// The groups come in the order as before, with the values that came first, since a Gather keeps the order of rows. It
// must not fire where a part has about as many groups as rows: they would be grouped twice.
var gatherGroups = Rule{"GatherGroups", func(o *Options, n plan.Node) (plan.Node, bool) {
	a, ok := n.(plan.Aggregate)
	if !ok || a.Partial || a.Final || a.Sorted || a.By != nil {
		return n, false
	}
	g, ok := a.Input.(plan.Gather)
	if !ok || slices.ContainsFunc(a.Calls, func(c plan.AggregateCall) bool { return !hasParts(c) }) ||
		slices.ContainsFunc(plan.Exprs(a), expr.NeedsSession) {
		return n, false
	}
	scan, _ := g.Scan()
	rows := o.estimator().Rows(g)
	ofPart := rows / max(readBytes(scan)/gatheredBytes, 1)
	if groups := o.estimator().Rows(a); groups*leastGrouped > ofPart {
		return n, false
	}
	partial, final := inStages(a)
	partial.Input = g.Input
	g.Input = partial
	final.Input = g
	return final, true
}}

const (
	// gatheredBytes is about how much a part of a scan has.
	gatheredBytes = 1 << 20
	// leastGrouped is how many rows of a part a group has at least, for it to be made there.
	leastGrouped = 4
)

// inStages computes an Aggregate by parts.
func inStages(a plan.Aggregate) (partial, final plan.Aggregate) {
	partial, final = a, a
	partial.Partial, final.Final = true, true
	partial.Calls, partial.Cols = nil, slices.Clone(a.Cols[:len(a.Groups)])
	final.Groups, final.Calls = nil, nil
	for i := range a.Groups {
		final.Groups = append(final.Groups, ofPartial(partial, i))
	}
	for _, c := range a.Calls {
		whole := plan.AggregateCall{Fn: c.Fn.Whole, Type: c.Type}
		for _, part := range partsOf(c) {
			partial.Calls = append(partial.Calls, part)
			partial.Cols = append(partial.Cols, plan.Column{Name: part.Fn.Name, Type: part.Type})
			whole.Args = append(whole.Args, ofPartial(partial, len(partial.Cols)-1))
		}
		final.Calls = append(final.Calls, whole)
	}
	return partial, final
}

func ofPartial(partial plan.Aggregate, i int) expr.Expr {
	return expr.Column{Index: i, Name: partial.Cols[i].Name, T: partial.Cols[i].Type}
}

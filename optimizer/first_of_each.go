package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
)

// firstOfEach reads one row of each group where groups are prefixes of a key and the first row tells all about one: of
// DISTINCT, of a GROUP BY without aggregates, or with those that are the least or the greatest value behind the prefix.
//
//	Aggregate by a: min(b)     Aggregate by a: min(b)
//	└─ Scan t              →   └─ Scan t order=a, b each=1 of 1
//
// It must not fire where anything else is computed of the rows, nor for max() where NULL may come first; nor where the
// prefixes are not known to be few: to go from one to the next costs more than to read on.
var firstOfEach = Rule{"FirstOfEach", func(o *Options, n plan.Node) (plan.Node, bool) {
	e, ok := groupEndsOf(n)
	if !ok {
		return n, false
	}
	input := n.Inputs()[0]
	p, isProject := input.(plan.Project)
	if isProject {
		input = p.Input
	}
	scan, ok := input.(plan.Scan)
	if !ok || scan.Access != nil || scan.Order != nil || scan.Write || !scan.Table.Stats.Known {
		return n, false
	}
	if isProject && !e.below(p.Exprs) {
		return n, false
	}
	scan, ok = e.chosen(o, scan)
	if !ok {
		return n, false
	}
	in := plan.Node(scan)
	if isProject {
		p.Input = scan
		in = p
	}
	return n.WithInputs([]plan.Node{in}), true
}}

// groupEnds are groups by columns, and the column whose end is wanted of each; negative: any row does.
type groupEnds struct {
	groups   []int
	end      int
	greatest bool
}

// chosen is a scan of which only the ends of groups are wanted, if that is worth while.
func (e *groupEnds) chosen(o *Options, s plan.Scan) (plan.Scan, bool) {
	ends := access.Ends{End: -1, Greatest: e.greatest}
	for _, g := range e.groups { // two may be the same column, under two names
		if !slices.Contains(ends.Groups, s.Reads[g]) {
			ends.Groups = append(ends.Groups, s.Reads[g])
		}
	}
	if e.end >= 0 {
		ends.End = s.Reads[e.end]
	}
	return ends.Of(s, o.Store, o.Paths, o.Env)
}

// groupEndsOf are those that a node makes of its input, if one row tells all about a group.
func groupEndsOf(n plan.Node) (e groupEnds, ok bool) {
	e.end = -1
	switch n := n.(type) {
	case plan.Distinct:
		by := n.On
		if by == nil {
			by = columnsAsExprs(n.Input)
		}
		if _, sorted := n.Input.(plan.Sort); !sorted {
			ok = e.by(by)
		}
	case plan.Aggregate:
		ok = e.by(n.Keys()) && !slices.ContainsFunc(n.Calls, func(c plan.AggregateCall) bool { return !e.call(c) })
	}
	return e, ok
}

// by takes the expressions of groups, which must be columns.
func (e *groupEnds) by(list []expr.Expr) bool {
	for _, x := range list {
		c, ok := x.(expr.Column)
		if !ok {
			return false
		}
		if !slices.Contains(e.groups, c.Index) {
			e.groups = append(e.groups, c.Index)
		}
	}
	return len(e.groups) > 0
}

// call takes an aggregate, which must be of the same end as those before.
func (e *groupEnds) call(c plan.AggregateCall) bool {
	greatest := c.Fn.Name == "max"
	if !greatest && c.Fn.Name != "min" || len(c.Args) != 1 || c.Filter != nil ||
		c.Args[0].Type().OID != c.Type.OID {
		return false
	}
	column, ok := c.Args[0].(expr.Column)
	if !ok || e.end >= 0 && (e.end != column.Index || e.greatest != greatest) {
		return false
	}
	e.end, e.greatest = column.Index, greatest
	return true
}

// below takes columns of a select list to be those of its input.
func (e *groupEnds) below(list []expr.Expr) bool {
	if slices.ContainsFunc(list, volatile) {
		return false
	}
	move := func(i int) (int, bool) {
		c, ok := list[i].(expr.Column)
		return c.Index, ok
	}
	ok := true
	for i, g := range e.groups {
		if e.groups[i], ok = move(g); !ok {
			return false
		}
	}
	if e.end >= 0 {
		e.end, ok = move(e.end)
	}
	return ok
}

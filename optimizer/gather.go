package optimizer

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
)

// Gathering is when workers read a scan.
type Gathering struct {
	Workers int   // that compute the parts of one scan; below 2: none does
	Least   int64 // how many bytes the entries that are read must have
}

// gather has workers compute what looks at one row of a large scan at a time, joins with hash tables and lookups among
// it.
//
//	Aggregate                      Aggregate
//	└─ Join hash               →   └─ Gather
//	   ├─ Scan t                      └─ Join hash
//	   └─ Scan u                         ├─ Scan t
//	                                     └─ Gather
//	                                        └─ Scan u
//
// It must not fire on a scan that is read more than once, or of which only the first rows are wanted; on one whose rows
// are written; nor on expressions that are not immutable.
var gather = Rule{"Gather", func(o *Options, n plan.Node) (plan.Node, bool) {
	g := plan.Gather{Input: n, Workers: o.Workers}
	scan, ok := g.Scan()
	if !ok || o.Workers < 2 || !readOnce(o) || readBytes(scan) < float64(o.Least) || !divisible(o, g) {
		return n, false
	}
	return g, true
}}

// readOnce says whether the node at hand is read once and to its end, and by one that does not look at its rows one at
// a time.
func readOnce(o *Options) bool {
	p := o.position
	ends := false // a node above reads all of its rows, whatever those above that want
	for i := len(p.above) - 1; i >= 0; i-- {
		switch n := p.above[i].(type) {
		case plan.Filter, plan.Project:
			if i == len(p.above)-1 {
				return false
			}
		case plan.Aggregate:
			ends = ends || !n.Sorted
		case plan.GroupingSets, plan.Sort, plan.Window:
			ends = true
		case plan.Distinct, plan.SetOp, plan.Append, plan.With, plan.Gather:
		case plan.Limit:
			if !ends {
				return false
			}
		case plan.Join:
			if !readsOnce(n, p.inputs[i] == 0) || i == len(p.above)-1 && drives(o, n, p.inputs[i]) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// readsOnce says whether a join reads one of its sides once.
func readsOnce(j plan.Join, left bool) bool {
	if j.Slots != nil || j.Method == nil || j.Method.Strategy == plan.Loop {
		return left
	}
	switch j.Method.Strategy {
	case plan.Hash, plan.Merged:
		return true
	case plan.Interleaved:
		return false
	}
	return left
}

// readBytes is how much a scan reads whose range can be divided; negative: it cannot.
func readBytes(s plan.Scan) float64 {
	a := s.Access
	if a == nil || !a.Divides() || a.Estimate.Points || a.Lookup != nil || s.Few && a.Ordered || s.Write ||
		s.Marked != 0 || s.Table.Foreign != nil {
		return -1
	}
	return a.Estimate.Rows * s.Table.EntryBytes(a.Entries().Index)
}

// drives says whether workers that compute an input of a join compute the join, too.
func drives(o *Options, n plan.Join, input int) bool {
	_, before, ok := n.Driving()
	return ok && input == len(before) && byWorkers(o, n)
}

// divisible says whether workers can compute all nodes below a Gather.
func divisible(o *Options, g plan.Gather) bool {
	path, _ := g.Path()
	return !slices.ContainsFunc(path, func(n plan.Node) bool { return !byWorkers(o, n) })
}

// byWorkers says whether workers can compute a node. The build side of a hash join is read before; one that does not
// fit into memory goes to files, which one goroutine joins.
func byWorkers(o *Options, n plan.Node) bool {
	if slices.ContainsFunc(plan.Exprs(n), expr.NeedsSession) {
		return false
	}
	join, ok := n.(plan.Join)
	if !ok {
		return true
	}
	if join.Method.Strategy == plan.Lookup {
		return looksUp(join)
	}
	build := join.Right
	if join.Method.BuildLeft {
		build = join.Left
	}
	return o.Memory.Holds(build, o.estimator().Rows(build))
}

// looksUp says whether workers can look the rows of a join up. What they look up depends on its slots alone.
func looksUp(n plan.Join) bool {
	scan, ok := n.Right.(plan.Scan)
	if !ok || scan.Write || scan.Marked != 0 || scan.Table.Foreign != nil {
		return false
	}
	if _, ok := scan.Access.Spans(); !ok {
		return false
	}
	return !slices.ContainsFunc(plan.Exprs(scan), func(e expr.Expr) bool {
		return expr.NeedsSession(expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			o, ok := x.(expr.Outer)
			if ok && slices.ContainsFunc(n.Method.Slots, func(s plan.Slot) bool { return s.Number == o.Slot }) {
				return expr.Const{T: o.Type()}
			}
			return x
		}))
	})
}

package optimizer

import (
	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/planner/plan"
)

// wantGroupOrder asks a scan for rows in the order of groups: that of a Sort above, or of a key.
//
//	Aggregate by b, a: count(*)     Aggregate by b, a: count(*)
//	└─ Scan t                   →   └─ Scan t order=a, b
//
// It must not fire where the scan has no such order in one stream: to merge streams costs more than a hash table.
var wantGroupOrder = Rule{"WantGroupOrder", func(o *Options, n plan.Node) (plan.Node, bool) {
	a, ok := n.(plan.Aggregate)
	if !ok || len(a.Groups) == 0 {
		return n, false
	}
	scan, ok := a.Input.(plan.Scan)
	if !ok || scan.Order != nil || scan.Access != nil {
		return n, false
	}
	return groupedScan{o, a, scan}.inOrder()
}}

// groupedScan is an Aggregate over a scan.
type groupedScan struct {
	*Options
	plan.Aggregate
	scan plan.Scan
}

// inOrder asks the scan for rows in the order of the groups, if it has one.
func (g groupedScan) inOrder() (plan.Node, bool) {
	a := g.Aggregate
	wanted := groupsWanted(a, wantedAbove(g.above))
	for _, keys := range append([][]plan.SortKey{wanted.keys}, g.keyOrders()...) {
		in, ok := inOrder(plan.Sort{}, g.scan, keys)
		if !ok || len(keys) == 0 {
			continue
		}
		path := access.Choose(in.(plan.Scan), g.Store, g.Paths, g.Env)
		if path.Ordered && path.Merge == nil && !path.Rechosen {
			a.Input = in
			return a, true
		}
	}
	return a, false
}

// keyOrders are the keys of an Aggregate in the order of those of the table that begin with them.
func (g groupedScan) keyOrders() (out [][]plan.SortKey) {
	keys := g.Keys()
	for _, columns := range access.KeyOrders(g.scan, g.Store, g.Env) {
		var order []plan.SortKey
		for _, at := range columns[:min(len(columns), len(keys))] {
			key := expr.Column{Index: at, Name: g.scan.Cols[at].Name, T: g.scan.Cols[at].Type}
			if among(keys, key) {
				order = append(order, plan.SortKey{Expr: key})
			}
		}
		if len(order) == len(keys) {
			out = append(out, order)
		}
	}
	return out
}

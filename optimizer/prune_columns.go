package optimizer

import (
	"zproxy/planner/expr"
	"zproxy/planner/plan"
)

// pruneColumns lets a scan read only the columns that something above it uses.
//
//	Project a                    Project a
//	└─ Sort b                →   └─ Sort b
//	   └─ Scan t reads=a,b,c        └─ Scan t reads=a,b
//
// It must not fire below anything but a Project or an Aggregate: other nodes hand on all
// columns, and a write needs the whole row.
var pruneColumns = Rule{"PruneColumns", func(_ *Options, n plan.Node) (plan.Node, bool) {
	used := map[int]bool{}
	switch top := n.(type) {
	case plan.Project:
		columnsOf(used, top.Exprs...)
	case plan.Aggregate:
		columnsOf(used, top.Groups...)
		for _, c := range top.Calls {
			columnsOf(used, c.Args...)
			columnsOf(used, c.Filter)
		}
	default:
		return n, false
	}
	in, places, ok := narrow(n.Inputs()[0], used)
	if !ok {
		return n, false
	}
	out, _ := plan.MapExprs(n, moveColumns(places))
	return out.WithInputs([]plan.Node{in}), true
}}

func columnsOf(used map[int]bool, list ...expr.Expr) {
	for _, e := range list {
		if e != nil {
			expr.Columns(e, used)
		}
	}
}

// narrow makes the scan at the end of a chain of Filters, Sorts and Limits read only the
// used columns. It says where each column is now.
func narrow(n plan.Node, used map[int]bool) (plan.Node, map[int]int, bool) {
	switch n := n.(type) {
	case plan.Scan:
		return narrowScan(n, used)
	case plan.Filter:
		columnsOf(used, n.Cond)
	case plan.Sort:
		for _, k := range n.Keys {
			columnsOf(used, k.Expr)
		}
	case plan.Limit:
	default:
		return n, nil, false
	}
	in, places, ok := narrow(n.Inputs()[0], used)
	if !ok {
		return n, nil, false
	}
	out, _ := plan.MapExprs(n, moveColumns(places))
	return out.WithInputs([]plan.Node{in}), places, true
}

func narrowScan(s plan.Scan, used map[int]bool) (plan.Node, map[int]int, bool) {
	columnsOf(used, s.Filter...)
	if s.Write || s.Access != nil || len(used) == len(s.Reads) {
		return s, nil, false
	}
	places := map[int]int{}
	var reads []int
	var cols []plan.Column
	for i, place := range s.Reads {
		if used[i] {
			places[i] = len(reads)
			reads, cols = append(reads, place), append(cols, s.Cols[i])
		}
	}
	s.Reads, s.Cols = reads, cols
	out, _ := plan.MapExprs(s, moveColumns(places))
	return out, places, true
}

func moveColumns(places map[int]int) func(expr.Expr) (expr.Expr, bool) {
	return func(e expr.Expr) (expr.Expr, bool) {
		return expr.Rewrite(e, func(x expr.Expr) expr.Expr {
			if c, ok := x.(expr.Column); ok {
				c.Index = places[c.Index]
				return c
			}
			return x
		}), true
	}
}

package optimizer

import (
	"maps"
	"slices"

	"zproxy/expr"
	"zproxy/optimizer/access"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/types"
)

// minMaxFromIndex reads the least and the greatest value of a column from the ends of a path
// that brings its values in order, each in a subquery that ends with the first row.
//
//	Aggregate max(b)       Project (SubPlan 1)
//	└─ Scan t          →   └─ Values
//	                       SubPlan 1
//	                       └─ Limit 1
//	                          └─ Project b
//	                             └─ Index Only Scan Backward using t_b on t, b IS NOT NULL
//
// It must not fire where anything else is computed of the rows too, such as a count, which
// reads them all; nor where many rows of the path may fail the conditions before one passes, so
// that reading what the conditions leave is cheaper.
var minMaxFromIndex = Rule{"MinMaxFromIndex", func(o *Options, n plan.Node) (plan.Node, bool) {
	agg, ok := n.(plan.Aggregate)
	if !ok || len(agg.Groups) > 0 || len(agg.Calls) == 0 {
		return n, false
	}
	scan, ok := scanBelow(&agg)
	if !ok || scan.Access != nil || slices.ContainsFunc(scan.Filter,
		func(e expr.Expr) bool { return volatile(e) || holdsSubquery(e) }) {
		return n, false
	}
	ends := make([]plan.Node, len(agg.Calls))
	price, checked := 0., false
	for i, call := range agg.Calls {
		end, first, ok := o.end(scan, call)
		if !ok {
			return n, false
		}
		ends[i] = end
		price += cost.FirstRow(first)
		checked = checked || len(first.Entries().Filter)+len(first.RowFilter()) > 0
	}
	if checked {
		whole := access.Choose(scan, o.Store, o.Paths, o.Env)
		if price > cost.AllRows(&whole) {
			return n, false
		}
	}
	depends := slotsOf(scan.Filter)
	out := plan.Project{Input: plan.Values{Rows: [][]expr.Expr{{}}}, Cols: agg.Cols}
	for i, end := range ends {
		out.Exprs = append(out.Exprs, expr.Subquery{
			Plan: plan.Sub{Node: end, Optimized: true}, Depends: depends, T: agg.Calls[i].Type, Number: o.number(),
		})
	}
	return out, true
}}

// scanBelow is the scan whose rows an aggregate is of. Calls over a select list between them become
// calls over the columns of the scan.
func scanBelow(agg *plan.Aggregate) (plan.Scan, bool) {
	p, ok := agg.Input.(plan.Project)
	if !ok {
		scan, ok := agg.Input.(plan.Scan)
		return scan, ok
	}
	scan, ok := p.Input.(plan.Scan)
	if !ok || slices.ContainsFunc(p.Exprs, volatile) {
		return scan, false
	}
	calls := slices.Clone(agg.Calls)
	for i, c := range calls {
		if c.Filter != nil || c.Order != nil {
			return scan, false
		}
		calls[i].Args = nil
		for _, arg := range c.Args {
			calls[i].Args = append(calls[i].Args, substitute(arg, p.Exprs))
		}
	}
	agg.Calls = calls
	return scan, true
}

// end is the first row with a value in the order that puts the value of a call first, and the
// path that brings it, as if all of its rows were wanted.
func (o *Options) end(scan plan.Scan, call plan.AggregateCall) (plan.Node, *plan.Access, bool) {
	greatest := call.Fn.Name == "max"
	if !greatest && call.Fn.Name != "min" || len(call.Args) != 1 || call.Filter != nil ||
		call.Args[0].Type().OID != call.Type.OID {
		return nil, nil, false
	}
	column, ok := plan.ColumnOf(call.Args[0])
	if !ok {
		return nil, nil, false
	}
	ordinal := scan.Reads[column.Index]
	scan.Filter = slices.Clone(scan.Filter)
	if !scan.Table.Columns[ordinal].NotNull {
		scan.Filter = append(scan.Filter, expr.IsNull{Arg: column, Not: true})
	}
	scan.Order, scan.Few = []plan.Order{{Column: ordinal, Desc: greatest, NullsFirst: greatest}}, true
	value := plan.Project{Input: scan, Exprs: call.Args, Cols: []plan.Column{{Name: call.Fn.Name, Type: call.Type}}}
	narrowed, _ := pruneColumns.Apply(o, value)
	value = narrowed.(plan.Project)
	scan = value.Input.(plan.Scan)
	a := access.Choose(scan, o.Store, o.Paths, o.Env)
	if !a.Ordered {
		return nil, nil, false
	}
	a.Rechosen, a.Repriced = false, false
	one := expr.Const{Value: types.NewInt(1), T: types.Int8}
	ends := cost.Limited(a, &plan.Limit{Count: one})
	scan.Access = &ends
	value.Input = scan
	return plan.Limit{Input: value, Count: one}, &a, true
}

// slotsOf are the slots that expressions read.
func slotsOf(list []expr.Expr) []int {
	slots := map[int]bool{}
	for _, e := range list {
		expr.Any(e, func(x expr.Expr) bool {
			if out, ok := x.(expr.Outer); ok {
				slots[out.Slot] = true
			}
			return false
		})
	}
	return slices.Sorted(maps.Keys(slots))
}

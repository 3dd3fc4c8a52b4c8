package optimizer

import (
	"slices"

	"zproxy/planner/plan"
	"zproxy/planner/rowkey"
)

// groupByKey forms groups by those of their columns that decide the others, which have one value in each group: by a
// key of a table, by a column that another one is equal to, or one that a condition makes equal to a value.
//
//	Aggregate by a, b, x, y: count(*)     Aggregate by a of a, b, x, y: count(*)
//	└─ Join (b = x)                   →   └─ Join (b = x)
//	   ├─ Scan t, with the key a             ├─ Scan t, with the key a
//	   └─ Scan u, with the key x             └─ Scan u, with the key x
//
// It must not fire on a unique key with a column that may be NULL, nor on what an outer join may put NULL for, unless
// the key itself shows that. The rule is PostgreSQL's, remove_useless_groupby_columns, which asks for a primary key
// and looks at each table alone.
var groupByKey = Rule{"GroupByKey", func(_ *Options, n plan.Node) (plan.Node, bool) {
	a, ok := n.(plan.Aggregate)
	if !ok || len(a.Groups) < 2 || len(a.By) == 1 {
		return n, false
	}
	var columns, by []int
	for i, g := range a.Groups {
		c, ok := plan.ColumnOf(g)
		switch {
		case a.By != nil && !slices.Contains(a.By, i):
		case ok:
			columns = append(columns, c.Index)
		default:
			by = append(by, i)
		}
	}
	if len(columns) < 2 {
		return n, false
	}
	decide := rowkey.DependenciesOf(a.Input).Minimal(columns)
	for i, g := range a.Groups {
		if c, ok := plan.ColumnOf(g); ok && slices.Contains(decide, c.Index) {
			by = append(by, i)
		}
	}
	before := len(a.Keys())
	if slices.Sort(by); len(by) == before {
		return n, false
	}
	a.By = by
	return a, true
}}

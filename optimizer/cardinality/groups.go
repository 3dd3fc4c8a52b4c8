package cardinality

import (
	"math"
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// distinct is each row once.
func (e *estimate) distinct(n plan.Distinct) profile {
	in := e.of(n.Input)
	in.rows = in.combinations(e.columns(n.On, in))
	return in.bounded()
}

// bounded has no more values than rows.
func (p profile) bounded() profile {
	p.columns = slices.Clone(p.columns)
	for i := range p.columns {
		c := &p.columns[i]
		c.distinct = math.Min(c.distinct, p.rows)
	}
	return p
}

// columns are what expressions are over, as columns; nil for none.
func (e *estimate) columns(list []expr.Expr, in profile) []column {
	var out []column
	for _, x := range list {
		if c, ok := plan.ColumnOf(x); ok {
			out = append(out, in.columns[c.Index])
			continue
		}
		if c, ok := e.computedColumn(x, in); ok {
			out = append(out, c)
			continue
		}
		out = append(out, computed(e.valuesOf(x, in)))
	}
	return out
}

// window is rows with what is computed of them, of each partition as many as a condition on their number lets come out.
func (e *estimate) window(n plan.Window) profile {
	in := e.of(n.Input)
	out := in.extended(len(n.Calls))
	partitions := 1.0
	if len(n.Run) > 0 && len(n.Partition) > 0 {
		partitions = in.combinations(e.columns(n.Partition, in))
	}
	for _, cond := range n.Run {
		most := opaque * in.rows / partitions
		if v, err := cond.Right.Eval(e.Values, nil); err == nil && v.Kind() == types.KindInt {
			if most = float64(v.Int()); cond.Op == expr.LT {
				most--
			}
		}
		out = out.atMost(math.Max(math.Min(1, in.rows), most*partitions))
	}
	return out
}

// sort is all rows, or as many of each partition as are wanted.
func (e *estimate) sort(n plan.Sort) profile {
	in := e.of(n.Input)
	if n.Each == 0 {
		return in
	}
	var of []expr.Expr
	for _, k := range n.Keys[:n.Of] {
		of = append(of, k.Expr)
	}
	return in.atMost(float64(n.Each) * in.combinations(e.columns(of, in)))
}

// aggregate is one row for each group.
func (e *estimate) aggregate(n plan.Aggregate) profile {
	in := e.of(n.Input)
	if len(n.Groups) == 0 {
		return unknown(1, len(n.Cols))
	}
	groups := e.columns(n.Groups, in)
	in.rows, in.columns = in.combinations(e.columns(n.Keys(), in)), groups
	return in.bounded().extended(len(n.Cols) - len(groups))
}

// groupingSets is one row for each group of each set.
func (e *estimate) groupingSets(n plan.GroupingSets) profile {
	rows := 0.0
	for i := range n.Sets {
		rows += e.aggregate(n.Set(i)).rows
	}
	return unknown(rows, len(n.Cols))
}

// valuesOf is how many values an expression has over rows: as many as there are combinations of what it reads, unless
// what is known of a column shows that it has fewer.
func (e *estimate) valuesOf(x expr.Expr, in profile) float64 {
	if x.Type().OID == types.Bool.OID {
		return 2
	}
	var of []column
	for _, at := range readBy(x) {
		of = append(of, in.columns[at])
	}
	if len(of) == 0 {
		if expr.Fixed(x) {
			return 1
		}
		return in.rows
	}
	most := in.combinations(of)
	if n, ok := membersOf(x, in); ok {
		return math.Min(math.Max(1, in.rows), n)
	}
	if n, ok := e.sampledValues(x, in); ok {
		return math.Min(most, n)
	}
	return most
}

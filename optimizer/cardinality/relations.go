package cardinality

import (
	"math"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/types"
)

// scan is the rows of a table that its conditions keep.
func (e *estimate) scan(n plan.Scan) profile {
	r := &relation{table: n.Table, whole: n.Whole, computed: computedOf(n)}
	all := profile{rows: math.Max(1, n.Table.RowCount()), columns: make([]column, plan.Width(n))}
	for i := range all.columns {
		all.columns[i] = computed(1)
		if i < len(n.Reads) && n.Reads[i] >= 0 && n.Reads[i] < len(n.Table.Columns) {
			all.columns[i] = base(r, n.Reads[i])
		}
	}
	conds := e.split(n.Filter, all)
	out := all.kept(math.Min(1, e.shareOf(conds)*e.learned(n))).atMost(math.Max(1, mostByKeys(n, conds)))
	r.rows = out.rows
	for i := range out.columns {
		if c := &out.columns[i]; c.of != nil {
			c.domain = math.Max(1, all.columns[i].domain*e.points(&all.columns[i], conds.terms[i]))
			c.distinct = math.Min(drawn(c.domain, all.rows, out.rows), c.domain)
		}
	}
	if n.Access != nil {
		if _, ok := n.Access.Path.(plan.Elements); ok {
			return out.atMost(n.Access.Estimate.Matches)
		}
	}
	if n.Access != nil && n.Access.Each.Count > 0 {
		out = out.atMost(math.Max(1, n.Access.Estimate.Rows))
	}
	if n.Access != nil && n.Access.Most != nil {
		most := n.Access.Most
		return out.atMost(math.Max(1, e.number(most.Count, out.rows)+e.number(most.Offset, 0)))
	}
	return out
}

// mostByKeys is how many rows conditions leave at the most, since they leave so many values of all columns of a unique
// key.
func mostByKeys(n plan.Scan, conds conditions) float64 {
	points := map[uint32]float64{}
	for at, terms := range conds.terms {
		for _, term := range terms {
			if at < len(n.Reads) && term.Image == nil && (term.Op == plan.TermEQ || term.Op == plan.TermIn) {
				points[n.Table.Columns[n.Reads[at]].ID] = float64(cost.PointsOf(term))
			}
		}
	}
	most := math.Inf(1)
	key := func(l *catalog.Layout) {
		product := 1.0
		for _, id := range l.Columns() {
			if points[id] == 0 {
				return
			}
			product *= points[id]
		}
		most = math.Min(most, product)
	}
	if len(points) == 0 {
		return most
	}
	if n.Table.KeyName() != "" {
		key(&n.Table.Primary)
	}
	for i := range n.Table.Indexes {
		if x := &n.Table.Indexes[i]; x.Unique && x.State.Reads() && !x.Partial() {
			key(&x.Layout)
		}
	}
	return most
}

// guessedShare is the share of rows of system relations that a filter keeps: those of one object, if the filter has its
// name, else a third.
func guessedShare(n plan.Filter, in profile) float64 {
	v, ok := n.Input.(plan.Virtual)
	for _, c := range expr.Conjuncts(n.Cond) {
		column, term, _, is := plan.TermOf(c)
		if ok && is && term.Op == plan.TermEQ && v.Cols[column].Type.OID == types.OIDName {
			return math.Min(1, objectRows/in.rows)
		}
	}
	return opaque
}

// virtual is the rows of a system relation.
func virtual(n plan.Virtual) profile {
	rows := math.Max(1, n.Relation.Rows)
	if n.Only != nil {
		rows = math.Min(objectRows, rows)
	}
	out := unknown(rows, len(n.Cols))
	out.guessed = true
	for i, c := range n.Cols {
		if c.Type.OID == types.OIDName {
			out.columns[i] = computed(math.Max(1, rows/objectRows)) // of objects
		}
	}
	return out
}

// values is rows that are written out. Constants are counted.
func (e *estimate) values(n plan.Values) profile {
	out := unknown(float64(len(n.Rows)), len(n.Cols))
	for i := range out.columns {
		different := map[string]bool{}
		for _, row := range n.Rows {
			if c, ok := row[i].(expr.Const); ok {
				different[c.String()] = true
			}
		}
		if len(different) > 0 {
			out.columns[i] = computed(float64(len(different)))
		}
	}
	return out
}

package stored

import (
	"zproxy/catalog"
	"zproxy/catalog/partition"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Bound are the conditions for the rows of a partition, none of which is NULL for any row. A table that is no
// partition has none.
func (x Expressions) Bound(t *catalog.Table) []expr.Expr {
	p := t.PartitionOf
	switch {
	case p == nil:
		return nil
	case !p.Default:
		return within(t, p)
	}
	var others []expr.Expr
	var filled expr.Expr
	for _, o := range x.Catalog.Partitions(p.Parent) {
		if !o.PartitionOf.Default {
			conds := within(t, o.PartitionOf)
			filled = conds[0]
			if len(conds) == 1 {
				return []expr.Expr{expr.Not{Arg: filled}}
			}
			others = append(others, expr.Conjoin(conds[1:]))
		}
	}
	if others == nil {
		return nil
	}
	return []expr.Expr{expr.Not{Arg: expr.Logic{Args: []expr.Expr{filled, anyOf(others)}}}}
}

// anyOf is true where any of some conditions is.
func anyOf(conds []expr.Expr) expr.Expr {
	if len(conds) == 1 {
		return conds[0]
	}
	return expr.Logic{Or: true, Args: conds}
}

// within are the conditions that the value of a table's column is between edges, the first that it is not NULL.
func within(t *catalog.Table, p *partition.Of) []expr.Expr {
	at := t.Ordinal(p.Column)
	c := expr.Column{Index: at, Name: t.Columns[at].Name, T: t.Columns[at].Type}
	out := []expr.Expr{expr.IsNull{Arg: c, Not: true}}
	edge := func(op expr.CompareOp, v types.Value) {
		out = append(out, expr.Compare{Op: op, Left: c, Right: expr.Const{Value: v, T: c.T}})
	}
	if p.From.Infinity == 0 {
		edge(expr.GE, p.From.Value)
	}
	if p.To.Infinity == 0 {
		edge(expr.LT, p.To.Value)
	}
	return out
}

// Partitions are those of a table that rows may be written to, nil for a table that has none.
func (x Expressions) Partitions(t *catalog.Table) (*plan.Partitions, error) {
	if t.Partitioning == nil {
		return nil, nil
	}
	out := &plan.Partitions{Column: t.Ordinal(t.Partitioning.Column)}
	for _, p := range x.Catalog.Partitions(t.ID) {
		indexed, err := x.Indexed(p)
		if err != nil {
			return nil, err
		}
		if indexed.Checks, err = x.written(p); err == nil {
			indexed.Fires, err = x.Triggers(p)
		}
		if err != nil {
			return nil, err
		}
		out.Of = append(out.Of, indexed)
	}
	return out, nil
}

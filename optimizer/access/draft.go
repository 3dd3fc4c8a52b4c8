package access

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/expr"
	"zproxy/planner/plan"
)

// draft is an access in the making: what matching conditions and layouts has found so far, from which it
// shows only in the end what kind of path it is.
type draft struct {
	Index     *catalog.Index // nil: the table itself
	plan.Side                // of a single one
	Either    []plan.Side    // in place of it: those of an OR
	Box       bool           // the layout is in Z-order
	Skip      int
	Keys      *plan.Keys // in place of all that is above

	Cond        []expr.Expr
	EntryReads  []int
	EntryFilter []expr.Expr
	BoxFilter   []expr.Expr
	Lookup      bool
	Verify      bool
	RowFilter   []expr.Expr
	plan.Delivery
	Estimate plan.Estimate
}

// Name is the index that is read, or the primary key.
func (d *draft) Name() string {
	if d.Index == nil {
		return "primary key"
	}
	return d.Index.Name
}

// Partial says whether the index that is read has no entries of some rows.
func (d *draft) Partial() bool { return d.Index != nil && d.Index.Partial() }

// of is the access to a table.
func (d *draft) of(t *catalog.Table) plan.Access {
	a := plan.Access{Path: d.path(t), Cond: d.Cond, Delivery: d.Delivery, Estimate: d.Estimate}
	if d.Lookup {
		a.Lookup = &plan.Lookups{Verify: d.Verify, Filter: d.RowFilter}
	}
	return a
}

func (d *draft) path(t *catalog.Table) plan.Path {
	entries := plan.Entries{Index: d.Index, Reads: d.EntryReads, Filter: d.EntryFilter}
	switch {
	case d.Keys != nil:
		return *d.Keys
	case d.Box:
		return plan.Box{Entries: entries, Sides: d.boxes(), Edges: d.BoxFilter}
	case len(d.Either) > 0:
		return plan.Spans{Entries: entries, Sides: d.Either}
	case d.Parts == 0 && d.Skip == 0:
		return plan.Whole{Entries: entries}
	case d.point(layoutOf(t, d.Index)):
		return plan.Point{Entries: entries, Bounds: d.Bounds, Parts: d.Parts}
	}
	return plan.Spans{Entries: entries, Sides: []plan.Side{d.Side}, Skip: d.Skip}
}

// boxes are the bounds of each box. Those of a normal form are bounds of the dimension, whose codes are the same for a
// text and that form of it.
func (d *draft) boxes() [][]plan.Bound {
	sides := d.Either
	if len(sides) == 0 {
		sides = []plan.Side{d.Side}
	}
	out := make([][]plan.Bound, len(sides))
	for i, side := range sides {
		out[i] = slices.Clone(side.Bounds)
		for j := range out[i] {
			out[i][j].Column = axis.Unformed(out[i][j].Column)
		}
	}
	return out
}

// point says whether the bounds are one equality for each column of a unique key.
func (d *draft) point(l *catalog.Layout) bool {
	key := l.Columns()
	if !l.Distinct() || len(d.Bounds) != len(key) || d.Parts != len(l.Parts()) || d.Tuple != nil || d.Skip > 0 {
		return false
	}
	return !slices.ContainsFunc(d.Bounds, func(b plan.Bound) bool {
		return len(b.Terms) != 1 || b.Terms[0].Op != plan.TermEQ || !slices.Contains(key, b.Column)
	})
}

package cost

import (
	"math"
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/lifetime"
	"zproxy/planner/plan"
)

// Few is how many rows a statement may read from anywhere in a table: by its LIMIT, or because
// the table is known to have no more.
const Few = 1000

// FullScans are the scans of a plan that read all of a table which may be large. A LIMIT may
// have a parameter, so it is not asked here.
func FullScans(scans []plan.Scan) []plan.Scan {
	var out []plan.Scan
	for _, scan := range scans {
		if scan.Access != nil && ReadsAll(scan) && !small(scan.Table) {
			out = append(out, scan)
		}
	}
	return out
}

// ReadsAll says whether no condition of the statement bounds a scan. The condition that leaves
// out expired rows does not count: it excludes few rows.
func ReadsAll(scan plan.Scan) bool {
	byTTL := func(bounds []plan.Bound) bool {
		return scan.Table.TTL != nil && !slices.ContainsFunc(bounds,
			func(b plan.Bound) bool { return b.Column != scan.Table.TTL.Column || len(b.Terms) > 1 })
	}
	a := scan.Access
	if a.ReadsAll() {
		return true
	}
	sides, ok := a.Sides()
	if !ok || a.Partial() {
		return false
	}
	return !slices.ContainsFunc(sides, func(bounds []plan.Bound) bool { return !byTTL(bounds) })
}

// Asked are the conditions that the statement asks for, and not that expired rows are left
// out.
func Asked(t *catalog.Table, conditions []expr.Expr) []expr.Expr {
	alive := lifetime.Alive(t)
	if alive == nil {
		return conditions
	}
	return slices.DeleteFunc(slices.Clone(conditions), func(e expr.Expr) bool { return e.String() == alive.String() })
}

func small(t *catalog.Table) bool { return t.Stats.Known && t.Stats.Rows <= Few }

// MayReadAll says whether a scan may read all of its table: since that is small, or a LIMIT ends the scan
// after few rows.
func MayReadAll(scan plan.Scan, known *expr.Context) bool {
	return small(scan.Table) || bounded(scan, known)
}

// Unbounded are the scans that no LIMIT ends after few rows.
func Unbounded(scans []plan.Scan, known *expr.Context) []plan.Scan {
	return slices.DeleteFunc(slices.Clone(scans), func(scan plan.Scan) bool { return bounded(scan, known) })
}

// bounded says whether a LIMIT ends a scan after few rows. One over conditions does not: how
// many rows are read until enough of them pass is not known.
func bounded(scan plan.Scan, known *expr.Context) bool {
	a := scan.Access
	if a.Most == nil || len(Asked(scan.Table, a.Entries().Filter))+len(Asked(scan.Table, a.RowFilter())) > 0 {
		return false
	}
	count, offset := rowsOfLimit(a.Most.Count, math.MaxInt64, known), rowsOfLimit(a.Most.Offset, 0, known)
	return count <= Few && offset <= Few && count+offset <= Few
}

// rowsOfLimit is what LIMIT or OFFSET says, none where it says nothing, and far too much where
// it is not known yet.
func rowsOfLimit(e expr.Expr, none int64, known *expr.Context) int64 {
	if e == nil {
		return none
	}
	switch v, err := e.Eval(known, nil); {
	case err != nil:
		return math.MaxInt64
	case v.IsNull():
		return none
	default:
		return v.Int()
	}
}

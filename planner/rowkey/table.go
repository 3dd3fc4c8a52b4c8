package rowkey

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/planner/proof"
)

// keysOf are the keys of a table that are unique among the rows of a scan. What other programs keep need not obey what
// is declared of it.
func keysOf(s plan.Scan) []*catalog.Layout {
	if s.Table.Foreign != nil {
		return nil
	}
	keys := []*catalog.Layout{&s.Table.Primary}
	for i := range s.Table.Indexes {
		if x := &s.Table.Indexes[i]; x.Unique && x.Layout.Distinct() && x.State.Reads() && holdsAll(s, x) {
			keys = append(keys, &x.Layout)
		}
	}
	return keys
}

// holdsAll says whether an index holds all rows of a scan, which a partial one does if the conditions of the scan imply
// its own: two rows that it does not hold may be equal.
func holdsAll(s plan.Scan, x *catalog.Index) bool {
	if !x.Partial() {
		return true
	}
	at := slices.IndexFunc(s.Holds, func(p plan.Predicate) bool { return p.Index == x.ID })
	if at < 0 || len(s.Filter) == 0 {
		return false
	}
	given := make([]expr.Expr, len(s.Filter))
	for i, c := range s.Filter {
		given[i] = expr.Renumber(c, func(i int) int { return s.Reads[i] })
	}
	return proof.Implies(given, s.Holds[at].Cond, func(i int) bool { return s.Table.Columns[i].NotNull })
}

// filtered is a scan with a condition above it, which says of its rows what those of the scan say.
func filtered(s plan.Scan, cond expr.Expr) plan.Scan {
	s.Filter = slices.Concat(s.Filter, expr.Conjuncts(cond))
	return s
}

// neverNull says whether a column of the table has no NULL in the rows of a scan, which reads it as one of its own.
func neverNull(s plan.Scan, ordinal, at int) bool {
	return s.Table.Columns[ordinal].NotNull || slices.ContainsFunc(s.Filter, func(c expr.Expr) bool {
		return expr.RejectsNull(c, func(i int) bool { return i == at })
	})
}

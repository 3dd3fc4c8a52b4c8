package executor

import (
	"maps"
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// A hash join that knows its build side lets the scan of its probe side leave rows out that have no partner. Workers do
// that below a Gather, and no node between needs to look at the rows.

// pushed is the keys that the rows of a scan must have, in some of its columns.
type pushed struct {
	set  *keyFilter
	keys []expr.Expr
}

// leastPushed is how many rows there must be thought to be for a filter to pay, mostPushed how many keys it may have.
const (
	leastPushed = 1000
	mostPushed  = 1 << 24
)

// pushKeys lets the scan of the probe side leave rows out, until it is taken back.
func (h *hashJoin) pushKeys(probe plan.Node) (takeBack func()) {
	others := slices.ContainsFunc(h.asks, func(e expr.Expr) bool { _, column := e.(expr.Column); return !column })
	if h.keepsProbe() || h.table.numbers.count > mostPushed || others {
		return func() {}
	}
	scan, keys, ok := scanOfKeys(probe, h.asks)
	if !ok || scan.Access.Estimate.Rows < leastPushed || scan.Access.Most != nil {
		return func() {}
	}
	before := h.env.pushed
	h.env.pushed = maps.Clone(before) // workers may read the one that there is
	if h.env.pushed == nil {
		h.env.pushed = map[*plan.Access][]pushed{}
	}
	set := newKeyFilter(&h.table)
	h.env.pushed[scan.Access] = append(before[scan.Access][:len(before[scan.Access]):len(before[scan.Access])],
		pushed{set, keys})
	return func() { h.env.pushed = before }
}

// scanOfKeys finds the scan whose columns are keys of a node, for which rows that have no partner may be left out: no
// other row comes or does not come for them.
func scanOfKeys(n plan.Node, keys []expr.Expr) (plan.Scan, []expr.Expr, bool) {
	switch n := n.(type) {
	case plan.Scan:
		return n, keys, n.Access != nil && !n.Write && n.Marked == 0
	case plan.Gather:
		return scanOfKeys(n.Input, keys)
	case plan.Filter:
		return scanOfKeys(n.Input, keys)
	case plan.Project:
		if keys, ok := throughProject(n, keys); ok {
			return scanOfKeys(n.Input, keys)
		}
	case plan.Join:
		return scanOfSide(n, keys)
	}
	return plan.Scan{}, nil, false
}

// throughProject are keys over the columns below a projection.
func throughProject(n plan.Project, keys []expr.Expr) ([]expr.Expr, bool) {
	out := make([]expr.Expr, len(keys))
	for i, k := range keys {
		below, ok := n.Exprs[k.(expr.Column).Index].(expr.Column)
		if !ok {
			return nil, false
		}
		out[i] = below
	}
	return out, true
}

// scanOfSide is scanOfKeys for the side of a join that has all keys.
func scanOfSide(n plan.Join, keys []expr.Expr) (plan.Scan, []expr.Expr, bool) {
	if n.Method == nil || n.Method.Strategy == plan.Interleaved || n.Kind == plan.RightJoin || n.Kind == plan.FullJoin {
		return plan.Scan{}, nil, false
	}
	left := plan.Width(n.Left)
	if slices.ContainsFunc(keys, func(e expr.Expr) bool { return e.(expr.Column).Index >= left }) {
		return plan.Scan{}, nil, false
	}
	return scanOfKeys(n.Left, keys)
}

// withPartners delivers the rows of a scan that joins above have partners for.
func withPartners(f frame, n plan.Scan, in Rows) Rows {
	list := f.env.pushed[n.Access]
	if len(list) == 0 {
		return in
	}
	return func(yield func(*types.Batch, error) bool) {
		probes := make([]*keyProbe, len(list))
		for i, p := range list {
			probes[i] = &keyProbe{set: p.set, keys: keyColumns{keys: p.keys, by: f.env.Expr}}
		}
		for batch, err := range in {
			for _, p := range probes {
				var dropped int
				if err == nil && batch.Len() > 0 {
					dropped, err = p.keep(batch)
				}
				f.profile().Unjoined += int64(dropped)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if batch.Len() > 0 && !yield(batch, nil) {
				return
			}
		}
	}
}

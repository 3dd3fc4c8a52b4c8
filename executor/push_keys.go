package executor

import (
	"maps"
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// A hash join that knows its build side lets the scan of its probe side leave rows out that have no partner. Workers do
// that below a Gather, and no node between needs to look at the rows. A sort that delivers the first rows lets a scan
// leave out those that come behind them.

// pushed is what the rows of a scan must be like, by some of its columns.
type pushed struct {
	keys []expr.Expr
	asks func(keys *keyColumns) func(i int) bool // makes the test of a row of a batch, for one goroutine
	left func(*plan.NodeProfile) *int64          // counts those that it leaves out
}

// push adds a test to those of a scan, until it is taken back.
func push(f frame, to *plan.Access, test pushed) (takeBack func()) {
	before := f.env.pushed
	f.env.pushed = maps.Clone(before) // workers may read the one that there is
	if f.env.pushed == nil {
		f.env.pushed = map[*plan.Access][]pushed{}
	}
	f.env.pushed[to] = append(before[to][:len(before[to]):len(before[to])], test)
	return func() { f.env.pushed = before }
}

// leastPushed is how many rows there must be thought to be for a filter to pay, mostPushed how many keys it may have.
const (
	leastPushed = 1000
	mostPushed  = 1 << 24
)

// pushKeys lets the scan of the probe side leave rows out, until it is taken back.
func (h *hashJoin) pushKeys(probe plan.Node) (takeBack func()) {
	others := slices.ContainsFunc(h.asks, func(e expr.Expr) bool { _, column := e.(expr.Column); return !column })
	if h.keepsProbe() || h.table.different() > mostPushed || others {
		return func() {}
	}
	scan, keys, ok := scanOfKeys(probe, h.asks)
	if !ok {
		return func() {}
	}
	return push(h.frame, scan.Access, pushed{keys, newKeyFilter(&h.table).asks,
		func(p *plan.NodeProfile) *int64 { return &p.Unjoined }})
}

// takesTests says whether tests of nodes above pay for the rows of a scan, and may leave some out.
func takesTests(n plan.Scan) bool {
	return n.Access != nil && n.Access.Most == nil && n.Access.Estimate.Rows >= leastPushed && !n.Write && n.Marked == 0
}

// scanOfKeys finds the scan whose columns are keys of a node, for which rows that have no partner may be left out: no
// other row comes or does not come for them.
func scanOfKeys(n plan.Node, keys []expr.Expr) (plan.Scan, []expr.Expr, bool) {
	switch n := n.(type) {
	case plan.Scan:
		return n, keys, takesTests(n)
	case plan.Gather:
		return scanOfKeys(n.Input, keys)
	case plan.Filter:
		if !mayAct(n.Cond) {
			return scanOfKeys(n.Input, keys)
		}
	case plan.Project:
		if keys, ok := throughProject(n, keys); ok && !slices.ContainsFunc(n.Exprs, mayAct) {
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

// probe asks a test about the rows of batches, in one goroutine.
type probe struct {
	pushed
	columns keyColumns
	may     func(i int) bool
	asked   int // rows of the present trial
	passed  int
	rest    int // rows until the next one
}

// probesOf are the tests that nodes above have for the rows of a scan.
func probesOf(f frame, of *plan.Access) (out []*probe) {
	for _, p := range f.env.pushed[of] {
		one := &probe{pushed: p, columns: keyColumns{keys: p.keys, by: f.env.Expr}}
		one.may = p.asks(&one.columns)
		out = append(out, one)
	}
	return out
}

const (
	// trialRows is after how many rows it is seen whether a test leaves enough of them out.
	trialRows = 1 << 14
	// restRows is how many rows a test that keeps most of them is not asked about: it may be another one then, or the
	// rows may be.
	restRows = 8 * trialRows
)

// choose leaves those of some rows of a batch for which the test holds.
func (p *probe) choose(batch *types.Batch, sel []int32) ([]int32, error) {
	if p.rest > 0 {
		p.rest -= len(sel)
		return sel, nil
	}
	if err := p.columns.load(batch); err != nil {
		return nil, err
	}
	kept := sel[:0]
	for _, i := range sel {
		if p.may(int(i)) {
			kept = append(kept, i)
		}
	}
	if p.asked, p.passed = p.asked+len(sel), p.passed+len(kept); p.asked >= trialRows {
		if p.passed > p.asked/4*3 {
			p.rest = restRows
		}
		p.asked, p.passed = 0, 0
	}
	return kept, nil
}

// needed delivers the rows of a scan that nodes above need.
func needed(f frame, n plan.Scan, in Rows) Rows {
	if len(f.env.pushed[n.Access]) == 0 {
		return in
	}
	return func(yield func(*types.Batch, error) bool) {
		probes := probesOf(f, n.Access)
		var all, sel []int32
		for batch, err := range in {
			if err == nil && batch.Len() > 0 {
				all = rowNumbers(all, batch.Len())
				if sel, err = chooseAll(probes, batch, append(sel[:0], all...), f.profile()); err == nil {
					batch.Select(sel)
				}
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

// chooseAll leaves those of some rows for which all tests hold, and counts the others.
func chooseAll(probes []*probe, batch *types.Batch, sel []int32, count *plan.NodeProfile) ([]int32, error) {
	for _, p := range probes {
		before := len(sel)
		var err error
		if sel, err = p.choose(batch, sel); err != nil {
			return nil, err
		}
		*p.left(count) += int64(before - len(sel))
	}
	return sel, nil
}

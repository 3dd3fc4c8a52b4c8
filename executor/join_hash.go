package executor

import (
	"zproxy/planner/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// hash keeps the rows of one input, the build side, in a table by their keys, and looks up
// the keys of the other one, the probe side, row by row.
func (j *joiner) hash() error {
	h := newHashJoin(j)
	defer h.table.held.release()
	build, probe := j.input(j.Right, j.Left), j.input(j.Left)
	if j.Method.BuildLeft {
		build, probe = probe, build
	}
	if err := j.frame.each(build, h.table.add); err != nil {
		return err
	}
	if len(h.table.rows) == 0 && !h.keepsProbe() {
		return nil
	}
	h.begin()
	if err := j.each(probe, h.probe); err != nil {
		return err
	}
	return h.finish()
}

// hashJoin is a join of some build rows with some probe rows.
type hashJoin struct {
	*joiner
	table   hashTable
	asks    []expr.Expr // the keys of a probe row
	flipped bool        // the build side is the left one
	met     []bool      // of the build rows; nil when nobody asks
}

func newHashJoin(j *joiner) *hashJoin {
	h := &hashJoin{joiner: j, flipped: j.Method.BuildLeft}
	h.table.context, h.table.held, h.table.slab.width = j.env.Expr, j.hold(), j.right
	if h.flipped {
		h.table.slab.width = j.left
	}
	for _, k := range j.Method.Keys {
		ask, key := k.Left, k.Right
		if h.flipped {
			ask, key = key, ask
		}
		h.asks, h.table.keys = append(h.asks, ask), append(h.table.keys, key)
		h.table.nulls = append(h.table.nulls, k.NullsEqual)
	}
	h.table.prepare()
	return h
}

// begin is called when all build rows are there.
func (h *hashJoin) begin() {
	if h.flipped && h.Kind != plan.InnerJoin && h.Kind != plan.RightJoin || !h.flipped && h.keepsRight() {
		h.met = make([]bool, len(h.table.rows))
	}
}

// keepsProbe says whether probe rows come out also where there are no build rows.
func (h *hashJoin) keepsProbe() bool {
	if h.flipped {
		return h.keepsRight()
	}
	return h.Kind == plan.LeftJoin || h.Kind == plan.FullJoin || h.Kind == plan.AntiJoin
}

// probe joins a probe row with the build rows that have its keys.
func (h *hashJoin) probe(row types.Row) error {
	at, err := h.table.find(h.asks, row)
	if err != nil {
		return err
	}
	if h.flipped {
		return h.probeRight(row, at)
	}
	matched := false
	for ; at != 0; at = h.table.next[at-1] {
		ok, err := h.match(row, h.table.rows[at-1])
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if matched = true; h.met != nil {
			h.met[at-1] = true
		}
		if h.one() {
			break
		}
	}
	return h.leftDone(row, matched)
}

// probeRight is probe for a row of the right input. A left row of which one partner is
// enough comes out when the first is met.
func (h *hashJoin) probeRight(row types.Row, at int32) error {
	matched := false
	for ; at != 0; at = h.table.next[at-1] {
		if h.one() && h.met[at-1] {
			continue
		}
		left := h.table.rows[at-1]
		ok, err := h.match(left, row)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if matched = true; h.met == nil {
			continue
		}
		h.met[at-1] = true
		if h.Kind == plan.SemiJoin {
			if err := h.leftDone(left, true); err != nil {
				return err
			}
		}
	}
	if !matched && h.keepsRight() {
		return h.rightDone(row)
	}
	return nil
}

// finish delivers the build rows that nobody met.
func (h *hashJoin) finish() error {
	done := h.rightDone
	if h.flipped {
		done = func(row types.Row) error { return h.leftDone(row, false) }
	}
	for i, met := range h.met {
		if met {
			continue
		}
		if err := done(h.table.rows[i]); err != nil {
			return err
		}
	}
	return nil
}

package executor

import (
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// hash keeps the rows of one input, the build side, in a table by their keys, and looks up the keys of the other one,
// the probe side, row by row.
func (j *joiner) hash() error {
	at, probe := j.probeSide()
	built, shared := j.env.built[j.Method]
	if !shared {
		var err error
		if built, err = build(j); err != nil {
			return err
		}
		defer built.close()
	}
	h := built.of(j)
	switch {
	case built.spilled != nil:
		return built.spilled.run(h, rows(at, probe))
	case h.table.rows.count == 0 && !h.keepsProbe():
		return nil
	}
	h.begin()
	if !shared {
		var err error
		if probe, err = h.asked(probe); err != nil {
			return err
		}
		defer h.pushKeys(probe)()
	}
	if err := h.probe(rows(at, probe)); err != nil {
		return err
	}
	return h.finish(func(int) error { return nil })
}

// probeSide is the input whose keys are looked up, with its frame.
func (j *joiner) probeSide() (frame, plan.Node) {
	if j.Method.BuildLeft {
		return j.below(j.Left), j.Right
	}
	return j.below(), j.Left
}

// probe joins the rows of the probe side. What has been made of a batch goes out before the next one is read: it may be
// all that is wanted.
func (h *hashJoin) probe(in Rows) error {
	var firsts []int32
	asks := keyColumns{keys: h.asks, by: h.env.Expr}
	for batch, err := range in {
		if err == nil {
			firsts, err = h.table.findAll(&asks, batch, firsts[:0])
		}
		if err != nil {
			return err
		}
		if h.joinsColumns() && (batch.Columnar() || batch.Len() > fewRows) {
			err = h.joinColumns(batch, firsts)
		} else {
			err = h.joinRows(batch, firsts)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// joinRows is joinColumns row by row. Rows that have no partner and do not come out are dropped before they are made
// rows.
func (h *hashJoin) joinRows(batch *types.Batch, firsts []int32) error {
	if !h.keepsProbe() {
		sel := h.pairing.rest[:0]
		for i, first := range firsts {
			if first != 0 {
				firsts[len(sel)] = first
				sel = append(sel, int32(i))
			}
		}
		batch.Select(sel)
		h.pairing.rest = sel
	}
	for i := range batch.Len() {
		row := batch.Row(i)
		matched, err := h.tryFrom(row, firsts[i])
		if err == nil {
			err = h.probed(row, matched)
		}
		if err != nil {
			return err
		}
	}
	if h.batch.Len() > 0 {
		if err := h.flush(); err != nil {
			return err
		}
	}
	return h.canceled()
}

// run parts the probe side, too, and joins the parts.
func (s *spilledJoin) run(h *hashJoin, probe Rows) error {
	err := s.frame.each(probe, func(row types.Row) error {
		s.next = numbered(s.next, &s.probed, row)
		return s.top.add(&s.top.probe, h.asks, s.env.Expr, s.next)
	})
	if err != nil {
		return err
	}
	if err := s.joinParts(s.top); err != nil {
		return err
	}
	return s.sorted.each(s.append)
}

// hashJoin is a join of some build rows with some probe rows.
type hashJoin struct {
	*joiner
	table   hashTable
	asks    []expr.Expr // the keys of a probe row
	flipped bool        // the build side is the left one
	met     []bool      // of the build rows; nil when that is not asked for
	built   types.Row   // a build row, until the next one is asked for
	pairing pairing
}

func newHashJoin(j *joiner) *hashJoin {
	h := &hashJoin{joiner: j, flipped: j.Method.BuildLeft}
	width := j.right
	if h.flipped {
		width = j.left
	}
	h.built = make(types.Row, width)
	var keys []expr.Expr
	var nulls []bool
	for _, k := range j.Method.Keys {
		ask, key := k.Left, k.Right
		if h.flipped {
			ask, key = key, ask
		}
		h.asks, keys, nulls = append(h.asks, ask), append(keys, key), append(nulls, k.NullsEqual)
	}
	h.table = newHashTable(j.frame, width, keys, nulls)
	return h
}

// begin is called when all build rows are there.
func (h *hashJoin) begin() {
	if h.flipped && h.Kind != plan.InnerJoin && h.Kind != plan.RightJoin || !h.flipped && h.keepsRight() {
		h.met = make([]bool, h.table.rows.count)
	}
}

// keepsProbe says whether probe rows come out also where there are no build rows.
func (h *hashJoin) keepsProbe() bool {
	if h.flipped {
		return h.keepsRight()
	}
	return h.Kind == plan.LeftJoin || h.Kind == plan.FullJoin || h.Kind == plan.AntiJoin
}

// try joins a probe row with the build rows that have its keys, and says whether there are
// any.
func (h *hashJoin) try(row types.Row) (bool, error) {
	first, err := h.table.find(h.asks, row)
	if err != nil {
		return false, err
	}
	return h.tryFrom(row, first)
}

// tryFrom is try where the first build row is known, counted from 1; 0 is none.
func (h *hashJoin) tryFrom(row types.Row, at int32) (bool, error) {
	if h.flipped {
		return h.tryRight(row, at)
	}
	matched := false
	for ; at != 0; at = h.table.next[at-1] {
		ok, err := h.match(row, h.table.rows.row(h.built, int(at-1)))
		if err != nil {
			return false, err
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
	return matched, nil
}

// tryRight is try for a row of the right input. A left row of which one partner is enough
// comes out when the first is met.
func (h *hashJoin) tryRight(row types.Row, at int32) (bool, error) {
	matched := false
	for ; at != 0; at = h.table.next[at-1] {
		if h.one() && h.met[at-1] {
			if err := h.look(); err != nil {
				return false, err
			}
			continue
		}
		left := h.table.rows.row(h.built, int(at-1))
		ok, err := h.match(left, row)
		if err != nil {
			return false, err
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
				return false, err
			}
		}
	}
	return matched, nil
}

// probed delivers what comes of a probe row all of whose partners have been met.
func (h *hashJoin) probed(row types.Row, matched bool) error {
	switch {
	case !h.flipped:
		return h.leftDone(row, matched)
	case !matched && h.keepsRight():
		return h.rightDone(row)
	}
	return nil
}

// finish delivers the build rows without a partner, and calls after with the place of each.
func (h *hashJoin) finish(after func(i int) error) error {
	done := h.rightDone
	if h.flipped {
		done = func(row types.Row) error { return h.leftDone(row, false) }
	}
	for i, met := range h.met {
		if met {
			continue
		}
		if err := done(h.table.rows.row(h.built, i)); err != nil {
			return err
		}
		if err := after(i); err != nil {
			return err
		}
	}
	return nil
}

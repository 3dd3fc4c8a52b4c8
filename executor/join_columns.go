package executor

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// A hash join joins batches of columns by lists of pairs: the condition is computed for all pairs of a list at once,
// and the values of those that remain are picked column by column (Boncz, Zukowski, Nes: MonetDB/X100: Hyper-Pipelining
// Query Execution, 2005, 4.1).

// pairing is the pairs that a hash join is looking at.
type pairing struct {
	probe, build []int32      // the numbers of their rows; a build row below 0 is one of NULLs
	tests        *tests       // of the condition over both rows; nil: there is none, or no list came yet
	reads        map[int]bool // the columns that these read
	both         *types.Batch
	rest, next   []int32 // of a semijoin, the probe rows without a partner yet, and the next build row of each
	matched      []bool
}

// noBuildRow stands for a row of NULLs.
const noBuildRow = -1

func (p *pairing) clear() { p.probe, p.build = p.probe[:0], p.build[:0] }

func (p *pairing) add(probe, build int32) {
	p.probe, p.build = append(p.probe, probe), append(p.build, build)
}

// joinsColumns says whether the join takes lists of pairs. It looks at no pair then that it would not look at one by
// one, and rows come in the same order.
func (h *hashJoin) joinsColumns() bool {
	return h.test == nil || h.pairs && !h.keepsProbe() || !h.pairs && !h.flipped
}

// joinColumns joins the rows of a batch, whose first partners, as far as the keys go, are known.
func (h *hashJoin) joinColumns(batch *types.Batch, firsts []int32) error {
	batch.ToColumns()
	h.pairing.clear()
	switch {
	case h.pairs:
		return h.joinPairs(batch, firsts)
	case h.flipped:
		return h.meet(firsts)
	}
	return h.keepMatched(batch, firsts)
}

// joinPairs delivers pairs.
func (h *hashJoin) joinPairs(batch *types.Batch, firsts []int32) error {
	p, keeps, most := &h.pairing, h.keepsProbe(), h.table.rows.atOnce(longestTexts(batch))
	for i, at := range firsts {
		if at == 0 && keeps {
			p.add(int32(i), noBuildRow)
		}
		for {
			if len(p.probe) >= most {
				if err := h.deliverPairs(batch); err != nil {
					return err
				}
			}
			if at == 0 {
				break
			}
			p.add(int32(i), at-1)
			at = h.table.next[at-1]
		}
	}
	return h.deliverPairs(batch)
}

// deliverPairs delivers the pairs for which the condition holds.
func (h *hashJoin) deliverPairs(batch *types.Batch) error {
	p := &h.pairing
	defer p.clear()
	if h.test != nil {
		sel, err := h.chooseBoth(batch)
		if err != nil {
			return err
		}
		for to, from := range sel {
			p.probe[to], p.build[to] = p.probe[from], p.build[from]
		}
		p.probe, p.build = p.probe[:len(sel)], p.build[:len(sel)]
	}
	if len(p.probe) == 0 {
		return h.canceled()
	}
	for _, b := range p.build {
		if h.met != nil && b >= 0 {
			h.met[b] = true
		}
	}
	for at := range h.batch.Columns(h.left + h.right) {
		h.pick(h.batch.Column(at), at, batch)
	}
	h.batch.Grow(len(p.probe))
	return h.flush()
}

// pick makes a vector a column of the pairs.
func (h *hashJoin) pick(to *types.Vector, column int, batch *types.Batch) {
	right := column >= h.left
	if right {
		column -= h.left
	}
	if right == h.flipped {
		batch.Pick(to, column, h.pairing.probe)
	} else {
		h.table.rows.pick(to, column, h.pairing.build)
	}
}

// chooseBoth gives the numbers of the pairs for which the condition holds, and counts the others.
func (h *hashJoin) chooseBoth(batch *types.Batch) ([]int32, error) {
	p := &h.pairing
	if len(p.probe) == 0 {
		return nil, nil
	}
	if p.tests == nil {
		p.tests = newTests([]expr.Expr{h.Method.Residual}, h.env.Expr)
		p.reads, p.both = map[int]bool{}, types.NewBatch(h.left+h.right)
		expr.Columns(h.Method.Residual, p.reads)
	}
	to := p.both.Columns(h.left + h.right)
	for at := range p.reads {
		h.pick(&to[at], at, batch)
	}
	p.both.Grow(len(p.probe))
	sel, err := p.tests.choose(p.both)
	h.profile().Removed += int64(len(p.probe) - len(sel))
	return sel, err
}

// meet delivers the build rows of a semijoin that are met first, or notes that those of an antijoin are met. All rows
// of a chain are met at once: there is no condition but for the keys.
func (h *hashJoin) meet(firsts []int32) error {
	p, most := &h.pairing, h.table.rows.atOnce(0)
	deliver := func() error {
		for at := range h.batch.Columns(h.left) {
			h.table.rows.pick(h.batch.Column(at), at, p.build)
		}
		h.batch.Grow(len(p.build))
		p.clear()
		return h.flush()
	}
	for _, at := range firsts {
		for ; at != 0 && !h.met[at-1]; at = h.table.next[at-1] {
			h.met[at-1] = true
			if h.Kind != plan.SemiJoin {
				continue
			}
			if p.build = append(p.build, at-1); len(p.build) >= most {
				if err := deliver(); err != nil {
					return err
				}
			}
		}
	}
	if len(p.build) > 0 {
		return deliver()
	}
	return h.canceled()
}

// keepMatched passes on the probe rows of a semijoin that have a partner, or those of an antijoin that have none. Each
// row is paired with the next build row of its chain until the condition holds for one.
func (h *hashJoin) keepMatched(batch *types.Batch, firsts []int32) error {
	p := &h.pairing
	p.matched, p.next, p.rest = p.matched[:0], append(p.next[:0], firsts...), p.rest[:0]
	for i, at := range firsts {
		p.matched = append(p.matched, at != 0 && h.test == nil)
		if at != 0 && h.test != nil {
			p.rest = append(p.rest, int32(i))
		}
	}
	for most := h.table.rows.atOnce(0); len(p.rest) > 0; {
		for some := range slices.Chunk(p.rest, most) {
			if err := h.matchNext(batch, some); err != nil {
				return err
			}
		}
		p.rest = slices.DeleteFunc(p.rest, func(i int32) bool { return p.matched[i] || p.next[i] == 0 })
	}
	p.rest = p.rest[:0]
	for i, matched := range p.matched {
		if matched == (h.Kind == plan.SemiJoin) {
			p.rest = append(p.rest, int32(i))
		}
	}
	batch.Select(p.rest)
	if batch.Len() == 0 {
		return h.canceled()
	}
	return h.pass(batch)
}

// matchNext pairs rows that have no partner yet with the next row of their chains.
func (h *hashJoin) matchNext(batch *types.Batch, rows []int32) error {
	p := &h.pairing
	p.clear()
	for _, i := range rows {
		p.add(i, p.next[i]-1)
		p.next[i] = h.table.next[p.next[i]-1]
	}
	sel, err := h.chooseBoth(batch)
	if err != nil {
		return err
	}
	for _, at := range sel {
		p.matched[p.probe[at]] = true
	}
	return h.canceled()
}

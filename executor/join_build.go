package executor

import (
	"zproxy/types"
)

// builtSide is the build side of a hash join, which workers may probe at the same time.
type builtSide struct {
	h       *hashJoin
	spilled *spilledJoin // it is in files; nil: it is in the table of h
}

// build reads the build side of a join.
func build(j *joiner) (*builtSide, error) {
	b := &builtSide{h: newHashJoin(j)}
	in := j.input(j.Right, j.Left)
	if j.Method.BuildLeft {
		in = j.input(j.Left)
	}
	var err error
	b.spilled, err = b.h.build(in)
	if err != nil {
		b.close()
	}
	return b, err
}

func (b *builtSide) close() {
	b.h.table.held.release()
	if b.spilled != nil {
		b.spilled.close()
	}
}

// of is the join of the build side in a run of a joiner. Several may read its table at once.
func (b *builtSide) of(j *joiner) *hashJoin {
	h := *b.h
	h.joiner = j
	h.table.context, h.table.key, h.table.asked = j.env.Expr, nil, keyBatch{}
	h.built, h.pairing = make(types.Row, h.table.rows.width()), pairing{}
	if b.spilled != nil {
		b.spilled.joiner = j
	}
	return &h
}

// build reads the build side. When it is too large for memory it is in files in the end.
func (h *hashJoin) build(in Rows) (s *spilledJoin, err error) {
	for batch, err := range in {
		if err == nil {
			err = h.canceled()
		}
		switch {
		case err != nil:
		case s != nil:
			for i := 0; err == nil && i < batch.Len(); i++ {
				err = s.addBuilt(h, batch.Row(i))
			}
		default:
			if err = h.table.addAll(batch); err == nil && h.table.held.bytes > h.workMemory() {
				s, err = h.spill()
			}
		}
		if err != nil {
			return s, err
		}
	}
	if s != nil {
		return s, nil
	}
	if err = h.link(); err == nil && h.table.held.bytes > h.workMemory() {
		s, err = h.spill()
	}
	return s, err
}

// spill writes the rows of the table to files, and forgets them.
func (h *hashJoin) spill() (*spilledJoin, error) {
	s, err := newSpilledJoin(h.joiner)
	for i := 0; err == nil && i < h.table.rows.count; i++ {
		if err = h.canceledAt(i); err == nil {
			err = s.addBuilt(h, h.table.rows.row(h.built, i))
		}
	}
	h.measure()
	h.table.clear()
	return s, err
}

// link makes the rows found that the table has.
func (h *hashJoin) link() error {
	defer h.measure()
	return h.table.link(h.ctx, h.env.Workers)
}

// measure notes how large the table is.
func (h *hashJoin) measure() {
	p, slots := h.profile(), 0
	for i := range h.table.parts {
		slots += len(h.table.parts[i].table.slots)
	}
	p.Memory = max(p.Memory, h.table.held.bytes)
	p.Buckets = max(p.Buckets, int64(slots))
}

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
	b.h.measure()
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
	h.table.context, h.table.key = j.env.Expr, nil
	h.built, h.pairing = make(types.Row, h.table.rows.width()), pairing{}
	if b.spilled != nil {
		b.spilled.joiner = j
	}
	return &h
}

// build reads the build side. When it is too large for memory it is in files in the end.
func (h *hashJoin) build(in Rows) (*spilledJoin, error) {
	var s *spilledJoin
	var scratch types.Row
	write := func(row types.Row) error {
		scratch = numbered(scratch, &s.built, row)
		return s.top.add(&s.top.build, h.table.keys, h.env.Expr, scratch)
	}
	spill := func() (err error) {
		if s, err = newSpilledJoin(h.joiner); err != nil {
			return err
		}
		for i := 0; err == nil && i < h.table.rows.count; i++ {
			if err = h.canceledAt(i); err == nil {
				err = write(h.table.rows.row(h.built, i))
			}
		}
		h.measure()
		h.table.clear()
		return err
	}
	for batch, err := range in {
		if err == nil {
			err = h.canceled()
		}
		if err == nil && s == nil {
			if err = h.table.addAll(batch); err == nil && h.table.held.bytes > h.workMemory() {
				err = spill()
			}
		} else {
			for i := 0; err == nil && i < batch.Len(); i++ {
				err = write(batch.Row(i))
			}
		}
		if err != nil {
			return s, err
		}
	}
	return s, nil
}

// measure notes how large the table is.
func (h *hashJoin) measure() {
	p := h.profile()
	p.Memory = max(p.Memory, h.table.held.bytes)
	p.Buckets = max(p.Buckets, int64(len(h.table.numbers.slots)))
}

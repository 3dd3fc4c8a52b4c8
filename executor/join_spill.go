package executor

import (
	"math"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// A hash join whose build side is too large goes to files: both sides are parted by a hash
// of their keys, so that partners meet in one part, and the parts are joined one after the
// other (the Grace hash join of Kitsuregawa, Tanaka and Moto-oka, 1983). A part that is
// still too large is parted again. What comes out is sorted to the order that it would
// have had in memory.

const (
	spillParts  = 16
	spillLevels = 4
)

// spilledJoin is a hash join that went to files. Its rows begin with their numbers in
// their inputs.
type spilledJoin struct {
	*joiner
	inner  joiner // delivers to sorted
	sorted *sorter
	tag    [2]int64 // where the row that comes out next belongs
	err    error
	probed int64
	built  int64
	top    *spillLevel
	next   types.Row // that is written, with its number
}

// spillLevel is the parts of one level.
type spillLevel struct {
	level int
	build [spillParts]*spill
	probe [spillParts]*spill
	key   []byte
}

func newSpilledJoin(j *joiner) (*spilledJoin, error) {
	s := &spilledJoin{joiner: j, inner: *j}
	byNumber := []plan.SortKey{{}, {}}
	s.sorted = newSorter(j.frame, byNumber, j.batch.Width(), math.MaxInt64)
	s.inner.output = newOutput(j.frame, j.batch.Width(), func(b *types.Batch, err error) bool {
		for i := 0; s.err == nil && i < b.Len(); i++ {
			s.sorted.next[0], s.sorted.next[1] = types.NewInt(s.tag[0]), types.NewInt(s.tag[1])
			s.err = s.sorted.keep(b.Row(i))
		}
		return s.err == nil
	})
	var err error
	s.top, err = s.open(1)
	return s, err
}

func (s *spilledJoin) close() {
	s.top.close()
	s.sorted.close()
}

// addBuilt writes a row of the build side.
func (s *spilledJoin) addBuilt(h *hashJoin, row types.Row) error {
	s.next = numbered(s.next, &s.built, row)
	return s.top.add(&s.top.build, h.table.keys, s.env.Expr, s.next)
}

// open makes the files of a level.
func (s *spilledJoin) open(level int) (*spillLevel, error) {
	l := &spillLevel{level: level}
	for i := range spillParts {
		var err error
		if l.build[i], err = s.spill(); err == nil {
			l.probe[i], err = s.spill()
		}
		if err != nil {
			l.close()
			return nil, err
		}
	}
	return l, nil
}

func (l *spillLevel) close() {
	if l == nil {
		return
	}
	for i := range spillParts {
		l.build[i].close()
		l.probe[i].close()
	}
}

// add writes a numbered row to the part of its keys.
func (l *spillLevel) add(files *[spillParts]*spill, keys []expr.Expr, c *expr.Context, row types.Row) error {
	l.key = l.key[:0]
	for _, k := range keys {
		v, err := k.Eval(c, row[1:])
		if err != nil {
			return err
		}
		l.key = types.AppendKey(l.key, v)
	}
	return files[spillPart(l.key, l.level)].append(row)
}

// spillPart is another one of a key for every level: the hash is FNV-1a, which starts from
// the level.
func spillPart(key []byte, level int) int {
	h := 14695981039346656037 * uint64(level)
	for _, b := range key {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return int((h ^ h>>32) * 0x9E3779B97F4A7C15 >> 60)
}

// numbered puts a number before a row.
func numbered(scratch types.Row, n *int64, row types.Row) types.Row {
	*n++
	return append(append(scratch[:0], types.NewInt(*n)), row...)
}

// joinParts joins the parts of a level one after the other.
func (s *spilledJoin) joinParts(l *spillLevel) error {
	for i := range spillParts {
		build, err := l.build[i].end()
		if err != nil {
			return err
		}
		probe, err := l.probe[i].end()
		if err != nil {
			return err
		}
		p := s.profile()
		p.Spilled += build.bytes + probe.bytes
		p.Batches++
		part := spilledPart{spilledJoin: s, level: l.level, build: l.build[i], probe: l.probe[i], buildRun: build,
			probeRun: probe}
		if err := part.join(); err != nil {
			return err
		}
		l.build[i].close()
		l.probe[i].close()
	}
	return nil
}

// spilledPart is one part of both sides.
type spilledPart struct {
	*spilledJoin
	level              int
	build, probe       *spill
	buildRun, probeRun spillRun
	stored             *spilled
	numbers            []int64 // of the build rows in memory
}

// join joins the part: in memory when the build side fits, else in parts of its own. Rows
// that are not told apart by their keys are taken as many at a time as fit.
func (p *spilledPart) join() error {
	h := newHashJoin(&p.inner)
	defer func() { h.table.held.release() }()
	p.stored = p.build.read(p.buildRun, h.table.rows.width()+1)
	more, err := p.load(h)
	if err != nil {
		return err
	}
	if more && p.level < spillLevels && h.table.different() > 1 {
		h.table.held.release()
		return p.split(h)
	}
	held := p.hold()
	defer held.release()
	if err := held.add(p.probeRun.rows); err != nil {
		return err
	}
	met := make([]bool, p.probeRun.rows)
	for {
		if err := p.round(h, met, !more); err != nil || !more {
			return err
		}
		h.table.held.release()
		h = newHashJoin(&p.inner)
		if more, err = p.load(h); err != nil {
			return err
		}
	}
}

// load makes a table of as many build rows as fit, and says whether there may be more.
func (p *spilledPart) load(h *hashJoin) (bool, error) {
	more, err := p.read(h)
	if err == nil {
		err = h.link()
	}
	return more, err
}

// read adds as many build rows to a table as fit, and says whether there may be more.
func (p *spilledPart) read(h *hashJoin) (bool, error) {
	p.numbers = p.numbers[:0]
	for {
		row, ok, err := p.stored.next()
		if err != nil || !ok {
			return false, err
		}
		p.numbers = append(p.numbers, row[0].Int())
		if err := p.canceledAt(len(p.numbers)); err != nil {
			return false, err
		}
		if err := h.table.add(row[1:]); err != nil {
			return false, err
		}
		if h.table.held.bytes > p.workMemory() {
			return true, p.canceled()
		}
	}
}

// round joins the build rows in memory with all probe rows of the part; met are the probe
// rows that had partners before.
func (p *spilledPart) round(h *hashJoin, met []bool, last bool) error {
	h.begin()
	at := 0
	err := p.probe.eachOf(p.frame, p.probeRun, p.probeWidth()+1, func(row types.Row) error {
		p.tag = [2]int64{row[0].Int(), 0}
		if !(met[at] && !h.flipped && h.one()) {
			matched, err := h.try(row[1:])
			if err != nil {
				return p.because(err)
			}
			met[at] = met[at] || matched
		}
		if last {
			if err := h.probed(row[1:], met[at]); err != nil {
				return p.because(err)
			}
		}
		at++
		return p.emit()
	})
	if err != nil {
		return err
	}
	return h.finish(func(i int) error {
		p.tag = [2]int64{math.MaxInt64, p.numbers[i]}
		return p.emit()
	})
}

// emit yields what has gathered, which belongs where the tag says.
func (s *spilledJoin) emit() error {
	if s.inner.batch.Len() == 0 {
		return nil
	}
	return s.because(s.inner.flush())
}

// because is why the inner join stopped.
func (s *spilledJoin) because(err error) error {
	if err == errStopped && s.err != nil {
		return s.err
	}
	return err
}

func (p *spilledPart) probeWidth() int {
	if p.Method.BuildLeft {
		return p.right
	}
	return p.left
}

// split parts the part once more.
func (p *spilledPart) split(h *hashJoin) error {
	l, err := p.open(p.level + 1)
	if err != nil {
		return err
	}
	defer l.close()
	err = p.build.eachOf(p.frame, p.buildRun, h.table.rows.width()+1, func(row types.Row) error {
		return l.add(&l.build, h.table.keys, p.env.Expr, row)
	})
	if err == nil {
		err = p.probe.eachOf(p.frame, p.probeRun, p.probeWidth()+1, func(row types.Row) error {
			return l.add(&l.probe, h.asks, p.env.Expr, row)
		})
	}
	if err != nil {
		return err
	}
	return p.joinParts(l)
}

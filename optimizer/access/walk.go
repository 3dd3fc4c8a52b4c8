package access

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/planner/spans"
	"zproxy/types"
)

// walk goes through the parts of a layout.
type walk struct {
	*chooser
	index  *catalog.Index // nil: the table itself
	layout *catalog.Layout
	named  bool     // the store keeps partitions in no order: each must be named
	points int      // the spans so far
	before int      // the values of the part before
	bound  []uint32 // columns that have one value in each span
}

// stop is what a walk found of one part.
type stop struct {
	points int // values that it is thought to have; 0: no single ones
	// spread is of a part whose values are shards of heavy keys: points is how many values the keys have. As long as
	// these are not known they may be those with most shards.
	spread   *part.Spread
	interval bool // an interval of it is known, and the walk ends
	weak     bool // but they leave nearly everything
	narrowed bool // by conditions; otherwise it has few values anyway
	// counted says that its values are those of an interval, counted out. If they are open,
	// it shows only when the statement runs how many there are and whether they can be
	// counted out at all: then nothing that the spans say is relied on.
	counted, open bool
	ranges        bool     // it is counted, but an interval of it serves as well
	equal         int      // key columns that it binds to points
	columns       []uint32 // whose bounds it takes
	exact         []uint32 // those of them that are in the key as they are
	text          bool     // as a text, which is NULL where one of them is
}

// stop finds what is known of part i. It says false when that is nothing.
func (w *walk) stop(i int, p *catalog.Part) (stop, bool) {
	bound, points := w.bound, w.points
	s, ok := w.reach(i, p)
	if ok && s.points > 0 && !s.interval {
		if n := w.forked(w.points, s); n <= max(maxPoints, w.points, s.points) {
			w.points, w.before = n, s.points
			return s, true
		}
	}
	w.bound, w.points = bound, points
	return s, ok && s.interval
}

// reach finds what is known of a part, and binds the columns that it binds. Where values are to be
// counted out but cannot be, an interval may do.
func (w *walk) reach(i int, p *catalog.Part) (stop, bool) {
	if w.memo.counts == nil {
		w.memo.counts = &counts{}
	}
	k := w.memo.counts
	*k = counts{walk: w, named: w.named && i < len(w.layout.Partition), single: stop{points: 1}}
	var err error
	if k.part, err = p.Bind(w.scan.Table); err != nil {
		return stop{}, false
	}
	if k.part.Take(k) {
		if !k.single.counted {
			return k.single, true
		}
		if s, ok := w.count(i, k.single); ok {
			return s, true
		}
	}
	return k.among, k.among.interval && !k.named
}

// mayCount says whether a column has single values, or an interval that may be counted out.
func (w *walk) mayCount(id uint32) bool {
	return w.ended(id) && (w.countable(id) || w.shapeOf(id).points > 0)
}

// ended says whether a column has single values, or an interval with two ends.
func (w *walk) ended(id uint32) bool {
	shape := w.shapeOf(id)
	return shape.points > 0 || shape.low && shape.high
}

// countable says whether an interval of a column may have few values.
func (w *walk) countable(id uint32) bool {
	switch w.kindOf(id) {
	case types.KindInt, types.KindDate, types.KindTimestamp:
		return true
	}
	return false
}

func (w *walk) kindOf(id uint32) types.Kind {
	return w.scan.Table.Columns[w.scan.Table.Ordinal(id)].Type.Kind()
}

// guessed is how many values an interval is thought to be counted out to.
const guessed = 30

// count makes a part whose interval is counted out of one that has one. It says false where
// it cannot be.
func (w *walk) count(i int, s stop) (stop, bool) {
	s.narrowed, s.counted = true, true
	sets, ok := w.constants()
	if !ok {
		s.points, s.open = max(s.points, 1)*guessed, true
		return s, true
	}
	codec, err := keys.NewCodec(w.scan.Table, w.layout)
	if err != nil {
		return s, false
	}
	spans := codec.Spans(keys.Walk{Parts: i + 1, Counted: i + 1}, sets)
	if slices.ContainsFunc(spans, func(sp span.Span) bool { return len(sp.Prefix) <= i }) {
		return s, false
	}
	s.points = max(len(spans)/w.points, 1)
	return s, true
}

// constants are what bounds leave of columns, where nothing but constants is compared, or what has its final values:
// what they are now they are whenever the plan runs.
func (w *walk) constants() (keys.Sets, bool) {
	asked := *w.chooser
	asked.constraints, asked.memo = w.asked(), &memo{}
	for _, k := range asked.constraints {
		if !w.final && slices.ContainsFunc(k.term.Args, varies) {
			return nil, false
		}
	}
	sets, some, err := spans.SetsOf(asked.boundsByColumn(), w.ctx)
	if err == nil && !some {
		sets = func(uint32) span.Set { return span.Set{} }
	}
	return sets, err == nil
}

// varies says whether an expression may have another value in another run.
func varies(e expr.Expr) bool {
	_, constant := e.(expr.Const)
	return !constant
}

// last is how many parts of a walk make spans: those behind the last one that conditions
// narrow bring nothing. Where partitions must be named, a walk that does not come through
// them brings nothing at all.
func (w *walk) last(stops []stop) int {
	n := len(stops)
	for n > 0 && !stops[n-1].narrowed {
		n--
	}
	if w.named && n > 0 {
		named := len(w.layout.Partition)
		if len(stops) < named || slices.ContainsFunc(stops[:named], func(s stop) bool { return s.interval }) {
			return 0
		}
		n = max(n, named)
	}
	parts := w.layout.Parts()
	for n > 0 && n < len(stops) && parts[n].Marker() != nil {
		n++ // behind the rows of a parent, it leaves out those of others
	}
	return n
}

// oneKey says whether every declared column of the key is bound to a single value that is
// not NULL.
func (w *walk) oneKey() bool {
	for _, id := range w.layout.Columns() {
		if s := w.shapeOf(id); s.points != 1 || s.null {
			return false
		}
	}
	return true
}

// decides says whether the spans, or skipping, leave nothing to be checked of what conditions say of a
// column. A text that holds it does not tell NULLs apart.
func (p *path) decides(id uint32, null bool) bool {
	if slices.Contains(p.skips, id) {
		return true
	}
	exact := false
	for _, s := range p.stops[:p.access.Parts] {
		if s.open {
			return false
		}
		exact = exact || slices.Contains(s.exact, id) && !(s.text && null)
	}
	return exact
}

package access

import (
	"slices"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// walk goes through the parts of a layout.
type walk struct {
	*chooser
	index  *catalog.Index // nil: the table itself
	layout *catalog.Layout
	named  bool     // the store keeps partitions in no order: each must be named
	points int      // the spans so far
	bound  []uint32 // columns that have one value in each span
}

// stop is what a walk found of one part.
type stop struct {
	points   int  // values that it is thought to have; 0: no single ones
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
func (w *walk) stop(i int, p catalog.Part) (stop, bool) {
	bound, points := w.bound, w.points
	s, ok := w.reach(i, p)
	if ok && s.points > 0 && !s.interval {
		if n := w.points * s.points; n <= max(maxPoints, w.points, s.points) {
			w.points = n
			return s, true
		}
	}
	w.bound, w.points = bound, points
	return s, ok && s.interval
}

// reach finds what is known of a part, and binds the columns that it binds.
func (w *walk) reach(i int, p catalog.Part) (stop, bool) {
	switch p.Kind {
	case part.Column:
		return w.column(i, p)
	case part.Shard:
		return w.shard(p), true
	case part.Bucket:
		return w.bucket(i, p)
	case part.Text:
		return w.text(i, p)
	}
	return stop{}, false
}

// take binds columns that conditions bind to points. It says how many together, and false
// if one has none.
func (w *walk) take(columns []uint32) (points int, ok bool) {
	points = 1
	for _, id := range columns {
		if slices.Contains(w.bound, id) {
			continue
		}
		s := w.shapeOf(id)
		if s.points == 0 {
			return 0, false
		}
		points *= s.points
	}
	w.bound = append(w.bound, columns...)
	return points, true
}

func (w *walk) column(i int, p catalog.Part) (stop, bool) {
	s := stop{columns: []uint32{p.Column}, exact: []uint32{p.Column}}
	if p.Count > 0 {
		return stop{points: p.Count}, true
	}
	if n, ok := w.take(s.columns); ok {
		s.points, s.narrowed, s.equal = n, true, 1
		return s, true
	}
	shape := w.shapeOf(p.Column)
	named := w.named && i < len(w.layout.Partition)
	switch s.weak = !shape.interval; {
	case s.weak && (named || !shape.weak):
		return s, false
	case named:
		return w.count(i, s)
	}
	s.interval, s.narrowed = true, true
	return s, true
}

func (w *walk) shard(p catalog.Part) stop {
	before := w.bound
	if n, ok := w.take(p.Of); ok && n < maxPoints {
		return stop{points: n, narrowed: true, columns: p.Of}
	}
	w.bound = before
	return stop{points: p.Count}
}

func (w *walk) bucket(i int, p catalog.Part) (stop, bool) {
	s := stop{columns: []uint32{p.Column}, narrowed: true}
	if n, ok := w.take(s.columns); ok {
		s.points = n
		return s, true
	}
	shape := w.shapeOf(p.Column)
	if !shape.interval {
		return s, false
	}
	if counted, ok := w.count(i, s); ok {
		counted.ranges = !w.named
		return counted, true
	}
	s.interval = true
	return s, !w.named
}

// text goes through the pieces of a text as through parts of a key. What is known of the
// first ones makes an interval of texts.
func (w *walk) text(i int, p catalog.Part) (stop, bool) {
	s := stop{points: 1, text: true}
	begin := s
	for _, piece := range p.Pieces {
		if !s.counted {
			begin = w.begins(s, piece)
		}
		if !w.piece(piece, &s) {
			return begin, begin.interval && !w.named
		}
	}
	if !s.counted {
		return s, true
	}
	if counted, ok := w.count(i, s); ok {
		return counted, true
	}
	return begin, begin.interval && !w.named
}

// begins is what is known of a text by the single values of its first pieces, and by an
// interval of the piece behind them, if texts of that are in the order of its values.
func (w *walk) begins(s stop, piece catalog.Part) stop {
	s.interval, s.exact = s.narrowed, nil
	if piece.Kind != part.Column || piece.Count > 0 {
		return s
	}
	shape := w.shapeOf(piece.Column)
	if kind := w.kindOf(piece.Column); shape.interval && (piece.Width > 0 || kind == types.KindText || kind == types.KindBpchar) {
		s.interval, s.narrowed = true, true
		s.columns = append(slices.Clip(s.columns), piece.Column)
	}
	return s
}

// piece adds what is known of a piece. It says false where that are no single values, nor
// an interval that can be counted out.
func (w *walk) piece(piece catalog.Part, s *stop) bool {
	columns := piece.Columns()
	switch {
	case piece.Kind == part.Literal:
		return true
	case piece.Kind == part.Shard:
		shard := w.shard(piece)
		s.points *= shard.points
		s.narrowed = s.narrowed || shard.narrowed
		s.columns = append(s.columns, shard.columns...)
		return true
	case piece.Count > 0 && piece.Kind == part.Column:
		s.points *= piece.Count
		return true
	}
	if n, ok := w.take(columns); ok {
		s.points *= n
		if piece.Kind == part.Column {
			s.equal++
		}
	} else if slices.ContainsFunc(columns, func(id uint32) bool { return !w.counts(id) }) {
		return false
	} else {
		s.counted = true
	}
	if piece.Keeps(w.scan.Table) {
		s.exact = append(s.exact, piece.Column)
	}
	s.columns, s.narrowed = append(s.columns, columns...), true
	return true
}

// counts says whether a column has single values, or an interval that may be counted out.
func (w *walk) counts(id uint32) bool {
	shape := w.shapeOf(id)
	return shape.points > 0 || shape.low && shape.high && w.countable(id)
}

// countable says whether an interval of a column may have few values, or touch few buckets.
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
	for _, id := range s.columns {
		if !w.counts(id) {
			return s, false
		}
	}
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

// constants are what bounds leave of columns, where nothing but constants is compared:
// what they are now they are whenever the plan runs.
func (w *walk) constants() (keys.Sets, bool) {
	asked := *w.chooser
	asked.constraints, asked.memo = w.asked(), &memo{}
	for _, k := range asked.constraints {
		if slices.ContainsFunc(k.term.Args, func(e expr.Expr) bool { _, ok := e.(expr.Const); return !ok }) {
			return nil, false
		}
	}
	sets, some, err := plan.SetsOf(asked.boundsByColumn(), w.ctx)
	if err == nil && !some {
		sets = func(uint32) span.Set { return span.Set{} }
	}
	return sets, err == nil
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
		return max(n, named)
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

package access

import (
	"slices"

	"zproxy/catalog"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// countOut says which parts intervals are counted out of: those up to the last one that
// needs it. Where all that is read is one interval of buckets, it stays one.
func (p *path) countOut() {
	a := &p.access
	a.Counted = 0
	for i, s := range p.stops[:a.Parts] {
		if s.counted && !p.oneRange(i) {
			a.Counted = i + 1
		}
	}
}

// maxStreams is how many streams are merged at most.
const maxStreams = 256

// order finds out whether a path brings the order that the statement would like: as it
// is read forward or in reverse, or as streams that are merged. Parts that have few values
// anyway may make streams, too.
func (c *chooser) order(p *path) {
	if len(c.scan.Order) == 0 || p.access.Box {
		return
	}
	w := &walk{chooser: c, index: p.index, layout: layoutOf(c.scan.Table, p.index), named: !c.store.OrderedPartitions}
	for n := p.access.Parts; n <= len(p.stops); n++ {
		if p.ordered(w, n, false) || p.ordered(w, n, true) {
			return
		}
	}
}

// ordered takes the order in which spans of the first n parts come in either direction,
// merged or not.
func (p *path) ordered(w *walk, n int, merged bool) bool {
	for _, reverse := range []bool{false, true} {
		merge, by, ok := w.inOrder(p.stops[:n], reverse)
		if !ok || merged != (merge > 0) {
			continue
		}
		// Where too many partitions are counted, all are read, in whatever order they are.
		// Merged, they are sorted then.
		if !merged && w.named && slices.ContainsFunc(p.stops[:n], func(s stop) bool { return s.open }) {
			continue
		}
		if n > p.access.Parts {
			p.keep(n, w)
		}
		p.access.Reverse, p.access.Ordered = reverse, true
		if merged {
			p.access.Merge = &plan.Merge{Parts: merge, By: by}
		}
		return true
	}
	return false
}

// inOrder says whether spans that some parts make come in the order asked for, in streams
// that the first so many parts tell apart; 0: in one. What streams are merged by, every
// entry must hold.
func (w *walk) inOrder(stops []stop, reverse bool) (merge int, by []plan.Order, ok bool) {
	parts := walkParts(w.layout)
	if w.named && len(stops) < len(w.layout.Partition) {
		return 0, nil, false
	}
	at, streams := 0, 1
	single := func(i int) bool { return i < len(stops) && stops[i].single() }
	split := func(i int) bool {
		if !single(i) {
			return false
		}
		if !w.sameInAll(parts[i]) {
			merge, streams = i+1, w.spans(stops[:i+1])
		}
		return streams <= maxStreams
	}
	for i, o := range w.scan.Order {
		id := w.scan.Table.Columns[o.Column].ID
		if w.oneValue(id) {
			continue
		}
		for at < len(parts) && !parts[at].Is(id) && !w.endsWith(parts[at], id) {
			if !w.keepsOrder(parts, at, single(at)) && !split(at) {
				return 0, nil, false
			}
			at++
		}
		if at == len(parts) {
			// rows are, in a stream
			distinct := w.layout.Distinct() && w.notNull() || !w.layout.Unique && len(w.layout.Tie) > 0
			rest := w.scan.Order[i:]
			return merge, append(by, rest...), distinct && (merge == 0 || w.held(rest))
		}
		if !w.sameWay(parts[at], o, reverse) && !split(at) {
			return 0, nil, false
		}
		by = append(by, o)
		at++
	}
	return merge, by, true
}

// endsWith says whether the texts that a part is come in the order of a column, since nothing else in them differs.
func (w *walk) endsWith(p catalog.Part, id uint32) bool {
	last, ok := p.Last(w.scan.Table, w.oneValue)
	return ok && last == id
}

// held says whether entries hold the columns of an order.
func (w *walk) held(order []plan.Order) bool {
	stored := w.scan.Table.StoredOrdinals(w.index)
	return !slices.ContainsFunc(order, func(o plan.Order) bool { return !slices.Contains(stored, o.Column) })
}

// single says whether a part has single values whenever the plan runs.
func (s stop) single() bool { return s.points > 0 && !s.interval && !s.open }

// keepsOrder says whether a part is a bucket of the column behind it: in the order of
// buckets, and in each in its own, that is in order.
func (w *walk) keepsOrder(parts []catalog.Part, at int, single bool) bool {
	p := parts[at]
	id, ok := p.Follows()
	return ok && at+1 < len(parts) && parts[at+1].Is(id) && !parts[at+1].Desc && !parts[at+1].NullsSwapped &&
		(single || !w.named)
}

// sameWay says whether the values of a part, read in a direction, come in an order.
func (w *walk) sameWay(p catalog.Part, o plan.Order, reverse bool) bool {
	return o.Desc == (p.Desc != reverse) &&
		(o.NullsFirst == (p.NullsFirst() != reverse) || w.scan.Table.Columns[o.Column].NotNull)
}

// sameInAll says whether a part has the same value in every span. That it has one value
// in each, since its column is bound before it, is not enough: where the part that binds
// the column is a hash or a bucket, spans that are alike in it differ in the column.
func (w *walk) sameInAll(p catalog.Part) bool {
	return !slices.ContainsFunc(p.Columns(), func(id uint32) bool { return !w.oneValue(id) })
}

// oneValue says whether a column is the same in every row.
func (w *walk) oneValue(id uint32) bool {
	s := w.shapeOf(id)
	return s.points == 1
}

func (w *walk) notNull() bool {
	return !slices.ContainsFunc(w.layout.Columns(), func(id uint32) bool {
		return !w.scan.Table.Columns[w.scan.Table.Ordinal(id)].NotNull
	})
}

// KeyOrders are the orders in which the layouts of a table have its rows: of each the columns of its key that a scan
// reads, by their ordinals there, up to the first that it does not read. Columns with one value are left out.
func KeyOrders(s plan.Scan, on Store, env *types.Env) [][]int {
	c := newChooser(s, on, expr.Beforehand(env))
	var out [][]int
	for _, x := range c.inKeyOrder() {
		out = append(out, c.keyOrder(x))
	}
	return out
}

func (c *chooser) keyOrder(x *catalog.Index) (out []int) {
	w := &walk{chooser: c, index: x, layout: layoutOf(c.scan.Table, x)}
	for _, id := range w.layout.Columns() {
		if w.oneValue(id) {
			continue
		}
		at := slices.Index(c.scan.Reads, c.scan.Table.Ordinal(id))
		if at < 0 {
			return out
		}
		out = append(out, at)
	}
	return out
}

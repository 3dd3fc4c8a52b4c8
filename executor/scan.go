package executor

import (
	"bytes"
	"math"
	"slices"

	"zproxy/encoding/keys"
	"zproxy/encoding/span"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// scan delivers the rows of a table along its access path: entries, those of them that
// pass the filter on entries, their rows where a lookup is needed, and of those the ones
// that pass the filter on rows.
func scan(f frame, n plan.Scan) Rows {
	if n.Lock {
		return lock(f, n)
	}
	r, err := newReader(f, n)
	if err != nil {
		return failed(err)
	}
	if r.need == 0 {
		return nothing
	}
	if n.Access.Keys != nil {
		return r.byKeys()
	}
	entries, err := r.entries()
	if err != nil {
		return failed(err)
	}
	return r.matching(entries)
}

// matching delivers the rows that entries stand for and that pass the filters.
func (r *reader) matching(entries Rows) Rows {
	a := r.scan.Access
	out := filter(r.frame, entries, r.entryFilter(), &r.profile.Removed)
	switch {
	case r.lookup:
		return filter(r.frame, r.lookUp(r.keyed(out), r.rowKey()), a.RowFilter, &r.profile.Removed)
	case a.EntryReads != nil:
		return r.widened(out)
	}
	return out
}

// reader is one run of a Scan.
type reader struct {
	frame
	scan    plan.Scan
	table   *table
	from    *layout // what is read first: the table or an index
	lookup  bool
	reads   []int // the columns of the entries, by their places in the table
	need    int64 // rows that are wanted
	profile *plan.NodeProfile
	// partition is the one that was read last.
	partition []byte
	exact     bool             // a box decides all that is in BoxFilter
	box       store.Skipper    // of a box
	sets      keys.Sets        // of a skip-scan
	skips     [2]store.Skipper // for ranges in a partition, and for those over partitions
	asked     []int            // columns of the store's, once they are known
	sorts     bool             // entries are put in order by what they hold
	tests     []store.Test     // of entries, for the store
}

func newReader(f frame, n plan.Scan) (*reader, error) {
	r := &reader{frame: f, scan: n, reads: n.Reads, profile: f.profile()}
	r.profile.Scans++
	var err error
	if r.table, err = f.env.Tables.of(n.Table); err != nil {
		return nil, err
	}
	a := n.Access
	if r.from, err = r.table.layoutOf(a.Index); err != nil {
		return nil, err
	}
	// A row that is to be written is always read from the table itself, which alone can
	// tell at commit whether it is still the same.
	r.lookup = a.Lookup || n.Write && a.Index != nil
	if a.EntryReads != nil {
		r.reads = a.EntryReads
	}
	r.need, err = wanted(a.Most, f.env.Expr)
	return r, err
}

// entries reads what the bounds leave of the layout.
func (r *reader) entries() (Rows, error) {
	if key, ok, err := r.point(); err != nil || ok {
		return r.points(key), err
	}
	a := r.scan.Access
	if a.Box {
		return r.boxes()
	}
	r.testEntries()
	of, ok, err := plan.SetsOf(a.Bounds, r.env.Expr)
	if err != nil || !ok {
		return nothing, err
	}
	if a.Skip > 0 {
		r.sets = of
	}
	spans, err := a.Spans(r.from.codec, of, r.env.Expr)
	if err != nil {
		return nil, err
	}
	if a.Merge != nil {
		return r.merged(a.Merge, spans), nil
	}
	return r.inTurn(r.rangesOf(spans), r.pointwise(spans)), nil
}

// boxes reads what is in a box, or in any of several. Where no cell at a boundary holds a value
// outside of the bounds, nothing about these is left to be checked.
func (r *reader) boxes() (Rows, error) {
	boxes, ok, err := r.scan.Access.Boxes(r.from.codec, r.env.Expr)
	if err != nil || !ok {
		return nothing, err
	}
	r.exact, r.box = boxes.Exact, boxes.Skip
	r.testEntries()
	return r.ranges(r.boxRanges(&boxes)), nil
}

// boxRanges are the ranges to read of boxes. Where each jump to a wanted key would be a request
// that is waited for, they leave few keys to jump over.
func (r *reader) boxRanges(b *keys.Boxes) []store.Range {
	if !r.env.Store.RangeRequests {
		return b.Ranges
	}
	entries, wanted := r.table.RowCount(), 0.0
	if z := r.scan.Access.Estimate.ZOrder; z != nil {
		entries, wanted = z.N, z.V
	}
	return b.Covered(b.Cover(keys.CoverOptions(r.table.Table, r.from.index, r.env.Store, entries, wanted)))
}

// entryFilter is what entries are checked for.
func (r *reader) entryFilter() []expr.Expr {
	a := r.scan.Access
	if len(a.BoxFilter) == 0 || r.exact {
		return a.EntryFilter
	}
	return slices.Concat(a.EntryFilter, a.BoxFilter)
}

// inTurn reads ranges one after the other, in one step where each is a whole key.
func (r *reader) inTurn(ranges []store.Range, points bool) Rows {
	if points {
		return r.points(pointKeys(ranges))
	}
	if r.env.ReadsAll != nil && len(ranges) == 1 && ranges[0].Whole() {
		if a := r.scan.Access; !a.ReadsAll() && !a.Partial() && a.Skip == 0 {
			if err := r.env.ReadsAll(r.scan); err != nil {
				return failed(err)
			}
		}
	}
	return r.ranges(ranges)
}

// rangesOf are the ranges of spans, in the order in which they are to be read.
func (r *reader) rangesOf(spans []span.Span) []store.Range {
	ranges := r.from.codec.Ranges(spans, r.env.Store.OrderedPartitions)
	if r.scan.Access.Reverse {
		slices.Reverse(ranges)
	}
	return ranges
}

// ranges reads ranges in their order. Where all that is read is wanted, no more is asked
// for than is needed. A consumer that goes on behind that has met entries of rows that
// are gone, and gets the rest after all.
func (r *reader) ranges(ranges []store.Range) Rows {
	if n := r.parallel(); n > 1 && len(ranges) > 1 {
		return r.concatenated(ranges, n)
	}
	return r.sequence(ranges, r.enough())
}

// sequence reads one range after the other; enough is how many entries of them all will
// probably do, 0 when that is unknown.
func (r *reader) sequence(ranges []store.Range, enough int) Rows {
	return func(yield func(*types.Batch, error) bool) {
		got := 0
		for _, g := range ranges {
			for batch, err := range r.read(g, more(enough, got)) {
				if err == nil {
					got += batch.Len()
				}
				if !yield(batch, err) || err != nil {
					return
				}
			}
		}
	}
}

// more is how many entries will probably do when some were read: what is left of enough,
// or as many again.
func more(enough, got int) int {
	switch {
	case enough == 0:
		return 0
	case got < enough:
		return enough - got
	}
	return got
}

// enough is how many entries will probably do, 0 when that cannot be said, or where to read a batch
// of them costs less than to read it in parts.
func (r *reader) enough() int {
	switch {
	case !r.few():
		return 0
	case r.env.Store.RangeRequests:
		return int(min(math.Ceil(float64(r.need)*r.drops()), math.MaxInt32))
	case r.filters(), r.lookup && r.need > plan.LookupBatch:
		return 0
	}
	return int(r.need)
}

// filters says whether conditions drop entries, or rows that are looked up.
func (r *reader) filters() bool { return len(r.entryFilter())+len(r.scan.Access.RowFilter) > 0 }

// drops is how many entries probably come for each row that passes the filters, at least as many as a
// request is worth for all rows together. Those that the store drops do not come.
func (r *reader) drops() float64 {
	if len(r.tests) > 0 {
		return 1
	}
	return r.perRow()
}

// perRow is how many entries are probably read for each row that passes the filters, at least as many as a
// request is worth for all rows together. It is the planner's guess, but for the entries outside of a box, which
// the store is not asked for.
func (r *reader) perRow() float64 {
	if !r.filters() {
		return 1
	}
	e := r.scan.Access.Estimate
	read := e.Rows / math.Max(e.Waste, 1)
	return max(1, read/math.Max(e.Matches, 1), r.env.Store.RangePrice/math.Max(float64(r.need), 1))
}

// few says whether not all rows are wanted.
func (r *reader) few() bool { return r.need <= math.MaxInt32 }

// read reads one range.
func (r *reader) read(g store.Range, enough int) Rows {
	request := r.request(g, enough)
	return func(yield func(*types.Batch, error) bool) {
		r.countRange(g)
		r.batches(&request)(yield)
	}
}

func (r *reader) request(g store.Range, enough int) store.Scan {
	each := 0.0
	if enough > 0 && len(r.tests) > 0 {
		each = r.perRow()
	}
	return store.Scan{
		Range: g, Columns: r.columns(), Reverse: r.scan.Access.Reverse, Enough: enough, Skip: r.skipper(g), Filter: r.tests, Each: each,
		Remember: r.scan.Write && !r.lookup, Stats: &r.profile.Stats,
	}
}

// skipper knows which keys of a range are wanted, nil where all are.
func (r *reader) skipper(g store.Range) store.Skipper {
	if r.sets == nil {
		return r.box
	}
	whole := 0
	if g.Partition == nil {
		whole = 1
	}
	if r.skips[whole] == nil {
		r.skips[whole] = r.from.codec.Skipper(r.scan.Access.Skip, r.sets, whole == 1)
	}
	return r.skips[whole]
}

// columns are those that the store is asked for. What only conditions read that the ranges
// decide is left out.
func (r *reader) columns() []int {
	if r.asked != nil {
		return r.asked
	}
	out := r.from.columns(r.reads)
	if r.lookup || len(r.scan.Aside) == 0 || r.sorts {
		return out
	}
	out = slices.Clone(out)
	read := map[int]bool{}
	for _, cond := range r.entryFilter() {
		expr.Columns(cond, read)
	}
	for at, column := range r.reads {
		place := at
		if r.scan.Access.EntryReads != nil {
			place = slices.Index(r.scan.Reads, column)
		}
		if slices.Contains(r.scan.Aside, place) && !read[at] {
			out[at] = store.NoColumn
		}
	}
	r.asked = out
	return out
}

// countRange counts a range, and its partition where that is another than before.
func (r *reader) countRange(g store.Range) {
	r.profile.Ranges++
	r.profile.AtOnce = max(r.profile.AtOnce, 1)
	if g.Partition != nil && (r.partition == nil || !bytes.Equal(g.Partition, r.partition)) {
		r.profile.Partitions++
		r.partition = g.Partition
	}
}

// batches are the answer of the store.
func (r *reader) batches(request *store.Scan) Rows {
	return func(yield func(*types.Batch, error) bool) {
		before := r.profile.Stats
		left := r.profile.Stats.Filtered
		defer func() { r.profile.Removed += r.profile.Stats.Filtered - left }()
		for batch, err := range r.env.Txn.Scan(r.ctx, r.from.space, request) {
			if err != nil {
				err = r.storeError(err, "scan", r.from.space.Name)
			} else if err = r.canceled(); err == nil {
				err = r.examined(&before)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(batch, nil) {
				return
			}
			before = r.profile.Stats
		}
		if err := r.examined(&before); err != nil { // behind the last batch
			yield(nil, err)
		}
	}
}

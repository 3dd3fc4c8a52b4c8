package executor

import (
	"bytes"
	"math"
	"slices"

	"zproxy/store"
	"zproxy/types"
)

// sequentially reads ranges one after the other, in one step where each is a whole key.
func (r *reader) sequentially(ranges []store.Range, points bool) Rows {
	if !points && r.env.part != nil {
		return r.sequence([]store.Range{*r.env.part}, 0)
	}
	return eachRange(r, ranges, points)
}

// eachRange is sequentially of what is not divided among workers.
func eachRange(r *reader, ranges []store.Range, points bool) Rows {
	if points {
		return r.points(pointKeys(ranges))
	}
	ranges = r.marks.rest(ranges, r.env.Store.OrderedPartitions)
	if err := askForAll(r, ranges); err != nil {
		return failed(err)
	}
	if len(ranges) == 1 && ranges[0].Whole() && r.skip == nil && r.scan.Access.Each.Count == 0 &&
		r.scan.Table.Foreign == nil {
		if r.env.parts != nil {
			ranges = r.env.parts
		} else if n := r.segments(); n > 1 {
			ranges = store.Range{}.Segmented(n)
		}
	}
	return r.ranges(ranges)
}

// askForAll asks whether a table may be read as a whole, if these ranges do and the path does not say so.
func askForAll(r *reader, ranges []store.Range) error {
	a := r.scan.Access
	if r.env.ReadsAll == nil || len(ranges) != 1 || !ranges[0].Whole() || a.ReadsAll() || a.Partial() || r.skip != nil {
		return nil
	}
	return r.env.ReadsAll(r.scan)
}

// segments is in how many parts a whole space is read at once: about as many as it has pages, so that they take hardly
// more requests, within what the session allows; below 2: as one.
func (r *reader) segments() int {
	t := r.scan.Table
	if r.few() || !t.Stats.Known {
		return 0
	}
	pages := t.Stats.Rows * t.EntryBytes(r.from.index) / store.PageBytes
	if pages < 1 {
		return 0
	}
	return min(int(math.Min(pages*unevenSegments, math.MaxInt16)), r.env.Store.Segments, r.parallel())
}

// unevenSegments is how much more segments there are than pages, since one that is slightly larger than a page takes
// two requests.
const unevenSegments = 1.25

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
	if isOne(r, ranges, enough) {
		return readAsOne(r, ranges)
	}
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

// isOne says whether ranges can be read by one scan, and may: to read them one by one reads no more than is wanted.
func isOne(r *reader, ranges []store.Range, enough int) bool {
	a := r.scan.Access
	if len(ranges) < 2 || enough > 0 || a.Reverse || a.Each.Count > 0 || r.skip != nil || r.marks.wanted() {
		return false
	}
	return r.env.Store.OrderedPartitions && r.scan.Table.Foreign == nil && r.env.sharing[a] == nil &&
		!slices.ContainsFunc(ranges, func(g store.Range) bool { return g.Partition == nil })
}

// readAsOne reads ranges by one scan.
func readAsOne(r *reader, ranges []store.Range) Rows {
	request := r.request(ranges[0], 0)
	request.Late, request.Many = lateOf(r), len(ranges)
	return func(yield func(*types.Batch, error) bool) {
		left := ranges
		next := func() (then store.Range, more bool) {
			if len(left) == 0 {
				return then, false
			}
			then, left = left[0], left[1:]
			r.countRange(then)
			return then, true
		}
		request.Range, _ = next()
		request.Then = next
		r.batches(&request)(yield)
	}
}

// read reads one range.
func (r *reader) read(g store.Range, enough int) Rows {
	if r.scan.Access.Each.Count > 0 {
		return prefixReader{r, r.scan.Access.Each.Of, r.scan.Access.Each.Count}.read(g)
	}
	request := r.request(g, enough)
	request.Late = lateOf(r)
	return func(yield func(*types.Batch, error) bool) {
		r.countRange(g)
		r.batches(&request)(yield)
	}
}

func (r *reader) request(g store.Range, enough int) store.Scan {
	request := store.Scan{
		Range: g, After: r.marks.after, Columns: r.marks.columns(r.columns()), Reverse: r.scan.Access.Reverse, Enough: enough,
		Skip: r.profiled(r.skipper(g), g), Filter: r.tests,
		Shared: r.sharedPage(g.Partition), Remember: r.remembers(), At: r.env.before,
		Stats: &r.profile.Stats,
	}
	if enough > 0 && len(r.tests) > 0 {
		request.Each = r.perRow()
	}
	return request
}

// skipper knows which keys of a range are wanted, nil where all are.
func (r *reader) skipper(g store.Range) store.Skipper {
	if r.skip == nil {
		return nil
	}
	whole := 0
	if g.Partition == nil {
		whole = 1
	}
	if r.skips[whole] == nil {
		r.skips[whole] = r.skip(whole == 1)
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
	if r.looksUp() || len(r.scan.Aside) == 0 {
		return out
	}
	out = slices.Clone(out)
	read := readBy(r.filter)
	for at, column := range r.reads {
		ordinal := at
		if r.scan.Access.Entries().Reads != nil {
			ordinal = slices.Index(r.scan.Reads, column)
		}
		if slices.Contains(r.scan.Aside, ordinal) && !read[at] {
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
		put := r.marks.ofScan(request)
		for batch, err := range r.env.Txn.Scan(r.ctx, r.from.space, request) {
			if err != nil {
				if r.first == nil || err != r.first.failed {
					err = r.storeError(err, "scan", r.from.space.Name)
				}
			} else if err = r.canceled(); err == nil {
				err = r.examined(&before, nil)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			put(batch)
			if !yield(batch, nil) {
				return
			}
			before = r.profile.Stats
		}
		if err := r.examined(&before, nil); err != nil { // behind the last batch
			yield(nil, err)
		}
	}
}

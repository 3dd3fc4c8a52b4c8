package executor

import (
	"math"
	"slices"

	"zproxy/encoding/keys"
	"zproxy/encoding/span"
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
	entries, err := r.entries()
	if err != nil {
		return failed(err)
	}
	return r.matching(entries)
}

// matching delivers the rows that entries stand for and that pass the filters.
func (r *reader) matching(entries Rows) Rows {
	a := r.scan.Access
	out := filter(r.frame, entries, a.EntryFilter, &r.profile.Removed)
	if r.lookup {
		out = filter(r.frame, r.lookUp(out), a.RowFilter, &r.profile.Removed)
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
	if a.Lookup {
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
	of, ok, err := r.sets()
	if err != nil || !ok {
		return nothing, err
	}
	if r.scan.Access.Box {
		boxes, skip, ok := r.from.codec.Box(of)
		if !ok {
			return nothing, nil
		}
		return r.ranges(boxes, skip), nil
	}
	ranges, points, err := r.spans(of)
	if err != nil {
		return nil, err
	}
	if r.scan.Access.Reverse {
		slices.Reverse(ranges)
	}
	if points {
		return r.points(pointKeys(ranges)), nil
	}
	return r.ranges(ranges, nil), nil
}

// sets is what the bounds leave of each column. It says false when that is nothing.
func (r *reader) sets() (keys.Sets, bool, error) {
	bounds := r.scan.Access.Bounds
	sets := make([]span.Set, len(bounds))
	for i, b := range bounds {
		var err error
		if sets[i], err = b.Set(r.env.Expr); err != nil || sets[i].Empty() {
			return nil, false, err
		}
	}
	return func(column uint32) span.Set {
		if i := slices.IndexFunc(bounds, func(b plan.Bound) bool { return b.Column == column }); i >= 0 {
			return sets[i]
		}
		return span.Everything
	}, true, nil
}

// spans are the ranges of a layout that hold some values of its columns, in their order,
// and whether each is one whole key.
func (r *reader) spans(of keys.Sets) ([]store.Range, bool, error) {
	spans, err := r.scan.Access.Spans(r.from.codec, of, r.env.Expr)
	if err != nil {
		return nil, false, err
	}
	return r.from.codec.Ranges(spans, r.env.Store.OrderedPartitions), r.pointwise(spans), nil
}

// ranges reads ranges in their order. Where all that is read is wanted, no more is asked
// for than is needed. A consumer that goes on behind that has met entries of rows that
// are gone, and the rest is read after all.
func (r *reader) ranges(ranges []store.Range, skip store.Skipper) Rows {
	return func(yield func(*types.Batch, error) bool) {
		left := r.entryLimit(skip)
		got := 0
		deliver := func(in Rows) bool {
			for batch, err := range in {
				if err == nil {
					got += batch.Len()
				}
				if !yield(batch, err) || err != nil {
					return false
				}
			}
			return true
		}
		for _, g := range ranges {
			got = 0
			if !deliver(r.read(g, skip, left)) {
				return
			}
			if left == 0 {
				continue
			}
			left -= got
			if left == 0 && !deliver(limit(r.read(g, skip, 0), int64(got), math.MaxInt64)) {
				return
			}
		}
	}
}

// entryLimit is how many entries are needed at the most, 0 when that cannot be said.
func (r *reader) entryLimit(skip store.Skipper) int {
	a := r.scan.Access
	switch {
	case r.need > math.MaxInt32, skip != nil, len(a.EntryFilter) > 0:
		return 0
	case r.lookup && (r.need > plan.LookupBatch || len(a.RowFilter) > 0):
		return 0
	}
	return int(r.need)
}

// read reads one range; limit 0 is all of it.
func (r *reader) read(g store.Range, skip store.Skipper, limit int) Rows {
	request := store.Scan{
		Range: g, Columns: r.from.columns(r.reads), Reverse: r.scan.Access.Reverse, Limit: limit, Skip: skip,
		Remember: r.scan.Write && !r.lookup, Stats: &r.profile.Stats,
	}
	return func(yield func(*types.Batch, error) bool) {
		r.profile.Ranges++
		for batch, err := range r.env.Txn.Scan(r.ctx, r.from.space, &request) {
			if err != nil {
				err = r.storeError(err, "scan", r.from.space.Name)
			} else {
				err = r.canceled()
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(batch, nil) {
				return
			}
		}
	}
}

package executor

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// mostAtOnce is for how many left rows partners are read at once, where ranges of keys can be read by one scan: it
// begins with few, since no more may be wanted.
const mostAtOnce = 16 * plan.LookupBatch

// lookup reads the partners of many left rows at once through an index of the right table,
// and joins them by their keys.
func (j *joiner) lookup() error {
	scan, ok := j.Right.(plan.Scan)
	if !ok || j.keepsRight() || j.Method.BuildLeft {
		return fmt.Errorf("a join of kind %d with %T cannot look rows up", j.Kind, j.Right)
	}
	size, most := plan.LookupBatch, plan.LookupBatch
	if _, box := scan.Access.Path.(plan.Box); box {
		size, most = 1, 1 // boxes that overlap would deliver a row twice
	} else if j.env.Store.OrderedPartitions {
		most = mostAtOnce
	}
	held := j.hold()
	defer held.release()
	kept := slab{width: j.left}
	var rows []types.Row
	flush := func() error {
		bytes, err := j.lookUpAll(scan, rows)
		rows, kept = rows[:0], slab{width: j.left}
		held.release()
		switch m := j.workMemory(); {
		case bytes > m:
			size = max(size/2, 1)
		case bytes < m/4:
			size = min(2*size, most)
		}
		return err
	}
	err := j.frame.each(j.input(j.Left), func(row types.Row) error {
		rows = append(rows, kept.keep(row))
		if err := held.addRow(row); err != nil || len(rows) < size && held.bytes < j.workMemory() {
			return err
		}
		return flush()
	})
	if err != nil || len(rows) == 0 {
		return err
	}
	return flush()
}

// lookUpAll joins some left rows, hands on what comes of it, and says how many bytes their partners had.
func (j *joiner) lookUpAll(scan plan.Scan, rows []types.Row) (int64, error) {
	h := newHashJoin(j)
	defer h.table.held.release()
	f := j.below(j.Left)
	for batch, err := range f.profileRows(j.partners(f, scan, rows)) {
		if err == nil {
			err = h.table.addAll(batch)
		}
		if err == nil {
			err = j.canceled()
		}
		if err != nil {
			return 0, err
		}
	}
	if err := h.table.link(j.ctx, 1); err != nil {
		return 0, err
	}
	for _, row := range rows {
		matched, err := h.try(row)
		if err != nil {
			return 0, err
		}
		if err := h.probed(row, matched); err != nil {
			return 0, err
		}
	}
	if j.batch.Len() == 0 {
		return h.table.held.bytes, nil
	}
	return h.table.held.bytes, j.flush()
}

// partners reads the rows of the right side that the bounds leave for some left rows.
func (j *joiner) partners(f frame, scan plan.Scan, rows []types.Row) Rows {
	r, err := newReader(f, scan)
	if err != nil {
		return failed(err)
	}
	entries, err := r.entriesFor(rows, j.set)
	if err != nil {
		return failed(err)
	}
	return r.matching(entries)
}

// set puts the values of a left row that the bounds of the right side read in their places.
func (j *joiner) set(row types.Row) error { return j.setSlots(j.Method.Slots, row) }

// entriesFor reads what the bounds leave of the layout for any of some rows, each entry
// once.
func (r *reader) entriesFor(rows []types.Row, set func(types.Row) error) (Rows, error) {
	path, ok := r.scan.Access.Spans()
	of := spanReader{r, path}
	var all []store.Range
	points := true
	for _, row := range rows {
		if err := set(row); err != nil {
			return nil, err
		}
		if !ok { // a box, for the only row
			return r.entries()
		}
		spans, sets, err := of.spans()
		if err != nil {
			return nil, err
		}
		if sets == nil {
			continue
		}
		all, points = append(all, of.rangesOf(spans)...), points && of.pointwise(spans)
	}
	return eachRange(r, union(all), points), nil
}

// union is ranges that hold the same keys as others and do not overlap, in key order.
func union(all []store.Range) []store.Range {
	if slices.ContainsFunc(all, store.Range.Whole) {
		return []store.Range{{}}
	}
	slices.SortFunc(all, func(a, b store.Range) int {
		return cmp.Or(bytes.Compare(a.Partition, b.Partition), bytes.Compare(a.From, b.From))
	})
	var out []store.Range
	for _, g := range all {
		last := len(out) - 1
		switch {
		case last < 0 || !bytes.Equal(out[last].Partition, g.Partition):
			out = append(out, g)
		case out[last].To != nil && bytes.Compare(out[last].To, g.From) <= 0:
			out = append(out, g)
		case out[last].To == nil:
		case g.To == nil || bytes.Compare(out[last].To, g.To) < 0:
			out[last].To = g.To
		}
	}
	return out
}

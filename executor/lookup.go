package executor

import (
	"slices"

	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// lookUp delivers the rows that entries belong to, whose keys keyOf makes, in their order. It looks
// up as many at once as are wanted, then more, should some be dropped. An entry whose row
// is not there is left out: where reads do not see one state, the row was deleted in
// between.
func (r *reader) lookUp(entries Rows, keyOf func(types.Row) store.Key) Rows {
	return func(yield func(*types.Batch, error) bool) {
		rows := r.table.rows
		get := &store.Get{Columns: r.scan.Reads, Remember: r.scan.Write, Stats: &r.profile.Stats}
		v := r.verifier()
		var stands func(int, types.Row) bool
		if v != nil {
			get.Columns, stands = v.columns, v.stands
		}
		out := types.NewBatch(len(get.Columns))
		size := int(min(r.need, plan.LookupBatch))
		asked := int64(0)
		flush := func() bool {
			r.profile.Lookups += int64(len(get.Keys))
			r.profile.Missing += int64(len(get.Keys))
			more := r.fetch(out, rows, get, stands, func(batch *types.Batch, err error) bool {
				if err == nil {
					r.profile.Missing -= int64(batch.Len())
				}
				if err == nil && v != nil {
					batch = v.wanted(batch)
				}
				return yield(batch, err)
			})
			get.Keys = get.Keys[:0]
			if v != nil {
				v.keys = v.keys[:0]
			}
			size = min(2*size, plan.LookupBatch)
			return more
		}
		for batch, err := range entries {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range batch.Len() {
				get.Keys = append(get.Keys, keyOf(batch.Row(i)))
				if v != nil {
					v.note(batch.Row(i))
				}
				asked++
				if (len(get.Keys) == size || asked == r.need) && !flush() {
					return
				}
			}
		}
		if len(get.Keys) > 0 {
			flush()
		}
	}
}

// rowKey makes the keys of rows from what the entries hold of them.
func (r *reader) rowKey() func(types.Row) store.Key {
	row := make(types.Row, len(r.table.Columns))
	return func(entry types.Row) store.Key {
		for at, v := range entry {
			row[r.reads[at]] = v
		}
		return r.table.rows.codec.Key(row)
	}
}

// widened delivers entries as rows of the scan, with NULL in the columns that they lack: nobody
// reads those.
func (r *reader) widened(entries Rows) Rows {
	return func(yield func(*types.Batch, error) bool) {
		place := make([]int, len(r.reads))
		for i, column := range r.reads {
			place[i] = slices.Index(r.scan.Reads, column)
		}
		out := types.NewBatch(len(r.scan.Reads))
		for batch, err := range entries {
			out.Reset(len(r.scan.Reads))
			for i := 0; err == nil && i < batch.Len(); i++ {
				row := out.Add()
				clear(row)
				for at, v := range batch.Row(i) {
					row[place[at]] = v
				}
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

package executor

import (
	"slices"

	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// lookup fetches the rows that entries belong to.
type lookup struct{ *reader }

// rows delivers the rows of entries that have their primary keys.
func (r lookup) rows(entries Rows) Rows { return r.at(r.keyed(entries), r.rowKey()) }

// at delivers the rows that entries belong to, whose keys keyOf makes, in their order. It looks
// up as many at once as are wanted, then more, should some be dropped. An entry whose row
// is not there is left out: where reads do not see one state, the row was deleted in
// between.
func (r lookup) at(entries Rows, keyOf func(types.Row) store.Key) Rows {
	return func(yield func(*types.Batch, error) bool) {
		if r.marks.wanted() { // the reader of the entries has marks of its own
			own := *r.reader
			own.marks.fetched, r.reader = nil, &own
		}
		rows := r.table.rows
		get := &store.Get{Columns: r.marks.columns(r.scan.Reads), Remember: r.keeps(), At: r.env.before,
			Stats: &r.profile.Stats}
		v := r.verifier()
		var stands func(int, types.Row) bool
		if v != nil {
			get.Columns, stands = r.marks.columns(v.columns), v.stands
		}
		out := types.NewBatch(len(get.Columns))
		most := r.mostLookups()
		size := int(min(r.need, int64(most)))
		if r.env.Store.OrderedPartitions {
			size = min(size, plan.LookupBatch)
		}
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
			get.Keys, r.marks.fetched = get.Keys[:0], r.marks.fetched[:0]
			if v != nil {
				v.keys = v.keys[:0]
			}
			size = min(2*size, most)
			return more
		}
		for batch, err := range entries {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range batch.Len() {
				entry := r.marks.ofEntry(batch.Row(i))
				get.Keys = append(get.Keys, keyOf(entry))
				if v != nil {
					v.note(entry)
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

// batchesAtOnce bounds the rows that are in memory while they are looked up.
const batchesAtOnce = 4

// mostLookups is how many rows are looked up in one step: several batches where a store that takes
// its time asks for them together.
func (r lookup) mostLookups() int {
	if !r.env.Store.OrderedPartitions {
		return plan.LookupBatch * min(r.parallel(), batchesAtOnce)
	}
	fit := lookupBytes / max(r.scan.Table.EntryBytes(nil), 1)
	return int(min(max(fit, plan.LookupBatch), mostAtOnce))
}

// lookupBytes bounds the same where many are looked up at once since they are found on one way through the table.
const lookupBytes = 4 << 20

// keyed passes on entries, in which the primary key must be there: without it no row would be
// found, and none missed.
func (r lookup) keyed(entries Rows) Rows {
	key := r.table.KeyOrdinals()
	var ordinals []int
	for at, c := range r.reads {
		if slices.Contains(key, c) {
			ordinals = append(ordinals, at)
		}
	}
	return func(yield func(*types.Batch, error) bool) {
		for batch, err := range entries {
			for i := 0; err == nil && i < batch.Len(); i++ {
				if row := batch.Row(i); slices.ContainsFunc(ordinals, func(at int) bool { return row[at].IsNull() }) {
					err = sqlerr.New(sqlerr.DataCorrupted, "an entry of index \"%s\" lacks the primary key of its row",
						r.from.name)
				}
			}
			if !yield(batch, err) || err != nil {
				return
			}
		}
	}
}

// rowKey makes the keys of rows from what the entries hold of them.
func (r lookup) rowKey() func(types.Row) store.Key {
	row := make(types.Row, len(r.table.Columns))
	return func(entry types.Row) store.Key {
		for at, v := range entry {
			row[r.reads[at]] = v
		}
		return r.table.rows.codec.Key(row)
	}
}

// inPieces delivers rows in batches of the usual size.
func inPieces(rows *types.Batch, yield func(*types.Batch, error) bool) bool {
	if rows.Len() <= types.BatchRows {
		return rows.Len() == 0 || yield(rows, nil)
	}
	piece := types.NewBatch(rows.Width())
	for i := range rows.Len() {
		piece.Append(rows.Row(i))
		if !piece.Full() && i+1 < rows.Len() {
			continue
		}
		if !yield(piece, nil) {
			return false
		}
		piece.Reset(rows.Width())
	}
	return true
}

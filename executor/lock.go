package executor

import (
	"slices"

	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// lock delivers the rows of a scan and guards them.
func lock(f frame, n plan.Scan) Rows {
	wide := wholeRows(n)
	return guarded(f, n, wide, scan(f, wide))
}

// guarded delivers the rows of a scan, which are read as whole rows, and guards them: each
// is written back as it is, so that the commit fails when another transaction has written
// it meanwhile.
func guarded(f frame, n, wide plan.Scan, in Rows) Rows {
	t, err := f.env.Tables.of(n.Table)
	if err != nil {
		return failed(err)
	}
	width := len(n.Reads)
	item := store.Item{Values: make([]types.Value, len(n.Table.Columns))}
	return func(yield func(*types.Batch, error) bool) {
		out := types.NewBatch(width)
		for batch, err := range in {
			out.Reset(width)
			for i := 0; err == nil && i < batch.Len(); i++ {
				row := batch.Row(i)
				for at, c := range wide.Reads {
					item.Values[c] = row[at]
				}
				item.Key = t.rows.codec.Key(item.Values)
				if err = f.putItem(t.rows, item, store.Unchanged); err != nil {
					err = f.storeError(err, "put into", t.rows.space.Name)
				}
				out.Append(row[:width])
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(out, nil) {
				return
			}
		}
	}
}

// wholeRows is a scan that reads all columns, first those of another scan. What an index
// alone would have answered is looked up in the table.
func wholeRows(n plan.Scan) plan.Scan {
	a := *n.Access
	if entries := a.Entries(); entries.Index != nil && a.Lookup == nil {
		entries.Reads = joined(n.Reads, n.Table.KeyOrdinals())
		a = a.WithEntries(entries)
		a.Lookup = &plan.Lookups{}
	}
	n.Reads, n.Access, n.Lock, n.Write = joined(n.Reads, n.Table.StoredOrdinals(nil)), &a, false, true
	return n
}

// joined is a list with those of others that it lacks behind it.
func joined(list, others []int) []int {
	out := slices.Clone(list)
	for _, x := range others {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

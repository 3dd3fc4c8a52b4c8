package executor

import (
	"slices"

	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/store"
	"zproxy/types"
)

// scan delivers the rows of a table along its access path: entries, those of them that
// pass the filter on entries, their rows where a lookup is needed, and of those the ones
// that pass the filter on rows.
func scan(f frame, n plan.Scan) Rows {
	r, err := newReader(f, n)
	if err != nil {
		return failed(err)
	}
	if r.need == 0 {
		return nothing
	}
	if keys, ok := n.Access.Keys(); ok {
		return r.byKeys(keys)
	}
	if p, ok := n.Access.Path.(plan.Elements); ok {
		return elementsReader{r, p}.keys()
	}
	r.first = &earlyTests{}
	entries, err := r.entries()
	if err != nil {
		return failed(err)
	}
	return r.matching(entries)
}

// seen lets Saw know of the rows of a scan, if that is set.
func (f frame) seen(n plan.Scan, in Rows) Rows {
	if f.env.Saw == nil {
		return in
	}
	return f.counted(n, in)
}

// counted calls Saw when the rows of a scan have been read to their end.
func (f frame) counted(n plan.Scan, in Rows) Rows {
	return func(yield func(*types.Batch, error) bool) {
		rows, early := int64(0), f.profile().Early
		for batch, err := range in {
			if err == nil {
				rows += int64(batch.Len())
			}
			if !yield(batch, err) || err != nil {
				return
			}
		}
		f.env.Saw(n, rows+f.profile().Early-early)
	}
}

// reader is one run of a Scan: what it reads of which space, for whom. There is a type for each kind of
// path that says which keys are read: pointReader, spanReader, boxReader, and mergeReader for spans in an
// order. Each makes of its bounds what the reader reads: whole keys, or ranges with a skipper.
type reader struct {
	frame
	scan    plan.Scan
	table   *table
	from    *layout // what is read first: the table or an index
	reads   []int   // the columns of the entries, by their ordinals in the table
	need    int64   // rows that are wanted
	profile *plan.NodeProfile

	filter []expr.Expr  // what entries are checked for
	first  *earlyTests  // the same, for a store that makes other columns later; nil: what comes is not checked for them
	tests  []store.Test // of entries, for the store
	asked  []int        // columns of the store's, once they are known
	// skip makes what knows which keys are wanted, in a partition or over all of them; nil: all keys are.
	skip  func(whole bool) store.Skipper
	skips [2]store.Skipper
	// partition is the one that was read last.
	partition []byte
	marks     marks
}

func newReader(f frame, n plan.Scan) (*reader, error) {
	entries := n.Access.Entries()
	r := &reader{frame: f, scan: n, reads: n.Reads, filter: entries.Filter, profile: f.profile(),
		marks: marksOf(f.env, n)}
	r.profile.Scans++
	var err error
	if r.table, err = f.env.Tables.of(n.Table); err != nil {
		return nil, err
	}
	if r.from, err = r.table.layoutOf(entries.Index); err != nil {
		return nil, err
	}
	if entries.Reads != nil {
		r.reads = entries.Reads
	}
	if n.Access.Most != nil {
		r.from.reads.count(n.Access.Reverse)
	}
	r.need, err = wanted(n.Access.Most, f.env.Expr)
	return r, err
}

// entries reads what the path leaves of a space.
func (r *reader) entries() (Rows, error) {
	switch p := r.scan.Access.Path.(type) {
	case plan.Point:
		return pointReader{r}.entries(p)
	case plan.Box:
		return boxReader{r}.entries(p)
	}
	spans, _ := r.scan.Access.Spans()
	return spanReader{r, spans}.entries()
}

// matching delivers the rows that entries stand for and that pass the filters.
func (r *reader) matching(entries Rows) Rows {
	out := filter(r.frame, entries, r.filter, &r.profile.Removed)
	switch {
	case r.looksUp():
		rows := lookup{r}.rows(out)
		return filter(r.frame, rows, r.scan.Access.RowFilter(), &r.profile.Removed)
	case r.scan.Access.Entries().Reads != nil:
		return r.padded(out)
	}
	return out
}

// looksUp says whether rows are looked up for entries. A row that is to be written is always read from the
// table itself, which alone can tell at commit whether it is still the same.
func (r *reader) looksUp() bool {
	return r.scan.Access.Lookup != nil || r.scan.Write && r.from.index != nil
}

// keeps says whether rows are read to be written, so that the transaction must find them again as they are.
func (r *reader) keeps() bool { return r.scan.Write }

// remembers says whether what is read first are these rows.
func (r *reader) remembers() bool { return r.keeps() && r.from.index == nil }

// padded delivers entries as rows of the scan, with NULL in the columns that they lack: nothing
// reads those.
func (r *reader) padded(entries Rows) Rows {
	return func(yield func(*types.Batch, error) bool) {
		ordinals := make([]int, len(r.reads))
		for i, column := range r.reads {
			ordinals[i] = slices.Index(r.scan.Reads, column)
		}
		width := len(r.scan.Reads) + r.marks.width()
		out := types.NewBatch(width)
		for batch, err := range entries {
			out.Reset(width)
			for i := 0; err == nil && i < batch.Len(); i++ {
				row, entry := out.Add(), batch.Row(i)
				for at, ordinal := range ordinals {
					if ordinal >= 0 { // else only the filter has read it
						row[ordinal] = entry[at]
					}
				}
				r.marks.move(row, entry)
			}
			if !yield(out, err) || err != nil {
				return
			}
		}
	}
}

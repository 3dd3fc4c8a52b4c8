package pebblestore

import (
	"slices"

	"zproxy/encoding/rows"
	"zproxy/store"
	"zproxy/store/late"
	"zproxy/types"
)

// lateRows is how a scan makes the columns that decide first, and the others of the rows that are kept. Until then it
// has the values of a batch.
type lateRows struct {
	*late.Columns
	early, rest rows.Decoder
	values      []byte
	ends        []int // of each value
	sel         []int32
	kept        [][]byte // values
}

// latePays is up to which part of the rows is kept where it pays to copy values and to read them twice: one of so many.
const latePays = 2

// lateOf is that of a request, nil if columns are made at once.
func lateOf(s *store.Space, r *store.Scan) *lateRows {
	if r.Late == nil || r.Next != nil || r.Keys != nil {
		return nil
	}
	l := &lateRows{Columns: r.Late}
	early, rest := slices.Clone(r.Columns), slices.Clone(r.Columns)
	for at, is := range r.Late.Early {
		if is {
			rest[at] = rows.Elsewhere
		} else {
			early[at] = rows.Elsewhere
		}
	}
	l.early.Prepare(s.Columns, early)
	l.rest.Prepare(s.Columns, rest)
	return l
}

// add adds the early columns of a row.
func (l *lateRows) add(b *types.Batch, value []byte) error {
	if b.Len() == 0 {
		l.begin(b)
	}
	l.values = append(l.values, value...)
	l.ends = append(l.ends, len(l.values))
	return l.early.Append(b, value)
}

// addAll is add for some rows.
func (l *lateRows) addAll(b *types.Batch, values [][]byte) error {
	if b.Len() == 0 {
		l.begin(b)
	}
	for _, value := range values {
		l.values = append(l.values, value...)
		l.ends = append(l.ends, len(l.values))
	}
	return l.early.AppendAll(b, values)
}

func (l *lateRows) begin(b *types.Batch) {
	l.early.Begin(b)
	l.values, l.ends = l.values[:0], l.ends[:0]
}

// finish leaves the rows that are kept, and makes their other columns.
func (l *lateRows) finish(b *types.Batch) error {
	var err error
	if l.sel, err = l.Keep(b); err != nil {
		return err
	}
	b.SelectColumns(l.sel, l.Early)
	l.rest.Join(b)
	l.kept = l.kept[:0]
	for _, from := range l.sel {
		begin := 0
		if from > 0 {
			begin = l.ends[from-1]
		}
		l.kept = append(l.kept, l.values[begin:l.ends[from]])
	}
	return l.rest.SetAll(b, 0, l.kept)
}

// complete makes the columns of the batch that were not made yet, and says whether to go on. A batch of which nothing
// is kept is delivered, too.
func (sc *scan) complete() bool {
	if sc.late == nil || !sc.batch.Columnar() {
		return true
	}
	before := sc.batch.Len()
	if err := sc.late.finish(sc.batch); err != nil {
		return sc.fail(err)
	}
	kept := sc.batch.Len()
	sc.request.Stats.Filtered += int64(before - kept)
	if kept*latePays > before {
		sc.late = nil
	}
	return true
}

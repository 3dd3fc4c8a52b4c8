package executor

import (
	"slices"

	"zproxy/store"
	"zproxy/types"
)

// An index whose entries may be ahead of rows has the entry of each row, and others: of rows that
// are not there, and of rows that have another key now. So it is, too, with entries of any index where
// a row may be changed after its entry was read and before it is looked up. An entry stands only where
// its row makes its key. What else it holds may be that of a row which was refused, or as it was before, so
// nothing relies on it.

// verifier holds entries against the rows that were looked up for them.
type verifier struct {
	*reader
	columns []int       // that are read of rows: first those that are wanted
	keys    []store.Key // of the entries whose rows are looked up next
	row     types.Row
	out     *types.Batch
	expressions
}

// verifier is that of an access whose entries have to be held against rows, else nil.
func (r lookup) verifier() *verifier {
	if looked := r.scan.Access.Lookup; looked == nil || !looked.Verify {
		return nil
	}
	v := &verifier{reader: r.reader, row: make(types.Row, len(r.table.Columns)),
		out: types.NewBatch(len(r.scan.Reads) + r.marks.width())}
	v.columns = joined(joined(r.scan.Reads, r.table.ordinalsOf(r.from)), r.table.KeyOrdinals())
	all := newExpressions(r.table.Table, r.scan.Computed, r.env.Expr)
	v.expressions = all.in(v.columns)
	v.columns = joined(v.columns, v.sources())
	return v
}

// ordinalsOf are the places in the table of the columns of which the keys of a layout are made, but
// for those of the table's own key.
func (t *table) ordinalsOf(l *layout) []int {
	var out []int
	for _, id := range l.index.Layout.Sources() {
		out = append(out, t.Ordinal(id))
	}
	return out
}

// note takes an entry whose row is looked up with the next ones.
func (v *verifier) note(entry types.Row) {
	for at, value := range entry {
		v.row[v.reads[at]] = value
	}
	v.keys = append(v.keys, v.from.codec.Key(v.row))
}

// stands says whether the entry with a number, of those noted, is the one that its row makes.
func (v *verifier) stands(entry int, row types.Row) bool {
	for at, column := range v.columns {
		v.row[column] = row[at]
	}
	if v.compute(v.row) != nil { // no entry can be made of such a row
		return false
	}
	return sameKey(v.from.codec.Key(v.row), v.keys[entry])
}

// wanted are rows with the columns that are wanted.
func (v *verifier) wanted(rows *types.Batch) *types.Batch {
	width := v.out.Width()
	if rows.Width() == width {
		return rows
	}
	v.out.Reset(width)
	for i := range rows.Len() {
		row := rows.Row(i)
		v.out.Append(row[:width])
		v.marks.move(v.out.Row(i), row)
	}
	return v.out
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

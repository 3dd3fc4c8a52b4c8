package executor

import "zproxy/types"

// columnList keeps rows as columns, by their numbers from 0.
type columnList struct {
	columns [][]types.Vector // of each column the values of listRows rows in one vector, and fewer in the last one
	longest []int            // bytes of a text of each column
	count   int
	bytes   int64
}

const (
	listBits = 12
	listRows = 1 << listBits
	// mostListed is how many rows have numbers.
	mostListed = 1<<31 - 1
	// mostPickedBytes is how many bytes of texts a batch of picked rows may have, if it has more than one row.
	mostPickedBytes = 32 << 20
)

func newColumnList(width int) columnList {
	return columnList{columns: make([][]types.Vector, width), longest: make([]int, width)}
}

// width is the number of columns.
func (l *columnList) width() int { return len(l.columns) }

// add keeps the rows of a batch, which becomes columns.
func (l *columnList) add(batch *types.Batch) {
	batch.ToColumns()
	for from := 0; from < batch.Len(); {
		at := l.count & (listRows - 1)
		to := min(batch.Len(), from+listRows-at)
		for i := range l.columns {
			v := l.last(i, at)
			v.AppendFrom(at, batch.Column(i), from, to)
			l.added(i, v, at, at+to-from)
		}
		l.count += to - from
		from = to
	}
}

// addRow keeps a copy of a row.
func (l *columnList) addRow(row types.Row) {
	at := l.count & (listRows - 1)
	for i, x := range row {
		v := l.last(i, at)
		if at == 0 {
			v.Shape(x.Kind().Held(), 0)
		}
		v.Extend(at + 1)
		v.Put(at, at+1, x)
		l.added(i, v, at, at+1)
	}
	l.count++
}

// added counts values that were added to a column.
func (l *columnList) added(column int, v *types.Vector, from, to int) {
	l.bytes += vectorBytes(v, from, to)
	l.longest[column] = max(l.longest[column], v.Longest(from, to))
}

// last is the last vector of a column, which has some rows.
func (l *columnList) last(column, rows int) *types.Vector {
	of := &l.columns[column]
	if rows == 0 {
		*of = append(*of, types.Vector{})
	}
	return &(*of)[len(*of)-1]
}

// row fills a row with the values of row i. They may be kept.
func (l *columnList) row(to types.Row, i int) types.Row {
	for at, of := range l.columns {
		to[at] = of[i>>listBits].Lent(i & (listRows - 1)) // nothing is changed in the vector any more
	}
	return to
}

// atOnce is how many rows a batch may have in which each is one of the list and some texts of others, of so many bytes.
func (l *columnList) atOnce(others int) int {
	for _, n := range l.longest {
		others += n
	}
	return max(1, min(types.BatchRows, mostPickedBytes/max(others, 1)))
}

// longestTexts is how many bytes a row of a batch of columns has in texts, or more.
func longestTexts(batch *types.Batch) (bytes int) {
	for at := range batch.Width() {
		bytes += batch.Column(at).Longest(0, batch.Len())
	}
	return bytes
}

// pick makes a vector the values of a column in some rows. A negative number is that of a row of NULLs.
func (l *columnList) pick(to *types.Vector, column int, rows []int32) {
	to.Pick(l.columns[column], listBits, rows)
}

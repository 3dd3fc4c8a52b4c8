package types

import "slices"

// Row is the values of one row. It belongs to a batch: copy it to keep it.
type Row []Value

// Batch is some rows of one width. A producer reuses a batch, so a consumer may use its rows and its columns only until
// it asks for the next one; the values themselves may be kept.
//
// It is either columns, or rows one after the other in a single slice. Who asks columns for rows makes it rows.
type Batch struct {
	width    int
	rows     int
	values   []Value
	columnar bool
	columns  []Vector // of columnar: the memory of them stays for the next one
}

// BatchRows is how many rows a producer puts into a batch at the most.
const BatchRows = 256

// NewBatch makes an empty batch of rows of width values.
func NewBatch(width int) *Batch { return &Batch{width: width} }

// Len is the number of rows.
func (b *Batch) Len() int { return b.rows }

// Width is the number of values in a row.
func (b *Batch) Width() int { return b.width }

// Row is row i.
func (b *Batch) Row(i int) Row {
	if b.columnar {
		b.lay()
	}
	return b.values[i*b.width : (i+1)*b.width : (i+1)*b.width]
}

// All is the values of all rows, one row after the other.
func (b *Batch) All() Row {
	b.lay()
	return b.values
}

// Add appends a row of NULLs and returns it to be filled.
func (b *Batch) Add() Row {
	row := b.Extend()
	clear(row)
	return row
}

// Extend appends a row of any values, for a caller that sets all of them.
func (b *Batch) Extend() Row {
	if b.columnar {
		b.lay()
	}
	start, end := len(b.values), len(b.values)+b.width
	if end > cap(b.values) {
		b.values = slices.Grow(b.values, b.width)
	}
	b.values = b.values[:end]
	b.rows++
	return b.values[start:end:end]
}

// Append appends a copy of a row.
func (b *Batch) Append(r Row) {
	b.lay()
	b.values = append(b.values, r...)
	b.rows++
}

// AppendAll appends a copy of all rows of a batch of the same width.
func (b *Batch) AppendAll(o *Batch) {
	b.lay()
	o.lay()
	b.values = append(b.values, o.values...)
	b.rows += o.rows
}

// Swap exchanges the rows of two batches. So who gets a batch keeps its rows without a copy; who
// made it must reset it before it adds others.
func (b *Batch) Swap(o *Batch) { *b, *o = *o, *b }

// AppendPair appends a copy of two rows as one, and returns it.
func (b *Batch) AppendPair(left, right Row) Row {
	b.lay()
	start := len(b.values)
	b.values = append(append(b.values, left...), right...)
	b.rows++
	return b.values[start:len(b.values):len(b.values)]
}

// Truncate keeps the first n rows.
func (b *Batch) Truncate(n int) {
	b.rows = n
	if !b.columnar {
		b.values = b.values[:n*b.width]
	}
}

// Reset empties the batch and gives its rows a width.
func (b *Batch) Reset(width int) {
	b.width, b.rows, b.values, b.columnar = width, 0, b.values[:0], false
}

// Full says whether a producer should hand the batch on.
func (b *Batch) Full() bool { return b.rows >= BatchRows }

package types

import (
	"slices"
	"unsafe"
)

// Columns empties the batch and makes it one of columns, which are shaped and filled by the caller.
func (b *Batch) Columns(width int) []Vector {
	b.Reset(width)
	if cap(b.columns) < width {
		b.columns = slices.Grow(b.columns[:cap(b.columns)], width-cap(b.columns))
	}
	b.columnar, b.columns = true, b.columns[:width]
	return b.columns
}

// Columnar says whether the batch is columns.
func (b *Batch) Columnar() bool { return b.columnar }

// Column is a column of a batch that is columns.
func (b *Batch) Column(at int) *Vector { return &b.columns[at] }

// Grow adds rows to a batch that is columns: the caller sets their values.
func (b *Batch) Grow(rows int) { b.rows += rows }

// LentRow is row i, until the next one is asked for or the batch is changed.
func (b *Batch) LentRow(i int) Row {
	if !b.columnar {
		return b.Row(i)
	}
	b.values = sized(b.values, b.width)
	for at := range b.columns {
		b.values[at] = b.columns[at].Lent(i)
	}
	return b.values
}

// ColumnBytes estimates what the columns of a batch take.
func (b *Batch) ColumnBytes() int64 {
	n := 0
	for i := range b.columns {
		v := &b.columns[i]
		switch {
		case v.Kind == KindNull:
			n += int(unsafe.Sizeof(Value{})) * b.rows
		case v.Kind.Plain():
			n += 8 * b.rows
		default:
			n += len(v.Bytes) + 4*b.rows
		}
	}
	return int64(n)
}

// Vector is a column of the rows that are selected; it is loaded into room where the batch is rows.
func (b *Batch) Vector(column int, sel []int32, room *Vector) *Vector {
	if b.columnar {
		return &b.columns[column]
	}
	room.Load(b, column, sel)
	return room
}

// Pick makes a vector the values of a column of a batch of columns in some rows.
func (b *Batch) Pick(to *Vector, column int, rows []int32) {
	to.Pick(b.columns[column:column+1], 31, rows)
}

// Select leaves the rows of an ascending list.
func (b *Batch) Select(sel []int32) {
	switch {
	case len(sel) == b.rows:
		return
	case b.columnar:
		for i := range b.columns {
			b.columns[i].compact(sel)
		}
	default:
		for to, from := range sel {
			if to < int(from) {
				copy(b.Row(to), b.Row(int(from)))
			}
		}
	}
	b.Truncate(len(sel))
}

// SelectColumns leaves the rows of an ascending list in a batch of columns, of which some are to be filled anew.
func (b *Batch) SelectColumns(sel []int32, some []bool) {
	for i := range b.columns {
		if some[i] && len(sel) < b.rows {
			b.columns[i].compact(sel)
		}
	}
	b.Truncate(len(sel))
}

// ToColumns makes columns of rows.
func (b *Batch) ToColumns() {
	if b.columnar {
		return
	}
	values, rows, width := b.values, b.rows, b.width
	for at := range b.Columns(width) {
		b.columns[at].gather(values[min(at, len(values)):], width, rows)
	}
	b.rows = rows
}

// gather makes the vector n values that are each so many places apart.
func (v *Vector) gather(of []Value, every, n int) {
	kind := KindNull
	for i := 0; i < n && kind == KindNull; i++ {
		kind = of[i*every].kind
	}
	v.Shape(kind.Held(), n)
	for i := range n {
		v.Put(i, n, of[i*every])
	}
}

// lay makes rows of columns.
func (b *Batch) lay() {
	if !b.columnar {
		return
	}
	b.columnar, b.values = false, sized(b.values, b.rows*b.width)
	for at := range b.columns {
		b.columns[at].lay(b.values[at:], b.width, b.rows)
	}
}

// lay puts the first n values into every so many places.
func (v *Vector) lay(to []Value, every, n int) {
	switch {
	case v.Kind == KindNull:
		for i, x := range v.Values[:n] {
			to[i*every] = x
		}
	case v.HasNulls || !v.Kind.Plain():
		for i := range n {
			to[i*every] = v.Value(i)
		}
	case v.Kind == KindFloat:
		for i, x := range v.Floats[:n] {
			to[i*every] = NewFloat(x)
		}
	default:
		scale := uint64(0)
		if v.Kind == KindNumeric {
			scale = uint64(v.Scale)
		}
		for i, x := range v.Ints[:n] {
			to[i*every] = Value{kind: v.Kind, a: uint64(x), b: scale}
		}
	}
}

// compact leaves the values of an ascending list, in front.
func (v *Vector) compact(sel []int32) {
	switch {
	case v.Kind == KindNull:
		take(v.Values, sel)
	case v.Kind == KindFloat:
		take(v.Floats, sel)
	case v.Kind.Plain():
		take(v.Ints, sel)
	default:
		v.compactTexts(sel)
	}
	if v.HasNulls {
		take(v.Nulls, sel)
	}
}

func take[E any](list []E, sel []int32) {
	for to, from := range sel {
		list[to] = list[from]
	}
}

// compactTexts is compact for texts. The end of a text is read before a text that is moved gets its place.
func (v *Vector) compactTexts(sel []int32) {
	v.text = ""
	end := int32(0)
	for to, from := range sel {
		text := v.Bytes[v.start(int(from)):v.Ends[from]]
		end += int32(copy(v.Bytes[end:], text))
		v.Ends[to] = end
	}
	v.Bytes = v.Bytes[:end]
}

// AppendFrom puts the values from one number to another of a vector behind the first at values of this one.
func (v *Vector) AppendFrom(at int, o *Vector, from, to int) {
	n := at + to - from
	if at == 0 {
		v.Shape(o.Kind, 0)
		v.Scale = o.Scale
	}
	v.Extend(n)
	if v.HasNulls {
		clear(v.Nulls[at:])
	}
	switch {
	case v.Kind != o.Kind || v.Kind == KindNumeric && v.Scale != o.Scale:
		for i := from; i < to; i++ {
			v.PutFrom(at+i-from, n, o, i)
		}
		return
	case v.Kind == KindNull:
		copy(v.Values[at:], o.Values[from:to])
	case v.Kind == KindFloat:
		copy(v.Floats[at:], o.Floats[from:to])
	case v.Kind.Plain():
		copy(v.Ints[at:], o.Ints[from:to])
	default:
		moved := int32(len(v.Bytes)) - o.start(from)
		v.Bytes, v.text = append(v.Bytes, o.Bytes[o.start(from):o.start(to)]...), ""
		for i, end := range o.Ends[from:to] {
			v.Ends[at+i] = end + moved
		}
	}
	for i := from; o.HasNulls && i < to; i++ {
		if o.Nulls[i] {
			v.SetNull(at+i-from, n)
		}
	}
}

// Longest is how many bytes the longest of some values has, if they are texts.
func (v *Vector) Longest(from, to int) int {
	if v.Kind != KindText && v.Kind != KindBpchar || from == to {
		return 0
	}
	longest, begin := int32(0), v.start(from)
	for _, end := range v.Ends[from:to] {
		longest, begin = max(longest, end-begin), end
	}
	return int(longest)
}

// Pick makes the vector the values of some numbers: of a number, the bits above some are that of the vector that it is
// in. A negative number is NULL.
func (v *Vector) Pick(of []Vector, bits uint, numbers []int32) {
	if len(of) == 0 {
		v.Shape(KindNull, len(numbers))
		clear(v.Values)
		return
	}
	v.Shape(of[0].Kind, len(numbers))
	v.Scale = of[0].Scale
	done := v.pickPlain(of, bits, numbers)
	for i := done; i < len(numbers); i++ {
		if n := numbers[i]; n < 0 {
			v.PutNull(i, len(numbers))
		} else {
			v.PutFrom(i, len(numbers), &of[n>>bits], int(n&(1<<bits-1)))
		}
	}
}

// pickPlain is Pick for the first numbers that are of plain values as those of the first vector, and says how many.
func (v *Vector) pickPlain(of []Vector, bits uint, numbers []int32) int {
	if !v.Kind.Plain() {
		return 0
	}
	for i, n := range numbers {
		if n < 0 {
			return i
		}
		o := &of[n>>bits]
		if o.HasNulls || o.Kind != v.Kind || o.Scale != v.Scale {
			return i
		}
		if at := n & (1<<bits - 1); v.Kind == KindFloat {
			v.Floats[i] = o.Floats[at]
		} else {
			v.Ints[i] = o.Ints[at]
		}
	}
	return len(numbers)
}

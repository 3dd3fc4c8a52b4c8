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

// Copy makes the vector the first n values of another one.
func (v *Vector) Copy(o *Vector, n int) {
	v.Shape(o.Kind, n)
	switch {
	case o.Kind == KindNull:
		copy(v.Values, o.Values[:n])
	case o.Kind == KindFloat:
		copy(v.Floats, o.Floats[:n])
	case o.Kind.Plain():
		copy(v.Ints, o.Ints[:n])
	default:
		copy(v.Ends, o.Ends[:n])
		v.Bytes, v.text = append(v.Bytes, o.Bytes[:o.start(n)]...), ""
	}
	v.Scale = o.Scale
	if o.HasNulls {
		v.HasNulls, v.Nulls = true, append(v.Nulls[:0], o.Nulls[:n]...)
	}
}

package rows

import (
	"fmt"
	"math"

	"zproxy/types"
	"zproxy/types/numeric"
)

// Begin empties a batch and makes it one of columns, for Append.
func (d *Decoder) Begin(b *types.Batch) {
	b.Columns(d.width)
	d.Join(b)
}

// Join begins to fill the columns of this decoder in a batch that another one has begun, for Set.
func (d *Decoder) Join(b *types.Batch) {
	d.vectors = d.vectors[:0]
	for i := range d.targets {
		t, v := &d.targets[i], b.Column(d.targets[i].at)
		v.Shape(t.held, types.BatchRows)
		d.vectors = append(d.vectors, v)
	}
	for _, at := range d.nulls {
		v := b.Column(at)
		v.Shape(types.KindNull, types.BatchRows)
		clear(v.Values)
	}
}

// Append adds the row of value bytes to the batch that has begun and is not full. It stops at the last wanted column,
// so it does not notice damage behind that.
func (d *Decoder) Append(b *types.Batch, value []byte) error {
	b.Grow(1)
	return d.Set(b, b.Len()-1, value)
}

// Set sets the columns of this decoder in a row; rows are set one after the other.
func (d *Decoder) Set(b *types.Batch, at int, value []byte) error {
	if len(value) == 0 || value[0] != version {
		return fmt.Errorf("%w: unknown version", ErrCorrupt)
	}
	if d.shape.steps != nil && d.appendByShape(at, value[1:]) {
		return nil
	}
	if d.row == nil {
		d.row = make(types.Row, b.Width())
	}
	d.shape.begin()
	if err := d.decode(d.row, value[1:]); err != nil {
		d.shape.steps = nil
		return err
	}
	for i, v := range d.vectors {
		v.Clear(at)
		v.Put(at, types.BatchRows, d.row[d.targets[i].at])
	}
	return nil
}

// appendByShape is byShape for a row of columns. If it says false the row is to be set anew.
func (d *Decoder) appendByShape(row int, p []byte) bool {
	for i := range d.shape.steps {
		s := &d.shape.steps[i]
		if s.do < copyTarget {
			if len(p) == 0 || p[0] != s.header {
				return false
			}
			p = p[1:]
		}
		n := 0
		switch s.do {
		case passVarint:
			n = passedVarint(p, 0)
		case passText:
			_, n = counted(p)
		case passNumeric:
			n = numericLength(p)
		case passOther:
			n = skip(s.header&(1<<tagBits-1), p)
		case readInt, readDate:
			if v := d.vectors[s.target]; v.Kind != types.KindNull {
				v.Ints[row], n = varint(p)
			} else {
				n = d.appendField(s, row, p)
			}
		case copyTarget, setMissing:
			d.fill(s, row)
		case atEnd:
			if len(p) > 0 {
				return false
			}
		case seeHeader:
		default:
			n = d.appendField(s, row, p)
		}
		if n < 0 {
			return false
		}
		p = p[n:]
	}
	return true
}

// fill sets a target that has no field.
func (d *Decoder) fill(s *step, row int) {
	v := d.targets[s.target].missing
	if s.do == copyTarget {
		v = d.vectors[s.target-1].Value(row)
	}
	d.vectors[s.target].Put(row, types.BatchRows, v)
}

// appendField reads the value of a payload into a column, and says how long it is, negative when it is damaged.
func (d *Decoder) appendField(s *step, row int, p []byte) int {
	v := d.vectors[s.target]
	switch {
	case v.Kind == types.KindNull:
	case s.do == readNumeric:
		x, n := shortNumeric(p)
		if n > 0 && v.Scaled(row, x.Scale) {
			v.Ints[row] = x.Coefficient
			return n
		}
	case s.do == readText:
		x, n := counted(p)
		if n >= 0 {
			v.PutText(row, x)
		}
		return n
	case s.do == readFloat && len(p) >= 8:
		v.Floats[row] = float(p)
		return 8
	}
	t := &d.targets[s.target]
	x, n := d.value(s.header&(1<<tagBits-1), p, t.kind)
	if n >= 0 {
		v.Put(row, types.BatchRows, t.typ.Labelled(x))
	}
	return n
}

// shortNumeric reads a numeric of a usual form, and says how long it is; 0: it has another form, or is damaged.
func shortNumeric(p []byte) (numeric.Small, int) {
	const scales = 2 * numeric.MaxSmallScale // as the zigzag varint of an exponent: from 0 down
	if len(p) < 3 || p[0]&^numericNegative != 0 || p[1] > scales {
		return numeric.Small{}, 0
	}
	exponent := unzigzag(uint64(p[1]))
	w, n := longUvarint(p[2:])
	if n <= 0 || exponent > 0 || w > math.MaxInt64 {
		return numeric.Small{}, 0
	}
	out := numeric.Small{Coefficient: int64(w), Scale: int32(-exponent)}
	if p[0]&numericNegative != 0 {
		out.Coefficient = -out.Coefficient
	}
	return out, 2 + n
}

// numericLength is how long a numeric is, negative when it is damaged.
func numericLength(p []byte) int {
	if len(p) >= 3 && p[0]&^numericNegative == 0 && p[1] < 0x80 {
		if n := varintLength(p[2:]); n > 0 {
			return 2 + n
		}
	}
	_, n := splitNumeric(p)
	return n
}

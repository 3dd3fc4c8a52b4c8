package rows

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/cockroachdb/apd/v3"

	"zproxy/store"
	"zproxy/types"
	"zproxy/types/interval"
)

// ErrCorrupt means that bytes were not made by Append.
var ErrCorrupt = errors.New("value bytes are damaged")

// Decoder reads the wanted columns of values. The values it makes may be kept: text,
// bytes and numerics lie in memory that it hands out once. It is not for use by
// several goroutines at once.
type Decoder struct {
	targets []target // ascending by id
	nulls   []int    // ordinals of rows that no column is for
	width   int      // of a row
	shape   shape
	walk    *walk           // nil: no rows have been read at once
	row     types.Row       // of a value of another shape, on its way into columns
	vectors []*types.Vector // of the targets, in the batch that has begun
	arena   []byte
	numbers []apd.Decimal
	depth   int // of the record that is read
}

// target says at which ordinal of the row a column goes.
type target struct {
	id      uint32
	kind    types.Kind // of the column
	at      int
	missing types.Value // of the column
	typ     types.T     // where labels of an enum belong to its values
	held    types.Kind  // of a vector of the values
}

// Elsewhere in the place of a column is one that another decoder fills.
const Elsewhere = store.NoColumn - 1

// Prepare sets what is read: from values of cols those of the wanted ordinals, in that
// order. The value of a store.NoColumn is NULL.
func (d *Decoder) Prepare(cols []store.Column, wanted []int) {
	d.targets = slices.Grow(d.targets[:0], len(wanted))
	d.shape.steps, d.shape.tries = nil, maxShapes
	d.nulls, d.width = d.nulls[:0], len(wanted)
	sorted := true
	for at, ordinal := range wanted {
		switch ordinal {
		case store.NoColumn:
			d.nulls = append(d.nulls, at)
			continue
		case Elsewhere:
			continue
		}
		c := &cols[ordinal]
		sorted = sorted && (len(d.targets) == 0 || d.targets[len(d.targets)-1].id <= c.ID)
		held := c.Type.Kind().Held()
		if c.Type.Collation.Order != 0 { // the values have it
			held = types.KindNull
		}
		d.targets = append(d.targets, target{c.ID, c.Type.Kind(), at, c.Missing, c.Type, held})
	}
	if !sorted {
		slices.SortFunc(d.targets, func(a, b target) int { return cmp.Compare(a.id, b.id) })
	}
}

// Decode fills a row from value bytes. It stops at the last wanted column, so it does not
// notice damage behind that.
func (d *Decoder) Decode(row types.Row, value []byte) error {
	for _, at := range d.nulls {
		row[at] = types.Null
	}
	if len(value) == 0 || value[0] != version {
		return fmt.Errorf("%w: unknown version", ErrCorrupt)
	}
	if d.shape.steps != nil && d.byShape(row, value[1:]) {
		return nil
	}
	d.shape.begin()
	err := d.decode(row, value[1:])
	if err != nil {
		d.shape.steps = nil
	}
	return err
}

// decode is Decode without the version, and learns the shape.
func (d *Decoder) decode(row types.Row, p []byte) error {
	next, k := uint64(0), 0
	for k < len(d.targets) && len(p) > 0 {
		header, n := uvarint(p)
		id, tag := next+header>>tagBits, byte(header&(1<<tagBits-1))
		if n <= 0 || id > math.MaxUint32 {
			return fmt.Errorf("%w: field header", ErrCorrupt)
		}
		p, next = p[n:], id+1
		for ; k < len(d.targets) && uint64(d.targets[k].id) < id; k++ {
			row[d.targets[k].at] = d.targets[k].missing
			d.shape.add(0, setMissing, k)
		}
		switch {
		case k == len(d.targets):
			d.shape.add(header, seeHeader, 0)
			return nil
		case uint64(d.targets[k].id) == id:
			n = d.field(row, tag, p, k)
			d.shape.add(header, reading(tag, &d.targets[k]), k)
			for k++; k < len(d.targets) && uint64(d.targets[k].id) == id; k++ {
				row[d.targets[k].at] = row[d.targets[k-1].at]
				d.shape.add(0, copyTarget, k)
			}
		default:
			n = skip(tag, p)
			d.shape.add(header, passing(tag), 0)
		}
		if n < 0 {
			return fmt.Errorf("%w: column %d", ErrCorrupt, id)
		}
		p = p[n:]
	}
	if k < len(d.targets) {
		d.shape.add(0, atEnd, 0)
	}
	for ; k < len(d.targets); k++ {
		row[d.targets[k].at] = d.targets[k].missing
		d.shape.add(0, setMissing, k)
	}
	return nil
}

// field reads the value of a payload into target k and says how long it is,
// negative when it is damaged.
func (d *Decoder) field(row types.Row, tag byte, p []byte, k int) int {
	t := &d.targets[k]
	switch tag {
	case tagInt:
		v, n := varint(p)
		if n >= 0 {
			row[t.at] = types.NewInt(v)
		}
		return n
	case tagFloat:
		if len(p) < 8 {
			return -1
		}
		row[t.at] = types.NewFloat(float(p))
		return 8
	}
	v, n := d.value(tag, p, t.kind)
	if n >= 0 {
		row[t.at] = t.typ.Labelled(v)
	}
	return n
}

// value reads the value of a payload as the kind of its column, which decides where kinds
// share a tag.
func (d *Decoder) value(tag byte, p []byte, kind types.Kind) (types.Value, int) {
	switch {
	case tag == tagBytes && kind == types.KindArray:
		return d.array(p)
	case tag == tagBytes && kind == types.KindRecord:
		return d.record(p)
	case tag == tagBytes && kind == types.KindRange:
		return d.ranges(p)
	case tag == tagText && kind == types.KindJSONPath:
		return d.jsonpath(p)
	}
	v, n := d.payload(tag, p)
	return ofKind(v, kind), n
}

// ofKind makes a text what the column's type holds texts as.
func ofKind(v types.Value, kind types.Kind) types.Value {
	if v.Kind() != types.KindText {
		return v
	}
	switch kind {
	case types.KindBpchar:
		return types.NewBpchar(v.Text())
	case types.KindCitext:
		return types.NewCitext(v.Text())
	case types.KindJSON:
		return types.NewJSON(v.Text())
	case types.KindEnum:
		return types.NewEnum(v.Text(), "")
	}
	return v
}

// skip is the length of a payload, negative when it is damaged.
func skip(tag byte, p []byte) int {
	n := 0
	switch tag {
	case tagFalse, tagTrue, tagNull:
		return 0
	case tagInt, tagDate, tagTimestamp, tagTime:
		return varintLength(p)
	case tagTimetz:
		_, n = varints(p, 2)
		return n
	case tagInterval:
		_, n = varints(p, 3)
		return n
	case tagText, tagBytes, tagJSONB:
		_, n = counted(p)
		return n
	case tagNumeric:
		_, n = splitNumeric(p)
		return n
	case tagFloat:
		n = 8
	case tagUUID, tagPoint:
		n = 16
	default:
		return -1
	}
	if len(p) < n {
		return -1
	}
	return n
}

// payload reads the value of a payload and says how long it is, negative when damaged.
func (d *Decoder) payload(tag byte, p []byte) (types.Value, int) {
	switch tag {
	case tagNull:
		return types.Null, 0
	case tagFalse, tagTrue:
		return types.NewBool(tag == tagTrue), 0
	case tagInt, tagDate, tagTimestamp, tagTime:
		return integer(tag, p)
	case tagTimetz, tagInterval:
		return clock(tag, p)
	case tagText:
		s, n := d.text(p)
		return types.NewText(s), n
	case tagBytes:
		b, n := counted(p)
		if n < 0 {
			return types.Null, -1
		}
		return types.NewBytes(d.keep(b)), n
	case tagNumeric:
		return d.numeric(p)
	case tagJSONB:
		return d.jsonb(p)
	case tagFloat:
		if len(p) < 8 {
			return types.Null, -1
		}
		return types.NewFloat(float(p)), 8
	case tagUUID:
		if len(p) < 16 {
			return types.Null, -1
		}
		return types.NewUUID([16]byte(p)), 16
	case tagPoint:
		if len(p) < 16 {
			return types.Null, -1
		}
		return types.NewPoint(float(p), float(p[8:])), 16
	}
	return types.Null, -1
}

func integer(tag byte, p []byte) (types.Value, int) {
	v, n := varint(p)
	if n < 0 {
		return types.Null, -1
	}
	switch tag {
	case tagInt:
		return types.NewInt(v), n
	case tagTimestamp:
		return types.NewTimestamp(v), n
	case tagTime:
		return types.NewTime(v), n
	}
	if v != int64(int32(v)) {
		return types.Null, -1
	}
	return types.NewDate(int32(v)), n
}

// clock reads a timetz or an interval.
func clock(tag byte, p []byte) (types.Value, int) {
	count := 2
	if tag == tagInterval {
		count = 3
	}
	v, n := varints(p, count)
	switch {
	case n < 0 || v[1] != int64(int32(v[1])):
		return types.Null, -1
	case tag == tagTimetz:
		return types.NewTimetz(v[0], int32(v[1])), n
	case v[0] != int64(int32(v[0])):
		return types.Null, -1
	}
	return types.NewInterval(interval.Interval{Months: int32(v[0]), Days: int32(v[1]), Micros: v[2]}), n
}

func float(p []byte) float64 { return math.Float64frombits(binary.BigEndian.Uint64(p)) }

// counted is the bytes behind their count, and the length of both.
func counted(p []byte) ([]byte, int) {
	size, n := uvarint(p)
	if n <= 0 || size > uint64(len(p)-n) {
		return nil, -1
	}
	end := n + int(size)
	return p[n:end], end
}

// The arena grows from a size that suits one row to one that suits a batch.
const (
	minArena   = 256
	maxArena   = 32 << 10
	maxNumbers = 64
)

// keep copies bytes to where nothing moves or overwrites them.
func (d *Decoder) keep(b []byte) []byte {
	if len(b) > cap(d.arena)-len(d.arena) {
		size := min(max(2*cap(d.arena), minArena), maxArena)
		d.arena = make([]byte, 0, max(size, len(b)))
	}
	start := len(d.arena)
	d.arena = append(d.arena, b...)
	return d.arena[start:len(d.arena):len(d.arena)]
}

// parsedNumeric is the parts of a numeric's bytes.
type parsedNumeric struct {
	head     byte
	exponent int32
	short    uint64
	long     []byte
}

// splitNumeric takes a numeric's bytes apart and says how long they are, negative when
// damaged.
func splitNumeric(p []byte) (parsedNumeric, int) {
	var num parsedNumeric
	if len(p) == 0 || p[0] > numericForm|numericNegative|numericLong {
		return num, -1
	}
	num.head = p[0]
	if apd.Form(num.head&numericForm) != apd.Finite {
		return num, 1
	}
	exponent, n := varint(p[1:])
	if n < 0 || exponent != int64(int32(exponent)) {
		return num, -1
	}
	num.exponent = int32(exponent)
	at := 1 + n
	if num.head&numericLong == 0 {
		num.short, n = uvarint(p[at:])
		if n <= 0 {
			return num, -1
		}
		return num, at + n
	}
	if num.long, n = counted(p[at:]); n < 0 {
		return num, -1
	}
	return num, at + n
}

// maxExponent is above those of all numerics, so that none from damaged bytes is endless.
const maxExponent = 1 << 18

func (d *Decoder) numeric(p []byte) (types.Value, int) {
	if s, n := shortNumeric(p); n > 0 {
		return types.NewSmall(s), n
	}
	num, n := splitNumeric(p)
	if n < 0 || num.exponent > maxExponent || num.exponent < -maxExponent {
		return types.Null, -1
	}
	if len(d.numbers) == cap(d.numbers) {
		d.numbers = make([]apd.Decimal, 0, min(max(2*cap(d.numbers), 1), maxNumbers))
	}
	d.numbers = d.numbers[:len(d.numbers)+1]
	v := &d.numbers[len(d.numbers)-1]
	v.Form = apd.Form(num.head & numericForm)
	v.Negative = num.head&numericNegative != 0
	v.Exponent = num.exponent
	if num.head&numericLong != 0 {
		v.Coeff.SetBytes(num.long)
	} else {
		v.Coeff.SetUint64(num.short)
	}
	return types.NewNumeric(v), n
}

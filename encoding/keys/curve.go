package keys

import (
	"fmt"
	"math"
	"strings"

	"zproxy/catalog"
	"zproxy/catalog/axis"
	"zproxy/catalog/part"
	"zproxy/encoding/zorder"
	"zproxy/types"
	"zproxy/types/normal"
)

// curve makes the Z-address of a row.
type curve struct {
	curve *zorder.Curve
	dims  []dimension
}

type dimension struct {
	column int
	id     uint32
	filled bool // no value is NULL
	bits   int
	kind   types.Kind
	width  int // bytes of the plain encoding of the type, 0 for text and the like: as many as asked for
	m      *zorder.Map
	prefix string // of texts, which m maps what follows of
	form   normal.Form
}

func newCurve(t *catalog.Table, dims []catalog.Dimension) (*curve, error) {
	c := &curve{}
	var bits []int
	for _, d := range dims {
		c.dims, bits = append(c.dims, newDimension(t, d)), append(bits, d.Bits)
	}
	var err error
	if c.curve, err = zorder.New(bits...); err != nil {
		return nil, fmt.Errorf("z-order index: %w", err)
	}
	return c, nil
}

func newDimension(t *catalog.Table, d catalog.Dimension) dimension {
	of := t.Source(d.Column)
	out := dimension{column: of.Ordinal, id: d.Column, filled: of.Filled, bits: d.Bits,
		kind: of.Type.Kind(), width: plainWidth(of.Type)}
	out.form, _ = normal.Parse(d.Form)
	if len(d.Knots) > 0 {
		out.m, out.prefix = &zorder.Map{Knots: d.Knots}, string(d.Prefix)
	}
	return out
}

// plainWidth is how many bytes the encoding of a type has, 0 for texts and the like.
func plainWidth(t types.T) int { return (part.EncodedBits(t) + 7) / 8 }

// Code is the order-preserving 64-bit code of a value that is not NULL, which maps are
// learned from. It is lossy for types of more than 64 bits.
func Code(v types.Value, t types.T) uint64 {
	return code64(v, t.Kind(), plainWidth(t))
}

// code64 is the first 64 bits of the plain encoding of a value, filled up with zeros.
func code64(v types.Value, kind types.Kind, width int) uint64 {
	var buf [16]byte
	return cell(appendPlain(buf[:0], v, kind, width, 8), 0)
}

// CodeBehind is the Code of a text behind a prefix. A text that does not begin with the prefix has the first of all
// codes if it is below it, and the last one if it is above. With no prefix it is Code.
func CodeBehind(v types.Value, t types.T, prefix []byte) uint64 {
	if len(prefix) == 0 {
		return Code(v, t)
	}
	return codeBehind(v, string(prefix))
}

func codeBehind(v types.Value, prefix string) uint64 {
	text := PlainText(v)
	if rest, ok := strings.CutPrefix(text, prefix); ok {
		return First64(rest)
	}
	if text < prefix {
		return 0
	}
	return math.MaxUint64
}

// PlainText is the plain encoding of a text before it is cut to some width.
func PlainText(v types.Value) string {
	return v.Compared()
}

// FiniteCodes are the least and the greatest Code of values of a type that are not infinite.
// What is there of others is apart from them, and tells nothing of where they lie.
func FiniteCodes(t types.T) (low, high uint64) {
	code := func(v types.Value) uint64 { return Code(v, t) }
	switch t.Kind() {
	case types.KindDate:
		return code(types.NewDate(math.MinInt32 + 1)), code(types.NewDate(math.MaxInt32 - 1))
	case types.KindTimestamp:
		return code(types.NewTimestamp(math.MinInt64 + 1)), code(types.NewTimestamp(math.MaxInt64 - 1))
	case types.KindFloat:
		if t.OID == types.OIDFloat4 {
			return code(types.NewFloat(-math.MaxFloat32)), code(types.NewFloat(math.MaxFloat32))
		}
		return code(types.NewFloat(-math.MaxFloat64)), code(types.NewFloat(math.MaxFloat64))
	case types.KindNumeric:
		return FiniteCodes(types.Float8)
	}
	return 0, math.MaxUint64
}

// appendPlain writes a value in its fixed-length encoding of width bytes, or of n bytes
// when the type has no width of its own. All keep order.
func appendPlain(dst []byte, v types.Value, kind types.Kind, width, n int) []byte {
	switch kind {
	case types.KindBool:
		return append(dst, -boolByte(v.Bool()))
	case types.KindInt:
		return zorder.Int(dst, v.Int(), width)
	case types.KindDate:
		return zorder.Int(dst, int64(v.Days()), width)
	case types.KindTimestamp, types.KindTime:
		return zorder.Int(dst, v.Micros(), width)
	case types.KindTimetz:
		return zorder.Int(dst, types.UTCOfTimetz(v), width)
	case types.KindInterval: // longer ones than an int64 has microseconds share its ends
		return zorder.Int(dst, v.Interval().Length(), width)
	case types.KindFloat:
		if width == 4 {
			return zorder.Float32(dst, float32(v.Float()))
		}
		return zorder.Float64(dst, v.Float())
	case types.KindNumeric:
		f, _ := v.Numeric().Float64() // rounding keeps order; beyond float8 it is infinite
		return zorder.Float64(dst, f)
	case types.KindUUID:
		u := v.UUID()
		return append(dst, u[:]...)
	default:
		return zorder.Text(dst, v.Compared(), n)
	}
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Normalized is a text in the normal form that a dimension wants. Other values and NULL stay as they are.
func Normalized(v types.Value, d catalog.Dimension) types.Value {
	form, _ := normal.Parse(d.Form)
	return normalized(v, form)
}

func normalized(v types.Value, form normal.Form) types.Value {
	if form == normal.None || v.IsNull() {
		return v
	}
	return types.NewText(form.Text(PlainText(v)))
}

// code64 is the code that the map of the dimension maps.
func (d *dimension) code64(v types.Value) uint64 {
	v = normalized(v, d.form)
	if d.prefix == "" {
		return code64(v, d.kind, d.width)
	}
	return codeBehind(v, d.prefix)
}

// code writes the bits of a dimension, left-aligned. NULL takes the top cell, which
// keeps it above every value; the residual tells it apart.
func (d *dimension) code(dst []byte, v types.Value) []byte {
	n := (d.bits + 7) / 8
	if v.IsNull() {
		for range n {
			dst = append(dst, 0xff)
		}
		return dst
	}
	if d.m != nil {
		return zorder.Align(dst, d.m.Code(d.code64(v), d.bits), d.bits)
	}
	start := len(dst)
	dst = appendPlain(dst, normalized(v, d.form), d.kind, d.width, n)
	for len(dst)-start < n {
		dst = append(dst, 0)
	}
	return dst[:start+n]
}

func (c *curve) appendAddress(dst []byte, row types.Row) []byte {
	var buf [128]byte
	codes := buf[:0]
	point := make([][]byte, len(c.dims))
	for i := range c.dims {
		start := len(codes)
		codes = c.dims[i].code(codes, axis.Coordinate(c.dims[i].id, row[c.dims[i].column]))
		point[i] = codes[start:]
	}
	return c.curve.Interleave(dst, point)
}

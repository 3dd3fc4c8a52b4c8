package keys

import (
	"encoding/binary"
	"fmt"

	"zproxy/catalog"
	"zproxy/encoding/span"
	"zproxy/encoding/zorder"
	"zproxy/store"
	"zproxy/types"
)

// curve makes the Z-address of a row.
type curve struct {
	curve *zorder.Curve
	dims  []dimension
}

type dimension struct {
	column int
	id     uint32
	bits   int
	kind   types.Kind
	width  int // bytes of the plain encoding of the type, 0 for text and the like: as many as asked for
	m      *zorder.Map
}

func newCurve(t *catalog.Table, dims []catalog.Dimension) (*curve, error) {
	c := &curve{}
	var bits []int
	for _, d := range dims {
		i := t.Ordinal(d.Column)
		dim := dimension{column: i, id: d.Column, bits: d.Bits, kind: t.Columns[i].Type.Kind(), width: plainWidth(t.Columns[i].Type)}
		if len(d.Knots) > 0 {
			dim.m = &zorder.Map{Knots: d.Knots}
		}
		c.dims, bits = append(c.dims, dim), append(bits, d.Bits)
	}
	var err error
	if c.curve, err = zorder.New(bits...); err != nil {
		return nil, fmt.Errorf("z-order index: %w", err)
	}
	return c, nil
}

// plainWidth is how many bytes the encoding of a type has, 0 for texts and the like.
func plainWidth(t types.T) int { return (catalog.EncodedBits(t) + 7) / 8 }

// Code is the order-preserving 64-bit code of a value that is not NULL, which maps are
// learned from. It is lossy for types of more than 64 bits.
func Code(v types.Value, t types.T) uint64 {
	var buf [16]byte
	plain := appendPlain(buf[:0], v, t.Kind(), plainWidth(t), 8)
	var full [8]byte
	copy(full[:], plain)
	return binary.BigEndian.Uint64(full[:])
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
		return zorder.Int(dst, types.MicrosOfInterval(v), width)
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
	case types.KindBpchar:
		return zorder.Text(dst, types.TrimBlanks(v.Text()), n)
	default:
		return zorder.Text(dst, v.Text(), n)
	}
}

func boolByte(b bool) byte {
	if b {
		return 1
	}
	return 0
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
		plain := make([]byte, 0, 16)
		plain = appendPlain(plain, v, d.kind, d.width, 8)
		var full [8]byte
		copy(full[:], plain)
		return zorder.Align(dst, d.m.Code(binary.BigEndian.Uint64(full[:]), d.bits), d.bits)
	}
	start := len(dst)
	dst = appendPlain(dst, v, d.kind, d.width, n)
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
		codes = c.dims[i].code(codes, row[c.dims[i].column])
		point[i] = codes[start:]
	}
	return c.curve.Interleave(dst, point)
}

// Box is the ranges of a Z-order layout that hold every row whose columns are in the
// sets, one in each partition, and a skipper that leaves out the keys outside of the box.
// It says false when no row can match. A bound becomes inclusive, since cells hold more
// than one value: the predicate decides again what is in.
func (c *Codec) Box(sets Sets) ([]store.Range, store.Skipper, bool) {
	z := c.sort[0].curve
	low, high := make([][]byte, len(z.dims)), make([][]byte, len(z.dims))
	for i := range z.dims {
		d := &z.dims[i]
		set := sets(d.id)
		if set.Empty() {
			return nil, nil, false
		}
		low[i], high[i] = d.ends(set)
	}
	box := z.curve.Box(low, high)
	return c.boxRanges(box, sets), &boxSkipper{box: box, length: z.curve.Len()}, true
}

// boxRanges are the ranges of a box in each partition: in all shards, and of the cells
// that leading bits make in those that the box meets.
func (c *Codec) boxRanges(box zorder.Box, sets Sets) []store.Range {
	whole := store.Range{Partition: []byte{}, From: box.Min(), To: successor(box.Max())}
	if len(c.partition) == 0 {
		return []store.Range{whole}
	}
	if z, ok := c.partition[0].of.(*topBits); ok {
		return z.ranges(box)
	}
	var out []store.Range
	for _, s := range c.Spans(Walk{Parts: len(c.partition)}, sets) {
		g := whole
		for i, v := range s.Prefix {
			g.Partition = AppendValue(g.Partition, v, c.partition[i].desc)
		}
		out = append(out, g)
	}
	return out
}

// ranges goes from each cell that a box meets to the next one.
func (z *topBits) ranges(box zorder.Box) []store.Range {
	var out []store.Range
	for at, ok := box.Min(), true; ok; {
		cell := z.cell(at)
		g := store.Range{Partition: AppendValue([]byte{}, types.NewInt(int64(cell)), false), From: at}
		out = append(out, g)
		if cell+1 == 1<<z.bits {
			break
		}
		at, ok = box.Next(nil, z.first(cell+1))
	}
	last := &out[len(out)-1]
	last.To = successor(box.Max())
	return out
}

// ends are the lowest and the highest code of a set.
func (d *dimension) ends(set span.Set) (low, high []byte) {
	top := d.code(nil, types.Null)
	if len(set.Intervals) == 0 {
		return top, top
	}
	hull := set.Hull()
	low, high = make([]byte, len(top)), top
	if !hull.Low.IsNull() {
		low = d.code(nil, hull.Low)
	}
	if !hull.High.IsNull() && !set.Null {
		high = d.code(nil, hull.High)
	}
	return low, high
}

// boxSkipper leaves out the keys whose Z-address is outside of a box.
type boxSkipper struct {
	box    zorder.Box
	length int
}

// Wanted implements store.Skipper.
func (s *boxSkipper) Wanted(key []byte) bool { return len(key) >= s.length && s.box.Contains(key) }

// Next implements store.Skipper.
func (s *boxSkipper) Next(dst, key []byte) ([]byte, bool) {
	if len(key) >= s.length && s.box.Contains(key) {
		return append(dst, key...), true
	}
	return s.box.Next(dst, key)
}

// BoxCorners shows the Z-addresses of the lowest and the highest corner of a box, as
// EXPLAIN prints them.
func (c *Codec) BoxCorners(sets Sets) (low, high string, ok bool) {
	_, skip, ok := c.Box(sets)
	if !ok {
		return "", "", false
	}
	box := skip.(*boxSkipper).box
	return fmt.Sprintf("%x", box.Min()), fmt.Sprintf("%x", box.Max()), true
}

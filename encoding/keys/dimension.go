package keys

import (
	"bytes"
	"encoding/binary"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/span"
	"zproxy/encoding/zorder"
	"zproxy/types"
)

// fineBits is how many bits tell nearly all values apart: those that a map has by default.
const fineBits = 32

// Dimension makes the codes of one column of a Z-order layout, for estimates of what they tell apart.
type Dimension struct {
	dimension
	lossy bool
}

// NewDimension is a dimension of a layout of a table.
func NewDimension(t *catalog.Table, of catalog.Dimension) Dimension {
	typ := t.Source(of.Column).Type
	encoded := part.EncodedBits(typ)
	lossy := encoded == 0 || encoded > 64 || of.Bits < min(encoded, fineBits)
	return Dimension{newDimension(t, of), lossy && of.Bits > 0} // an index that is only proposed has no bits yet
}

// Lossy says whether values that are near each other may have one code: texts with a common prefix, numbers in few
// bits.
func (d *Dimension) Lossy() bool { return d.lossy }

// Code is the code of a value, left-aligned.
func (d *Dimension) Code(v types.Value) []byte { return d.cell(v) }

// Unmapped is the code that the map of the dimension makes a Code of, of a value that is not NULL.
func (d *Dimension) Unmapped(v types.Value) uint64 { return d.code64(v) }

// Codes are the intervals of codes, bounds included, that the values of a set have. Other values may have them, too.
func (d *Dimension) Codes(set span.Set) []Codes {
	cells := d.cells(set)
	out := make([]Codes, len(cells))
	for i, c := range cells {
		out[i] = Codes{c.low, c.high}
	}
	return out
}

// Codes is an interval of codes, left-aligned, bounds included.
type Codes struct{ Low, High []byte }

// Has says whether a code is in the interval.
func (c Codes) Has(code []byte) bool {
	return bytes.Compare(c.Low, code) <= 0 && bytes.Compare(code, c.High) <= 0
}

// ShareOf is the share of the codes of another interval that are in this one.
func (d *Dimension) ShareOf(c, other Codes) float64 {
	return zorder.Share(other.Low, other.High, c.Low, c.High, d.bits)
}

// First64 are the first 64 bits of a code or a text, with zeros behind a shorter one.
func First64[T []byte | string](code T) uint64 {
	var buf [8]byte
	copy(buf[:], code)
	return binary.BigEndian.Uint64(buf[:])
}

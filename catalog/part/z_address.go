package part

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"zproxy/types"
)

// ZAddress is the interleaved bits of the dimensions. Its arithmetic is in encoding/keys: a walk does
// not go through it, boxes do.
const ZAddress Kind = 1

type zAddress struct{ base }

// unknown is a value that encoding/keys computes.
type unknown struct{}

func (unknown) Value(types.Row) types.Value { return types.Null }
func (unknown) Take(k Known) bool           { return k.Nothing() }

func (zAddress) columns(p *Part) []uint32 {
	ids := make([]uint32, len(p.Curve))
	for i, d := range p.Curve {
		ids[i] = d.Column
	}
	return ids
}

func (zAddress) bind(*Part, Table) (Bound, error) {
	return Bound{Of: unknown{}, Type: types.Of(types.OIDBytea)}, nil
}

func (zAddress) describe(p *Part, t Table) string {
	list := make([]string, len(p.Curve))
	for i, d := range p.Curve {
		list[i] = namesOf(t, d.Column) + " " + strconv.Itoa(d.Bits) + " bits"
		if d.Map != "" {
			list[i] += fmt.Sprintf(" %s map", d.Map)
		}
		if len(d.Knots) > 0 {
			list[i] += fmt.Sprintf(" version %d of %d knots", d.Version, len(d.Knots))
		}
	}
	return "zaddress(" + strings.Join(list, ", ") + ")"
}

func (zAddress) template(*Part, Table) string { return "" }

// leastBytes are all that the address may have once the index is built.
func (zAddress) leastBytes(p *Part, t Table) int {
	_, bits := CurveBits(p.Curve, t)
	return (bits + 7) / 8
}

func (zAddress) bytes(p *Part, _ Table) float64 {
	bits := 0
	for _, d := range p.Curve {
		bits += d.Bits
	}
	return math.Ceil(float64(bits) / 8)
}

// follows says of an address of one dimension that it is in the order of that.
func (zAddress) follows(p *Part) (column uint32, ok bool) {
	if len(p.Curve) != 1 {
		return 0, false
	}
	return p.Curve[0].Column, true
}

// CurveBits are the least and the most bits that a Z-address has. They differ where widths are
// chosen when the index is built.
func CurveBits(curve []Dimension, t Table) (least, most int) {
	for _, d := range curve {
		if d.Bits > 0 {
			least, most = least+d.Bits, most+d.Bits
			continue
		}
		typ := t.Source(d.Column).Type
		least, most = least+LearnedBits(typ), most+RawBits(typ)
	}
	return least, most
}

package part

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog/axis"
	"zproxy/types"
)

// ZAddress is the interleaved bits of the dimensions. Its arithmetic is in encoding/keys. A walk goes through it
// where all dimensions have single values; boxes read what lies near.
const ZAddress Kind = 1

type zAddress struct{ base }

// interleaved is an address, which encoding/keys computes.
type interleaved struct{ of []Source }

// Value implements Computed.
func (interleaved) Value(types.Row) types.Value { return types.Null }

// Take implements Computed.
func (a interleaved) Take(k Known) bool {
	if len(a.of) == 0 {
		return k.Nothing()
	}
	return k.Points(a.of, a)
}

func (zAddress) columns(p *Part) []uint32 {
	var ids []uint32
	for _, d := range p.Curve {
		if id := axis.Column(d.Column); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

func (z zAddress) bind(p *Part, t Table) (Bound, error) {
	of := sourcesOf(t, z.columns(p)...)
	return Bound{Of: interleaved{of}, Type: types.Of(types.OIDBytea), Fixed: true}, nil
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
	if len(p.Curve) != 1 || axis.Is(p.Curve[0].Column) {
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

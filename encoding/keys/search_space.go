package keys

import (
	"math/big"

	"zproxy/catalog"
	"zproxy/encoding/zorder"
)

// SearchSpace is how much boxes take of the space of addresses of a curve.
type SearchSpace struct {
	Bits      int        // of an address: there are n = 2^Bits
	Dims      int        // a
	Excluded  float64    // b: how many dimensions bounds exclude together; of one box
	Formula   *big.Float // n^((a-b)/a)
	Addresses *big.Float // that are in the boxes
	Between   *big.Float // from the lowest address of one box to its highest
	Partial   bool       // bounds exclude a part of some dimension
}

// SearchSpace measures boxes that there are some of.
func (c *Codec) SearchSpace(b *Boxes) SearchSpace {
	sum := SearchSpace{Formula: new(big.Float), Addresses: new(big.Float)}
	inside := c.inside()
	for i := range b.List {
		space := b.List[i].Space(&inside)
		one := Formula(c.layout.Curve(), space.Excluded)
		one.Formula.Add(one.Formula, sum.Formula)
		one.Addresses = new(big.Float).Add(sum.Addresses, new(big.Float).SetInt(space.Addresses))
		one.Between, one.Partial = new(big.Float).SetInt(space.Between), one.Partial || sum.Partial
		sum = one
	}
	return sum
}

// Formula is what the formula says where bounds exclude such shares of dimensions. A dimension counts by its bits.
func Formula(curve []catalog.Dimension, excluded []float64) SearchSpace {
	s := SearchSpace{Dims: len(curve)}
	widths := make([]int, len(curve))
	for i, d := range curve {
		widths[i] = d.Bits
		s.Bits += d.Bits
		s.Excluded += excluded[i] * float64(d.Bits)
		s.Partial = s.Partial || excluded[i] > 0 && excluded[i] < 1
	}
	s.Excluded *= float64(s.Dims) / float64(s.Bits)
	s.Formula = zorder.AddressesShare(widths, excluded)
	return s
}

// inside is the box of the values that the maps of the dimensions were made for; a dimension without one is whole.
func (c *Codec) inside() zorder.Box {
	z := c.curve
	low, high := make([][]byte, len(z.dims)), make([][]byte, len(z.dims))
	for i, d := range z.dims {
		if d.m != nil {
			k := d.m.Knots
			low[i] = zorder.Align(nil, d.m.Code(k[0], d.bits), d.bits)
			high[i] = zorder.Align(nil, d.m.Code(k[len(k)-1], d.bits), d.bits)
		}
	}
	return z.curve.Box(low, high)
}

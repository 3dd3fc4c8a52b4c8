package zorder

import (
	"bytes"
	"math/big"
	"slices"
)

// Space is how much of the search space, all addresses of a curve, a box takes.
type Space struct {
	// Excluded is the share of the codes of each dimension that the box leaves out, and 1 where it leaves one code.
	// Codes of values that a map was not made for are counted only if the box has them.
	Excluded  []float64
	Addresses *big.Int // in the box
	Between   *big.Int // from its lowest to its highest address, both included
}

// Space measures a box that is not empty, in a space whose values are mostly inside of another box.
func (b *Box) Space(inside *Box) Space {
	bits := b.curve.bits
	out := Space{Addresses: big.NewInt(1), Between: length(b.min, b.max, b.curve.Bits())}
	low, high := b.curve.Deinterleave(b.min), b.curve.Deinterleave(b.max)
	from, to := b.curve.Deinterleave(inside.min), b.curve.Deinterleave(inside.max)
	for d := range bits {
		codes, excluded := length(low[d], high[d], bits[d]), 1.0
		if codes.Cmp(big.NewInt(1)) != 0 {
			all := length(least(low[d], from[d]), greatest(high[d], to[d]), bits[d])
			excluded = 1 - quotient(codes, all)
		}
		out.Excluded = append(out.Excluded, excluded)
		out.Addresses.Mul(out.Addresses, codes)
	}
	return out
}

// Share is the share of the codes from one to another, bounds included, that are in an interval, too. All have so
// many bits and are left-aligned.
func Share(from, to, low, high []byte, bits int) float64 {
	first, last := greatest(low, from), least(high, to)
	if bytes.Compare(first, last) > 0 {
		return 0
	}
	return quotient(length(first, last, bits), length(from, to, bits))
}

func least(a, b []byte) []byte    { return slices.MinFunc([][]byte{a, b}, bytes.Compare) }
func greatest(a, b []byte) []byte { return slices.MaxFunc([][]byte{a, b}, bytes.Compare) }

// length is how many numbers there are from one to another, both of so many bits and left-aligned.
func length(low, high []byte, bits int) *big.Int {
	n := new(big.Int).Sub(new(big.Int).SetBytes(high), new(big.Int).SetBytes(low))
	n.Rsh(n, uint(8*len(low)-bits))
	return n.Add(n, big.NewInt(1))
}

func quotient(a, b *big.Int) float64 {
	share, _ := new(big.Float).Quo(new(big.Float).SetInt(a), new(big.Float).SetInt(b)).Float64()
	return share
}

package zorder

import (
	"bytes"
	"math/big"
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
		codes := length(low[d], high[d], bits[d])
		all := length(least(low[d], from[d]), greatest(high[d], to[d]), bits[d])
		out.Excluded = append(out.Excluded, excluded(codes, all))
		out.Addresses.Mul(out.Addresses, codes)
	}
	return out
}

func least(a, b []byte) []byte {
	if bytes.Compare(a, b) < 0 {
		return a
	}
	return b
}

func greatest(a, b []byte) []byte {
	if bytes.Compare(a, b) > 0 {
		return a
	}
	return b
}

// length is how many numbers there are from one to another, both of so many bits and left-aligned.
func length(low, high []byte, bits int) *big.Int {
	n := new(big.Int).Sub(new(big.Int).SetBytes(high), new(big.Int).SetBytes(low))
	n.Rsh(n, uint(8*len(low)-bits))
	return n.Add(n, big.NewInt(1))
}

// excluded is the share that some codes leave out of all.
func excluded(codes, all *big.Int) float64 {
	if codes.Cmp(big.NewInt(1)) == 0 {
		return 1
	}
	share, _ := new(big.Float).Quo(new(big.Float).SetInt(codes), new(big.Float).SetInt(all)).Float64()
	return 1 - share
}

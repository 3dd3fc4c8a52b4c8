package store

import "math/bits"

// Segmented are the ranges of so many segments of a space.
func (r Range) Segmented(of int) []Range {
	out := make([]Range, of)
	for i := range out {
		out[i] = r
		out[i].Segment, out[i].Segments = i, of
	}
	return out
}

// InSegment says whether a partition with a hash is in the segment of a range, in a store whose segments are ranges of
// hashes.
func (r Range) InSegment(hash uint64) bool {
	if r.Segments == 0 {
		return true
	}
	n, _ := bits.Mul64(hash, uint64(r.Segments))
	return n == uint64(r.Segment)
}

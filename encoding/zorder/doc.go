// Package zorder turns points of several dimensions into one ordered key and
// boxes of such points into ranges of that key. It is arithmetic on bytes and
// knows nothing of columns, types or stores.
//
// A Z-address interleaves the bits of a point. With two dimensions of two bits,
// y taken first, the point y = 1 (01), x = 2 (10) has the address
//
//	y   0   1
//	x     1   0
//	z   0 1 1 0  = 6
//
// and the plane is walked in the shape that gave the order its name:
//
//	       x=0 x=1 x=2 x=3
//	y=0      0   1   4   5
//	y=1      2   3 [ 6   7 ]
//	y=2      8   9 [12  13 ]
//	y=3     10  11  14  15
//
// The box y 1..2, x 2..3 in brackets has the corners 6 and 13, but of the
// addresses between them only 6, 7, 12 and 13 belong to it. There are two ways
// to read it from a store that can only read ranges:
//
//   - Skip: read from 6 on, ask [Box.Contains] about each key, and on a miss
//     seek to [Box.Next], which answers 12 for 8. Right where a seek is cheap.
//   - Cover: ask [Cover] beforehand for ranges, here 6..7 and 12..13, or
//     6..13 if one more range costs more than reading the four keys between.
//     Right where each range is a request.
//
// Addresses of one [Curve] all have the same length and compare as bytes. If a
// point is nowhere smaller than another, neither is its address, so a box lies
// between the addresses of its corners.
//
// Values become dimensions through the encoders ([Int], [Float64], [Text], ...),
// which keep the order of values in the order of bytes, and optionally through a
// [Map], which spreads unevenly spread values over fewer bits. Both may send
// different values to one code. A box of codes therefore finds every value of a
// box of values and maybe more, and a strict bound on values is an inclusive
// bound on codes; the reader must check the values themselves.
package zorder

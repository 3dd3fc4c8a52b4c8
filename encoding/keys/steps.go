package keys

import (
	"zproxy/encoding/zorder"
	"zproxy/types"
)

// pieces is how many steps a map of numbers has that are not evenly spread by their codes.
const pieces = 256

// Even are knots from one code to another between which values are evenly spread. Codes of integers and times are so
// themselves; those of floats and numerics follow the logarithm.
func Even(low, high uint64, t types.T) zorder.Map {
	if !byLogarithm(t) || low >= high {
		return zorder.Bounds(low, high)
	}
	from, to := number(low, t), number(high, t)
	m := zorder.Map{Knots: []uint64{low}}
	for i := 1; i < pieces; i++ {
		share := float64(i) / pieces
		at := Code(types.NewFloat(from*(1-share)+to*share), floating(t))
		m.Knots = append(m.Knots, min(max(at, m.Knots[i-1]), high))
	}
	m.Knots = append(m.Knots, high)
	return m
}

// Grown are the ends of a map for values that are to go on beyond those that it is made from: by half as much on
// each side, and no further than the limits.
func Grown(first, last uint64, limits [2]uint64, t types.T) (low, high uint64) {
	if !byLogarithm(t) {
		k := zorder.Bounds(first, last).Grown(limits[0], limits[1]).Knots
		return k[0], k[len(k)-1]
	}
	from, to := number(first, t), number(last, t)
	reach := to/2 - from/2
	code := func(f float64) uint64 { return min(max(Code(types.NewFloat(f), floating(t)), limits[0]), limits[1]) }
	return code(from - reach), code(to + reach)
}

func byLogarithm(t types.T) bool { return t.Kind() == types.KindFloat || t.Kind() == types.KindNumeric }

// floating is the type whose codes a type of numbers has: numerics have those of float8.
func floating(t types.T) types.T {
	if t.OID == types.OIDFloat4 {
		return t
	}
	return types.Float8
}

// number is that of a Code of such a type.
func number(code uint64, t types.T) float64 {
	width := plainWidth(floating(t))
	return floatOf(code>>(64-8*width), width)
}

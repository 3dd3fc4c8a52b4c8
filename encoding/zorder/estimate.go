package zorder

import (
	"math"
	"math/big"
)

// SearchSpace returns the number of addresses of a curve with dimensions of the
// given widths.
func SearchSpace(bits ...int) *big.Int {
	total := 0
	for _, b := range bits {
		total += b
	}
	return new(big.Int).Lsh(big.NewInt(1), uint(total))
}

// Addresses returns how many of the addresses of so many bits a query must look
// at when it binds exact of dims equally wide dimensions to one value each and
// leaves the others free: n^((a-b)/a) for n addresses, a dimensions, b of them
// exact. It is a share of the space of addresses, not of the rows in it.
func Addresses(bits, dims, exact int) *big.Int {
	n, _ := power(float64(bits*(dims-exact)) / float64(dims)).Int(nil)
	return n
}

// AddressesShare is Addresses in its general form: the product over all
// dimensions of 2^(width * (1 - excluded)), where excluded is the fraction of
// the dimension that the bound on it rules out, from 0 for no bound to 1 for one
// value.
func AddressesShare(widths []int, excluded []float64) *big.Float {
	exponent := 0.0
	for d, w := range widths {
		exponent += float64(w) * (1 - excluded[d])
	}
	return power(exponent)
}

// power returns 2^x, which may be far beyond the range of a float64.
func power(x float64) *big.Float {
	whole, part := math.Modf(x)
	return new(big.Float).SetMantExp(big.NewFloat(math.Exp2(part)), int(whole))
}

// Side is what a bound leaves of a dimension: a fraction of the rows, 1 for no bound, in so many
// pieces, 1 for an interval.
type Side struct {
	Fraction float64
	Pieces   float64
}

// Estimate is what a skip-scan reads for a box.
type Estimate struct {
	V    float64 // rows in the box
	P    float64 // rows in the cells that it reaches into
	Side float64 // cells of one row to a side of the space
	Cost float64 // in rows
}

// Estimated estimates what a skip-scan of n rows reads for a box, if dimensions are independent.
//
// For a dimensions the space is n cells of one row, n^(1/a) to a side; the box reaches
// into one more per side and piece than fits into it. The cells on its surface
// are read in part and in vain, and each such row costs about four, because
// skipping it needs a seek; v + 4(p-v) was the rule that came closest to the
// fastest index in measurements on uniform, clustered and real data.
func Estimated(n float64, sides []Side) Estimate {
	e := Estimate{V: n, P: 1, Side: math.Pow(n, 1/float64(len(sides)))}
	for _, s := range sides {
		e.V *= s.Fraction
		e.P *= e.Side*s.Fraction + s.Pieces
	}
	e.P = max(e.P, e.V)
	e.Cost = e.V + 4*(e.P-e.V)
	return e
}

// Reads estimates what a skip-scan does for a box by the numbers of [Estimated]: how many of n entries
// it passes over or returns, and how often it seeks. A cell on the surface that is read in vain
// was measured to take two and a half entries, which cost half as much as those returned, and a
// sixth of a seek. Before it seeks a scan passes over eight entries.
func Reads(n, v, p float64) (entries, seeks float64) {
	return math.Min(n, v+2.5*(p-v)), math.Min((p-v)/6, (n-v)/8)
}

// Covers estimates how many ranges a cover has of a box with v of n rows, and how many rows they
// hold, if one more range costs price rows. The rows outside that r ranges hold were measured to be
// a multiple of v that falls with r^(1/(d-1)), as a box has the more surface the more
// dimensions d there are; where the next range costs what it saves ends a cover. It cuts a small
// box once in each dimension but one, and has a price's worth of rows outside in each range.
func Covers(n, v float64, dims int, price float64, most int) (ranges, entries float64) {
	if dims < 2 {
		return 1, v
	}
	surface := []float64{2.9, 3.5, 5}[min(dims, 4)-2]
	edges := float64(dims - 1)
	ranges = math.Pow(surface*v/(edges*price), edges/(edges+1))
	ranges = math.Min(math.Max(ranges, math.Exp2(edges)), float64(most))
	outside := math.Max(surface*v*math.Pow(ranges, -1/edges), price*ranges)
	return ranges, math.Min(n, v+outside)
}

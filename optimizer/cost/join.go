package cost

import "math"

// What the steps of a join cost in memory, in rows that are read.
const (
	buildRow    = 0.6 // to put a row into a hash table
	probeRow    = 0.35
	joinedRow   = 0.2 // to make a row of two
	comparedRow = 0.1 // to try a condition on a pair
)

// Hashed is what it costs to join the rows of two sides through a hash table of the side with fewer rows.
func Hashed(l, r, out float64) float64 {
	return buildRow*math.Min(l, r) + probeRow*math.Max(l, r) + joinedRow*out
}

// Compared is what it costs to compare all rows of two sides.
func Compared(l, r, out float64) float64 {
	return buildRow*r + comparedRow*l*r + joinedRow*out
}

// Found is what it costs to read the partners of so many rows, each at a price.
func Found(rows, each, out float64) float64 { return rows*each + probeRow*rows + joinedRow*out }

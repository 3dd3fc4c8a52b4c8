package price

import "math"

// Hashed is what it costs to join the rows of two sides through a hash table of the side with fewer rows.
func Hashed(l, r, out float64) float64 {
	return buildRow*math.Min(l, r) + probeRow*math.Max(l, r) + joinedRow*out
}

// Compared is what it costs to compare all rows of two sides.
func Compared(l, r, out float64) float64 {
	return buildRow*r + checkedRow*l*r + joinedRow*out
}

// Found is what it costs to read the partners of so many rows, each at a price.
func Found(rows, each, out float64) float64 { return rows*each + probeRow*rows + joinedRow*out }

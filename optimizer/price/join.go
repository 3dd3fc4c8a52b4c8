package price

import "math"

// Hashed is what it costs to join the rows of two sides through a hash table of the side with fewer rows.
func Hashed(l, r, out float64) float64 {
	return Probed(math.Max(l, r), math.Min(l, r), out)
}

// Compared is what it costs to compare all rows of two sides.
func Compared(l, r, out float64) float64 {
	return buildRow*r + CheckedRow*l*r + joinedRow*out
}

// Found is what it costs to read the partners of so many rows, each at a price.
func Found(rows, each, out float64) float64 { return rows*each + probeRow*rows + joinedRow*out }

// Merged is what it costs to merge two sides in the order of their keys, of which so many pairs have equal keys.
func Merged(l, r, pairs float64) float64 { return mergedRow*(l+r) + joinedRow*pairs }

// Probed is what it costs to join the rows of one side through a hash table of those of another one.
func Probed(probe, build, out float64) float64 { return Built(build) + probeRow*probe + joinedRow*out }

// Built is what it costs to put rows into a hash table.
func Built(rows float64) float64 { return buildRow * rows }

// Sorted is what it costs to sort rows of which so many are kept.
func Sorted(rows, kept float64) float64 { return sortedRow * rows * math.Log2(math.Max(2, kept)) }

// Grouped is what it costs to put rows into groups and to compute so many aggregates of each.
func Grouped(rows, groups float64, calls int) float64 {
	return (passedRow+computedRow*float64(calls)+probeRow)*rows + (buildRow+passedRow)*groups
}

// Streamed is what it costs to compute so many aggregates of groups whose rows come one after the other.
func Streamed(rows, groups float64, calls int) float64 {
	return (passedRow+computedRow*float64(calls)+mergedRow)*rows + passedRow*groups
}

// Repeated is what it costs to run a side once for each row of the other one, each time at a price.
func Repeated(rows, each, out float64) float64 { return math.Max(1, rows)*each + joinedRow*out }

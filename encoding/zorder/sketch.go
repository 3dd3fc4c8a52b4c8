package zorder

import "sort"

// Sketch tells how rows lie along a curve: the first 64 bits of addresses, in ascending
// order, with equally many rows between each two. Without quantiles rows are taken to be
// spread evenly over all addresses.
type Sketch struct {
	Quantiles []uint64
	Total     float64 // rows
}

// Rows estimates the rows between two addresses, both included. Between quantiles it takes
// rows to be spread evenly.
func (s Sketch) Rows(lo, hi []byte) float64 {
	low := s.locate(word(lo, 0), fraction(word(lo, 1)), 0, int32(len(s.Quantiles)))
	top, end := word(hi, 0), 1.0
	if len(hi) > 8 {
		end = fraction(word(hi, 1)) + 1.0/(1<<64)
	} else {
		top |= 1<<(64-8*len(hi)) - 1
	}
	high := s.locate(top, end, low.at, int32(len(s.Quantiles)))
	return max(0, high.rows-low.rows)
}

// position is where a point of the curve lies in a sketch.
type position struct {
	rows float64 // thought to lie before it
	at   int32   // the first quantile that does not
}

// locate finds the point that is fraction f of the way from the addresses that begin with x to
// those that begin with x+1. Its quantile is from..to, both included.
func (s Sketch) locate(x uint64, f float64, from, to int32) position {
	q := s.Quantiles
	if len(q) < 2 {
		return position{rows: s.Total * (float64(x) + f) / (1 << 64)}
	}
	for from < to {
		if mid := (from + to) / 2; q[mid] < x {
			from = mid + 1
		} else {
			to = mid
		}
	}
	piece := s.Total / float64(len(q)-1)
	switch i := from; {
	case int(i) == len(q):
		return position{rows: s.Total, at: i}
	case q[i] == x:
		return position{rows: piece * (float64(i) + f*s.heap(int(i))), at: i}
	case i == 0:
		return position{}
	default:
		width := float64(q[i] - q[i-1])
		return position{rows: piece * (float64(i-1) + (float64(x-q[i-1])+f)/width), at: i}
	}
}

// heap is how many pieces lie between a quantile, the first of its value, and the next value:
// many when rows share their first 64 bits.
func (s Sketch) heap(i int) float64 {
	q := s.Quantiles
	next := i + sort.Search(len(q)-i, func(n int) bool { return q[i+n] > q[i] })
	if next == len(q) {
		return float64(next - 1 - i)
	}
	return float64(next-1-i) + 1/float64(q[next]-q[i])
}

// fraction reads 64 bits as a binary fraction.
func fraction(x uint64) float64 { return float64(x) / (1 << 64) }

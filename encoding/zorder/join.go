package zorder

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
)

// inOrder are the parts in the order of their addresses, those that overlap as one.
func (c *coverer) inOrder(first []int32) []*part {
	list := make([]*part, 0, len(c.parts))
	for _, at := range first {
		for ; at >= 0; at = c.parts[at].next {
			list = append(list, &c.parts[at])
		}
	}
	if len(first) == 1 {
		return list
	}
	slices.SortFunc(list, func(p, q *part) int { return slices.Compare(c.at(p.lo), c.at(q.lo)) })
	disjoint := list[:1]
	for _, q := range list[1:] {
		p := disjoint[len(disjoint)-1]
		switch {
		case slices.Compare(c.at(q.lo), c.at(p.hi)) > 0:
			disjoint = append(disjoint, q)
		case slices.Compare(c.at(q.hi), c.at(p.hi)) > 0:
			p.hi, p.high, p.solid = q.hi, q.high, p.solid && q.solid
			fallthrough
		default:
			p.wanted = min(p.wanted+q.wanted, p.high.rows-p.low.rows)
		}
	}
	return disjoint
}

// join makes ranges of parts: one of neighbours when the gap between them
// costs less than a range, or when there would be too many.
func (c *coverer) join(parts []*part) []Range {
	gaps, open := c.gaps(parts)
	list := rangeList{size: c.curve.Len()}
	list.ranges = make([]Range, 0, open+1)
	list.bytes = make([]byte, 0, (open+1)*2*(list.size+8))
	for from := 0; from < len(parts); {
		to, r := from, Range{Inside: parts[from].solid, Wanted: parts[from].wanted}
		for ; gaps[to] < 0; to++ {
			next := parts[to+1]
			r.Inside = r.Inside && next.solid && c.curve.adjacent(c.at(parts[to].hi), c.at(next.lo))
			r.Wanted += next.wanted
		}
		r.Rows = parts[to].high.rows - parts[from].low.rows
		list.add(r, c.at(parts[from].lo), c.at(parts[to].hi))
		from = to + 1
	}
	return list.ranges
}

// gaps are the rows behind each part, below zero where it is one range with the next. It
// says how many gaps are between two ranges, and counts none behind the last part.
func (c *coverer) gaps(parts []*part) (gaps []float64, open int) {
	gaps = make([]float64, len(parts))
	last := len(parts) - 1
	var separate []bool
	if c.o.Rounded && c.o.Price > 0 {
		separate = c.cheapest(parts)
	}
	for i, p := range parts[:last] {
		next := parts[i+1]
		gaps[i] = next.low.rows - p.high.rows
		if separate != nil && !separate[i] || separate == nil && gaps[i] < c.o.Price ||
			c.curve.adjacent(c.at(p.hi), c.at(next.lo)) {
			gaps[i] = -1
		} else {
			open++
		}
	}
	surplus := open - (c.o.Most - 1)
	if surplus <= 0 {
		return gaps, open
	}
	inOrder := slices.Clone(gaps[:last])
	slices.Sort(inOrder)
	bar := inOrder[last-(c.o.Most-1)-1] // the greatest gap to close; of equal ones the first are
	equal := surplus - (sort.SearchFloat64s(inOrder, bar) - (last - open))
	for i, g := range gaps[:last] {
		if g == bar {
			equal--
		}
		if g < bar || g == bar && equal >= 0 {
			gaps[i] = -1
		}
	}
	return gaps, c.o.Most - 1
}

// rounding is what rounding up adds to what a range costs, on average, in prices.
const rounding = 0.5

// cheapest says behind which parts a range ends in the cheapest cover that is made of them, if each
// range is rounded up.
//
// It knows what the first parts cost at least, for one more part at a time, and with which part the last
// range of them begins. That range costs one price or more than that. Of those that cost one, the longest is
// best, since fewer parts never cost more than these and others. Where it costs more, what it costs
// is a sum of what its last part decides and what its first part does; so the best first part stays the best,
// until a further one is better.
func (c *coverer) cheapest(parts []*part) []bool {
	least := make([]float64, len(parts)+1) // for the first parts, in prices
	from := make([]int, len(parts)+1)      // with which the last range of them begins
	first, best, start := 0, math.Inf(1), 0
	for last, p := range parts {
		high := p.high.rows/c.o.Price + rounding
		for ; first <= last; first++ {
			low := parts[first].low.rows / c.o.Price
			if high-low <= 1 {
				break // a range from here on costs one price
			}
			if least[first]-low <= best {
				best, start = least[first]-low, first
			}
		}
		least[last+1], from[last+1] = best+high, start
		if first <= last && least[first]+1 < least[last+1] {
			least[last+1], from[last+1] = least[first]+1, first
		}
	}
	out := make([]bool, len(parts))
	for n := len(parts); n > 0; n = from[n] {
		out[n-1] = true
	}
	return out
}

// rangeList makes ranges whose bytes lie side by side.
type rangeList struct {
	ranges []Range
	bytes  []byte
	size   int // of an address
}

func (l *rangeList) add(r Range, lo, hi []uint64) {
	r.Lo, r.Hi = l.address(lo), l.address(hi)
	l.ranges = append(l.ranges, r)
}

// address is a corner as bytes.
func (l *rangeList) address(z []uint64) []byte {
	start := len(l.bytes)
	for _, w := range z {
		l.bytes = binary.BigEndian.AppendUint64(l.bytes, w)
	}
	l.bytes = l.bytes[:start+l.size]
	return l.bytes[start:len(l.bytes):len(l.bytes)]
}

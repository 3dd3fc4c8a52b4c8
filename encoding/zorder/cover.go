package zorder

import (
	"bytes"
	"cmp"
	"container/heap"
	"math"
	"math/bits"
	"slices"
)

// DefaultMost is the limit on the ranges of a cover that sets none.
const DefaultMost = 1024

// CoverOptions say what the ranges of a cover cost. More ranges read fewer rows
// in vain; fewer ranges are fewer requests.
//
// Most wins over Price: if the price alone would ask for more ranges than Most,
// the gaps that hold the fewest rows are closed. Otherwise every gap between two
// ranges holds at least Price rows. All this is by estimate; a wrong one makes a
// cover dearer, never incomplete.
type CoverOptions struct {
	// Price is how many rows one more range costs.
	Price float64
	// Most is the limit on ranges, DefaultMost if not positive.
	Most int
	// Rows estimates the rows between two addresses, both included. It must not
	// keep or change them.
	Rows func(lo, hi []byte) float64
	// Total is the number of rows if Rows is nil: they are spread evenly then.
	Total float64
}

// Range is an interval of addresses, both ends included.
type Range struct {
	Lo, Hi []byte
	Inside bool // the box contains every address of the range
}

// Cover returns ranges that together contain every address of the box, in
// ascending order and disjoint.
//
// It halves the box where the addresses of its corners first differ, and goes
// on with the halves, the one that would read most rows in vain first, until
// reading in vain is cheaper than another range everywhere. Then it closes the
// gaps that hold fewer rows than a range costs.
func (b *Box) Cover(o CoverOptions) []Range {
	if b.empty {
		return nil
	}
	if o.Most <= 0 {
		o.Most = DefaultMost
	}
	o.Price = max(0, o.Price)
	if o.Rows == nil {
		o.Rows = func(lo, hi []byte) float64 {
			cut := b.curve.differ(lo, hi)
			return o.Total * math.Ldexp(b.curve.span(lo, hi, cut), -cut)
		}
	}
	c := coverer{Curve: b.curve, o: o}
	cut := b.curve.differ(b.min, b.max)
	whole := &part{lo: b.min, hi: b.max, cut: cut, volume: c.volume(b.min, b.max, cut)}
	c.split(whole)
	return c.join(whole)
}

// slack is how many times Most the parts may be before they are joined: two
// parts side by side are one range in the end.
const slack = 2

// coverer is the work of one Cover.
type coverer struct {
	*Curve
	o        CoverOptions
	from, to []byte // space for between
}

// part is a sub-box, given by the addresses of its corners.
type part struct {
	lo, hi []byte
	cut    int     // first bit in which they differ, Bits if none
	volume float64 // addresses inside, as a share of the cell that the bits before the cut make
	waste  float64 // rows between the corners that are outside; below zero if no address is
	next   *part   // the part that follows in the order of addresses
	gap    float64 // rows between this and the next; below zero if no address is
	closed bool    // this and the next are one range
}

// measure estimates what reading a sub-box as one range would waste.
func (c *coverer) measure(p *part) {
	p.waste = -1
	if !c.solid(p) {
		p.waste = c.o.Rows(p.lo, p.hi) * max(0, 1-p.volume/c.span(p.lo, p.hi, p.cut))
	}
}

// solid reports whether every address between the corners lies inside. That is
// so if after the cut lo has only zeros and hi only ones, except perhaps in the
// run of bits that belong to the same dimension as the cut.
func (c *coverer) solid(p *part) bool {
	if p.cut == c.Bits() {
		return true
	}
	for w := (len(p.lo) - 1) / 8; w >= p.cut/64; w-- {
		x := word(p.lo, w) | ^word(p.hi, w)
		if rest := c.Bits() - w*64; rest < 64 {
			x &^= ^uint64(0) >> rest
		}
		if x != 0 {
			return w*64+63-bits.TrailingZeros64(x) < int(c.runs[p.cut])
		}
	}
	return true
}

// split halves the most wasteful part until none is worth it or there are
// enough.
func (c *coverer) split(whole *part) {
	var open queue
	consider := func(p *part) {
		if c.measure(p); p.waste > c.o.Price {
			heap.Push(&open, p)
		}
	}
	consider(whole)
	for n := 1; n < c.o.Most*slack && len(open) > 0; n++ {
		p := heap.Pop(&open).(*part)
		c.halve(p)
		consider(p)
		consider(p.next)
	}
}

// halve cuts a part in two: itself and the next.
func (c *coverer) halve(p *part) {
	cut, d, from := p.cut, c.order[p.cut], int(c.rank[p.cut])+1
	below, above := c.width(p.lo, d, from, true), c.width(p.hi, d, from, false)
	p.next = &part{lo: c.bigmin(p.lo, cut), hi: p.hi, volume: p.volume * above / (below + above), next: p.next}
	p.hi, p.volume = c.litmax(p.hi, cut), p.volume*below/(below+above)
	for _, half := range []*part{p, p.next} {
		half.cut = c.differ(half.lo, half.hi)
		half.volume = math.Ldexp(half.volume, half.cut-cut)
	}
}

// join makes ranges of the parts: one of neighbours when the gap between them
// costs less than a range, or when there would be too many.
func (c *coverer) join(p *part) []Range {
	open := c.close(p)
	ranges := make([]Range, 0, open+1)
	for ; p != nil; p = p.next {
		r := Range{Lo: p.lo, Hi: p.hi, Inside: p.waste < 0}
		for ; p.closed; p = p.next {
			r.Hi = p.next.hi
			r.Inside = r.Inside && p.gap < 0 && p.next.waste < 0
		}
		ranges = append(ranges, r)
	}
	return ranges
}

// close decides which gaps to close, and returns the number of the others.
func (c *coverer) close(p *part) int {
	var open []*part
	for ; p.next != nil; p = p.next {
		p.gap = c.between(p.hi, p.next.lo)
		if p.closed = p.gap < c.o.Price; !p.closed {
			open = append(open, p)
		}
	}
	surplus := max(0, len(open)-(c.o.Most-1))
	if surplus > 0 {
		slices.SortStableFunc(open, func(p, q *part) int { return cmp.Compare(p.gap, q.gap) })
		for _, p := range open[:surplus] {
			p.closed = true
		}
	}
	return len(open) - surplus
}

// between estimates the rows between two addresses, both excluded; it is below
// zero if there is no address between.
func (c *coverer) between(lo, hi []byte) float64 {
	c.from, _ = After(c.from[:0], lo, c.Bits())
	if bytes.Equal(c.from, hi) {
		return -1
	}
	c.to, _ = Before(c.to[:0], hi, c.Bits())
	return max(0, c.o.Rows(c.from, c.to))
}

// queue is a heap of parts, the most wasteful first.
type queue []*part

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].waste > q[j].waste }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(*part)) }

// Pop removes the last part; heap.Interface wants it.
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

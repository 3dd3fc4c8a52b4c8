package zorder

import (
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
	// Rounded says that a range costs a whole number of prices, one at least: what is read of it is
	// rounded up, and it costs nothing besides.
	Rounded bool
	// Most is the limit on ranges, DefaultMost if not positive.
	Most int
	// Rows tells where along the curve the rows are.
	Rows Sketch
}

// Range is an interval of addresses, both ends included.
type Range struct {
	Lo, Hi []byte
	Inside bool // the boxes contain every address of the range
	// Rows are thought to be in the range, and of them Wanted in the boxes.
	Rows, Wanted float64
}

// Cover returns ranges that together contain every address of the boxes, all of one
// curve, in ascending order and disjoint.
//
// It halves a box where the addresses of its corners first differ, and goes
// on with the halves, the one that would read most rows in vain first, until
// reading in vain is cheaper than another range everywhere. Then it closes the
// gaps that hold fewer rows than a range costs. If the estimates of rows are right and
// Most is not reached, no other cover has a smaller sum of rows and prices.
func Cover(boxes []Box, o CoverOptions) []Range {
	if o.Most <= 0 {
		o.Most = DefaultMost
	}
	o.Price = max(0, o.Price)
	boxes = slices.DeleteFunc(slices.Clone(boxes), func(b Box) bool { return b.empty })
	if len(boxes) == 0 {
		return nil
	}
	c := newCoverer(boxes[0].curve, o)
	first := make([]int32, len(boxes))
	for i := range boxes {
		first[i] = c.whole(&boxes[i])
	}
	c.split()
	return c.join(c.inOrder(first))
}

// Cover is the cover of one box.
func (b *Box) Cover(o CoverOptions) []Range { return Cover([]Box{*b}, o) }

// coverer is the work of one Cover.
type coverer struct {
	curve   *Curve
	o       CoverOptions
	of      []sides // by box
	parts   []part
	queue   []open
	corners []uint64
}

// newCoverer has room for a cover of few ranges.
func newCoverer(curve *Curve, o CoverOptions) *coverer {
	const few = 32
	return &coverer{
		curve: curve, o: o, parts: make([]part, 0, few), queue: make([]open, 0, few),
		corners: make([]uint64, 0, 2*few*((curve.Len()+7)/8)),
	}
}

// part is a sub-box, given by the addresses of its corners.
type part struct {
	low, high position // where lo is in the sketch, and what follows hi
	volume    float64  // addresses inside, as a share of the cell that the bits before the cut make
	wanted    float64  // rows that are thought to be inside
	lo, hi    int32    // where the corners are
	of        int32    // the box
	cut       int32    // first bit in which the corners differ, Bits if none
	raised    uint32   // dimensions, as bits, whose lower bound is one of a cell
	sunk      uint32   // and whose upper bound is
	next      int32    // the part that follows in the order of addresses, -1 if none
	solid     bool     // every address between the corners is inside
}

// sides tell how far the bounds of a box are from the middles of cells: for each address bit,
// if a cell is cut there, what share of the half below is above the lower bound in the
// dimension of the bit, and of the half above below the upper bound.
type sides struct {
	box          *Box
	below, above []float64
}

// whole makes a part of a box.
func (c *coverer) whole(b *Box) int32 {
	n := c.curve.Bits()
	table := make([]float64, 2*n)
	s := sides{box: b, below: table[:n], above: table[n:]}
	p := part{lo: c.corner(b.min), hi: c.corner(b.max), of: int32(len(c.of)), next: -1}
	lo, hi := c.at(p.lo), c.at(p.hi)
	s.measure(lo, hi)
	p.cut = int32(c.curve.cut(lo, hi))
	p.volume = s.volume(lo, hi, int(p.cut))
	last := int32(len(c.o.Rows.Quantiles))
	p.low = c.locate(lo, 0, 0, last)
	p.high = c.locate(hi, 1, p.low.at, last)
	c.of = append(c.of, s)
	c.parts = append(c.parts, p)
	at := int32(len(c.parts) - 1)
	c.consider(at)
	return at
}

// corner keeps an address.
func (c *coverer) corner(z []byte) int32 {
	at := len(c.corners)
	for w := range (len(z) + 7) / 8 {
		c.corners = append(c.corners, word(z, w))
	}
	return int32(at)
}

// at is the corner of a number.
func (c *coverer) at(corner int32) []uint64 {
	return c.corners[corner:][:(c.curve.Len()+7)/8]
}

// locate finds an address, or with one unit the address that follows, in the sketch.
func (c *coverer) locate(z []uint64, unit float64, from, to int32) position {
	x, f := z[0], unit
	if n := c.curve.Bits(); n < 64 {
		if unit > 0 {
			x |= 1<<(64-n) - 1
		}
	} else if len(z) > 1 {
		f = fraction(z[1]) + unit/(1<<64)
	}
	return c.o.Rows.locate(x, f, from, to)
}

// consider puts a part into the queue, if to read it as one range would waste more than the price
// of a range.
func (c *coverer) consider(at int32) {
	p := &c.parts[at]
	lo, hi, cut := c.at(p.lo), c.at(p.hi), int(p.cut)
	rows := p.high.rows - p.low.rows
	p.wanted = rows
	if p.solid = c.curve.solid(lo, hi, cut); p.solid {
		return
	}
	p.wanted *= p.volume / c.curve.span(lo, hi, cut)
	price := c.o.Price
	if c.o.Rounded {
		price *= rounding
	}
	if waste := rows - p.wanted; waste > price {
		c.push(open{waste, at})
	}
}

// split halves the most wasteful part until none is worth it or there are
// enough: half as many again as ranges, since two parts side by side are one range in the end.
func (c *coverer) split() {
	most := c.o.Most + c.o.Most/2
	for len(c.parts) < most && len(c.queue) > 0 {
		if n := len(c.parts); n == cap(c.parts) {
			more := min(most-n, 7*n) // few covers are between small and as large as may be
			c.parts, c.queue = slices.Grow(c.parts, more), slices.Grow(c.queue, more)
			c.corners = slices.Grow(c.corners, more*2*((c.curve.Len()+7)/8))
		}
		at := c.pop().part
		c.halve(at)
		c.consider(at)
		c.consider(c.parts[at].next)
	}
}

// halve cuts a part in two: itself and the next.
func (c *coverer) halve(at int32) {
	n := len(c.corners)
	c.corners = append(c.corners, c.at(c.parts[at].hi)...)
	c.corners = append(c.corners, c.at(c.parts[at].lo)...)
	p := &c.parts[at]
	q := *p
	p.hi, q.lo = int32(n), int32((n+len(c.corners))/2)
	s := &c.of[p.of]
	cut, d := int(p.cut), c.curve.order[p.cut]
	below, above := 1.0, 1.0
	if p.raised>>d&1 == 0 {
		below = s.below[cut]
	}
	if p.sunk>>d&1 == 0 {
		above = s.above[cut]
	}
	p.sunk, q.raised = p.sunk|1<<d, q.raised|1<<d
	s.box.litmax(c.at(p.hi), cut)
	s.box.bigmin(c.at(q.lo), cut)
	p.high = c.locate(c.at(p.hi), 1, p.low.at, q.high.at)
	q.low = c.locate(c.at(q.lo), 0, p.high.at, q.high.at)
	whole := p.volume / (below + above)
	p.cut, q.cut = int32(c.curve.cut(c.at(p.lo), c.at(p.hi))), int32(c.curve.cut(c.at(q.lo), c.at(q.hi)))
	p.volume, q.volume = doubled(whole*below, int(p.cut)-cut), doubled(whole*above, int(q.cut)-cut)
	p.next = int32(len(c.parts))
	c.parts = append(c.parts, q)
}

// doubled is x times 2^n.
func doubled(x float64, n int) float64 {
	if n < 64 {
		return x * float64(uint64(1)<<n)
	}
	return math.Ldexp(x, n)
}

// solid reports whether every address between two corners lies inside. That is
// so if after the cut lo has only zeros and hi only ones, except perhaps in the
// run of bits that belong to the same dimension as the cut.
func (c *Curve) solid(lo, hi []uint64, cut int) bool {
	if cut == c.Bits() {
		return true
	}
	for w := len(lo) - 1; w >= cut/64; w-- {
		x := lo[w] | ^hi[w]
		if rest := c.Bits() - w*64; rest < 64 {
			x &^= ^uint64(0) >> rest
		}
		if x != 0 {
			return w*64+63-bits.TrailingZeros64(x) < int(c.runs[cut])
		}
	}
	return true
}

// open is a part in the queue, a heap with the most wasteful part first.
type open struct {
	waste float64
	part  int32
}

func (c *coverer) push(o open) {
	c.queue = append(c.queue, o)
	q, i := c.queue, len(c.queue)-1
	for i > 0 && q[(i-1)/2].waste < o.waste {
		q[i] = q[(i-1)/2]
		i = (i - 1) / 2
	}
	q[i] = o
}

func (c *coverer) pop() open {
	q, last := c.queue, len(c.queue)-1
	first, o := q[0], q[last]
	q, i := q[:last], 0
	for {
		child := 2*i + 1
		if child+1 < last && q[child+1].waste > q[child].waste {
			child++
		}
		if child >= last || q[child].waste <= o.waste {
			break
		}
		q[i] = q[child]
		i = child
	}
	if last > 0 {
		q[i] = o
	}
	c.queue = q
	return first
}

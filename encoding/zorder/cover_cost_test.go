package zorder

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

// The store that covers are for, played: entries of rowBytes, and a request that costs a unit
// for each unitBytes begun. A read that need not be consistent costs half.
const (
	rowBytes  = 120.0
	unitBytes = 4096.0
)

// coverGoals are what reading a cover may cost, for dimensions and rows in the box: units in
// multiples of what the rows in the box alone would cost. Boxes have more surface the more
// dimensions there are, so the cheapest of all covers of 20,000 rows costs about 1.08, 1.32 and
// 1.74 times that. There is some room for chance.
var coverGoals = []struct{ dims, rows, ratio, requests float64 }{
	{2, 200, 2.6, 12}, {2, 2000, 1.45, 32}, {2, 20000, 1.2, 80},
	{3, 200, 4.5, 25}, {3, 2000, 2.4, 80}, {3, 20000, 1.6, 256},
	{4, 200, 8.5, 30}, {4, 2000, 4.2, 160}, {4, 20000, 2.3, 400},
}

// TestCoverCost reads covers of boxes of uniform rows, at most 512 ranges each, and compares
// what that costs with the goals and with the cheapest of all covers.
func TestCoverCost(t *testing.T) {
	r := random(t)
	var f *field
	for _, goal := range coverGoals {
		if f == nil || len(f.bits) != int(goal.dims) {
			f = newField(r, t, int(goal.dims))
		}
		const boxes = 15
		var units, ideal, best, requests, read, in float64
		for range boxes {
			b := f.box(r, goal.rows/float64(len(f.rows)))
			ranges := b.Cover(CoverOptions{Price: unitBytes / rowBytes, Rounded: true, Most: 512, Rows: f.sketch})
			for _, g := range ranges {
				n := f.between(g.Lo, g.Hi)
				read += n
				units += cost(n)
			}
			runs := f.inside(&b)
			n := f.count(runs)
			in += n
			ideal += cost(n)
			best += f.best(runs)
			requests += float64(len(ranges))
		}
		t.Logf("%v dimensions, %5v rows: %6.1f requests, %6.1f units, %.2f times the ideal and %.2f times the cheapest; %.2f rows read for one in the box",
			goal.dims, goal.rows, requests/boxes, units/boxes, units/ideal, units/best, read/in)
		n, entries := Covers(float64(len(f.rows)), goal.rows, int(goal.dims), unitBytes/rowBytes, 512)
		if ratio(n, requests/boxes) > 4 || ratio(entries, read/boxes) > 2 {
			t.Errorf("thought to be %.1f requests and %.0f rows, in fact %.1f and %.0f", n, entries, requests/boxes,
				read/boxes)
		}
		if units > ideal*goal.ratio || requests > boxes*goal.requests {
			t.Errorf("more than %v times the ideal or %v requests", goal.ratio, goal.requests)
		}
	}
}

// ratio is how many times one number is the other.
func ratio(a, b float64) float64 { return max(a/b, b/a) }

// cost is what a request costs that reads some rows.
func cost(rows float64) float64 { return max(1, math.Ceil(rows*rowBytes/unitBytes)) }

// field is uniform rows on a curve of 64 bits or a little less.
type field struct {
	*Curve
	rows   []uint64 // in order
	sketch Sketch
}

func newField(r *rand.Rand, t *testing.T, dims int) *field {
	widths := make([]int, dims)
	for d := range widths {
		widths[d] = 64 / dims
	}
	f := &field{Curve: mustNew(t, widths...), rows: make([]uint64, 1<<20)}
	for i := range f.rows {
		f.rows[i] = r.Uint64() << (64 - f.Bits())
	}
	slices.Sort(f.rows)
	f.sketch = Sketch{Total: float64(len(f.rows))}
	for i := range 4097 {
		f.sketch.Quantiles = append(f.sketch.Quantiles, f.rows[i*(len(f.rows)-1)/4096])
	}
	return f
}

// box is as wide in each dimension, around a random row, and holds a share of the space.
func (f *field) box(r *rand.Rand, share float64) Box {
	at := f.Deinterleave(binary.BigEndian.AppendUint64(nil, f.rows[r.IntN(len(f.rows))]))
	from, to := make([]float64, len(at)), make([]float64, len(at))
	around := func(half float64) float64 {
		volume := 1.0
		for d, v := range at {
			x := fraction(word(v, 0))
			from[d], to[d] = max(0, x-half), min(x+half, 1)
			volume *= to[d] - from[d]
		}
		return volume
	}
	width := float64(sort.Search(1<<20, func(n int) bool { return around(float64(n)/(1<<20)) >= share }))
	around(width / (1 << 20))
	low, high := make([][]byte, len(at)), make([][]byte, len(at))
	for d, n := range f.bits {
		low[d] = Align(nil, uint64(math.Ldexp(from[d], n)), n)
		high[d] = Align(nil, uint64(math.Ldexp(to[d], n))-1, n)
	}
	return f.Box(low, high)
}

// between counts rows.
func (f *field) between(lo, hi []byte) float64 {
	from, _ := slices.BinarySearch(f.rows, word(lo, 0))
	end := word(hi, 0) | (1<<(64-f.Bits()) - 1)
	to := sort.Search(len(f.rows), func(i int) bool { return f.rows[i] > end })
	return float64(to - from)
}

// run is an interval of rows.
type run struct{ from, to int }

// inside are the rows in a box, those side by side as one run.
func (f *field) inside(b *Box) []run {
	var out []run
	var z [8]byte
	from, _ := slices.BinarySearch(f.rows, word(b.Min(), 0))
	for i, row := range f.rows[from:] {
		if row > word(b.Max(), 0) {
			break
		}
		binary.BigEndian.PutUint64(z[:], row)
		switch at := from + i; {
		case !b.Contains(z[:]):
		case len(out) > 0 && out[len(out)-1].to == at:
			out[len(out)-1].to++
		default:
			out = append(out, run{at, at + 1})
		}
	}
	return out
}

func (f *field) count(runs []run) (n float64) {
	for _, r := range runs {
		n += float64(r.to - r.from)
	}
	return n
}

// best is what the cheapest of all covers costs, to find which takes knowing all rows.
func (f *field) best(runs []run) float64 {
	least := make([]float64, len(runs)+1) // for the first runs
	for last := range runs {
		least[last+1] = math.Inf(1)
		for first := last; first >= 0; first-- {
			c := cost(float64(runs[last].to - runs[first].from))
			if c > least[last+1] {
				break
			}
			least[last+1] = min(least[last+1], least[first]+c)
		}
	}
	return least[len(runs)]
}

// TestSplitting compares covers with the cheapest of ranges that end anywhere, by what a sketch knows: those
// made of parts a twentieth as wasteful. So what the cheapest cover saves beyond that is to know each row.
func TestSplitting(t *testing.T) {
	r := random(t)
	for dims := 2; dims <= 4; dims++ {
		f := newField(r, t, dims)
		for _, rows := range []float64{200, 2000} {
			var got, fine float64
			for range 10 {
				b := f.box(r, rows/float64(len(f.rows)))
				o := CoverOptions{Price: unitBytes / rowBytes, Rounded: true, Most: 1 << 20, Rows: f.sketch}
				got += o.thought(b.Cover(o))
				c := newCoverer(f.Curve, o)
				c.o.Price /= 20
				first := []int32{c.whole(&b)}
				c.split()
				c.o.Price = o.Price
				fine += o.thought(c.join(c.inOrder(first)))
			}
			t.Logf("%d dimensions, %5v rows: %.1f prices, with small parts %.1f", dims, rows, got, fine)
			if got > fine*1.001 {
				t.Errorf("%d dimensions, %v rows: %.1f prices, of which %.1f would do", dims, rows, got, fine)
			}
		}
	}
}

// thought is what ranges are thought to cost, in prices.
func (o *CoverOptions) thought(ranges []Range) (sum float64) {
	for _, g := range ranges {
		sum += max(1, g.Rows/o.Price+rounding)
	}
	return sum
}

// TestCheapest compares the ranges that parts are joined to with all ways to join them.
func TestCheapest(t *testing.T) {
	r := random(t)
	for range 200 {
		c := coverer{o: CoverOptions{Price: 10, Rounded: true}}
		parts, at := make([]*part, 1+r.IntN(8)), 0.0
		for i := range parts {
			low := at + 30*r.Float64()
			at = low + 40*r.Float64()
			parts[i] = &part{low: position{rows: low}, high: position{rows: at}}
		}
		price := func(ends func(int) bool) (sum float64) {
			first := 0
			for i := range parts {
				if i == len(parts)-1 || ends(i) {
					sum += max(1, (parts[i].high.rows-parts[first].low.rows)/10+rounding)
					first = i + 1
				}
			}
			return sum
		}
		best := math.Inf(1)
		for ways := range 1 << (len(parts) - 1) {
			best = min(best, price(func(i int) bool { return ways>>i&1 == 1 }))
		}
		separate := c.cheapest(parts)
		if got := price(func(i int) bool { return separate[i] }); math.Abs(got-best) > 1e-9 {
			t.Fatalf("%v prices, of which %v would do", got, best)
		}
	}
}

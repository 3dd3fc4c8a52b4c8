package zorder

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// sketchOf is a sketch of rows at random addresses.
func sketchOf(r *rand.Rand, c *Curve) Sketch {
	s := Sketch{Total: float64(r.IntN(1000))}
	for range r.IntN(100) {
		s.Quantiles = append(s.Quantiles, word(address(c, r.Uint64N(1<<c.Bits())), 0))
	}
	slices.Sort(s.Quantiles)
	return s
}

// randomBoxes are some boxes of one curve, and the addresses in any of them.
func randomBoxes(r *rand.Rand, c *Curve) ([]Box, []bool) {
	var boxes []Box
	all := make([]bool, 1<<c.Bits())
	for range 1 + r.IntN(3)*r.IntN(3) {
		b, in := randomBox(r, c)
		boxes = append(boxes, b)
		for z := range in {
			all[z] = all[z] || in[z]
		}
	}
	return boxes, all
}

// checkCover compares a cover with the addresses of its boxes.
func checkCover(t *testing.T, c *Curve, ranges []Range, in []bool, o CoverOptions) {
	t.Helper()
	if o.Most > 0 && len(ranges) > o.Most {
		t.Fatalf("widths %v: %d ranges, at most %d allowed", c.bits, len(ranges), o.Most)
	}
	covered, end := make([]bool, len(in)), -1
	for _, r := range ranges {
		lo, hi := int(number(c, r.Lo)), int(number(c, r.Hi))
		if lo <= end || hi < lo {
			t.Fatalf("widths %v: range %d..%d after %d", c.bits, lo, hi, end)
		}
		inside := true
		for z := lo; z <= hi; z++ {
			covered[z] = true
			inside = inside && in[z]
		}
		if r.Inside && !inside {
			t.Fatalf("widths %v: range %d..%d is not inside", c.bits, lo, hi)
		}
		end = hi
	}
	for z := range in {
		if in[z] && !covered[z] {
			t.Fatalf("widths %v: %d of the box is not covered by %v", c.bits, z, ranges)
		}
	}
}

func TestCover(t *testing.T) {
	r := random(t)
	for _, bits := range smallOnes {
		c := mustNew(t, bits...)
		for range 60 {
			boxes, in := randomBoxes(r, c)
			o := CoverOptions{Price: r.Float64() * 4, Most: r.IntN(6), Rows: Sketch{Total: float64(len(in))}}
			if r.IntN(2) == 0 {
				o.Rows = sketchOf(r, c)
			}
			checkCover(t, c, Cover(boxes, o), in, o)
		}
	}
}

// If ranges cost nothing a cover is exact and as short as that allows.
func TestFreeRangesCoverExactly(t *testing.T) {
	r := random(t)
	for _, bits := range smallOnes {
		c := mustNew(t, bits...)
		for range 60 {
			boxes, in := randomBoxes(r, c)
			runs := 0
			for z := range in {
				if in[z] && (z == 0 || !in[z-1]) {
					runs++
				}
			}
			ranges := Cover(boxes, CoverOptions{Rows: Sketch{Total: float64(len(in))}})
			checkCover(t, c, ranges, in, CoverOptions{})
			for _, r := range ranges {
				if !r.Inside {
					t.Fatalf("widths %v: range %x..%x is not said to be inside", bits, r.Lo, r.Hi)
				}
			}
			if len(ranges) != runs {
				t.Fatalf("widths %v: %d ranges, want %d", bits, len(ranges), runs)
			}
		}
	}
}

// No gap between two ranges holds fewer rows than a range costs.
func TestCoverIsWorthItsPrice(t *testing.T) {
	c := mustNew(t, 6, 6)
	r := random(t)
	for range 100 {
		b, _ := randomBox(r, c)
		o := CoverOptions{Price: float64(r.IntN(50)), Rows: Sketch{Total: 4096}}
		ranges := b.Cover(o)
		for i := 1; i < len(ranges); i++ {
			if gap := number(c, ranges[i].Lo) - number(c, ranges[i-1].Hi) - 1; float64(gap) < o.Price*(1-1e-9) {
				t.Fatalf("gap of %d rows, price %v", gap, o.Price)
			}
		}
	}
}

// Sums of logarithms must agree with counting.
func TestVolumeAndSpan(t *testing.T) {
	r := random(t)
	for _, bits := range smallOnes {
		c := mustNew(t, bits...)
		for range 60 {
			b, in := randomBox(r, c)
			if b.Empty() {
				continue
			}
			n := 0
			for z := range in {
				if in[z] {
					n++
				}
			}
			o := newCoverer(c, CoverOptions{})
			p := o.parts[o.whole(&b)]
			if v := math.Ldexp(p.volume, c.Bits()-int(p.cut)); math.Abs(v-float64(n)) > 1e-6 {
				t.Fatalf("widths %v, box %x..%x: volume %v, want %d", bits, b.min, b.max, v, n)
			}
			want := float64(number(c, b.max) - number(c, b.min) + 1)
			if s := math.Ldexp(c.span(o.at(p.lo), o.at(p.hi), int(p.cut)),
				c.Bits()-int(p.cut)); math.Abs(s-want) > 1e-6 {
				t.Fatalf("widths %v: %x..%x spans %v, want %v", bits, b.min, b.max, s, want)
			}
		}
	}
}

func TestAdjacent(t *testing.T) {
	r := random(t)
	for _, bits := range [][]int{{1}, {8}, {3, 2}, {5, 5}, {8, 8}} {
		c := mustNew(t, bits...)
		for n := range uint64(1) << c.Bits() {
			for _, m := range []uint64{n, n + 1, n ^ 1<<r.IntN(c.Bits()), r.Uint64N(1 << c.Bits())} {
				m &= 1<<c.Bits() - 1
				lo, hi := []uint64{word(address(c, n), 0)}, []uint64{word(address(c, m), 0)}
				if got := c.adjacent(lo, hi); got != (n+1 == m) {
					t.Fatalf("widths %v: %d and %d adjacent: %v", bits, n, m, got)
				}
			}
		}
	}
}

func TestAfterAndBefore(t *testing.T) {
	for _, bits := range [][]int{{1}, {8}, {3, 2}, {5, 5}, {8, 8}} {
		c := mustNew(t, bits...)
		for n := uint64(0); n < 1<<c.Bits()-1; n++ {
			z, next := address(c, n), address(c, n+1)
			if got, _ := After(nil, z, c.Bits()); !bytes.Equal(got, next) {
				t.Fatalf("widths %v: after %x comes %x", bits, z, got)
			}
			if got, _ := Before(nil, next, c.Bits()); !bytes.Equal(got, z) {
				t.Fatalf("widths %v: before %x comes %x", bits, next, got)
			}
		}
	}
}

// Long addresses, boxes of all shapes: points of the box are in the cover, and
// points of an inside range are in the box.
func TestCoverOfLongAddresses(t *testing.T) {
	r := random(t)
	for range 100 {
		bits := randomWidths(r, 90)
		c := mustNew(t, bits...)
		lo, hi := randomPoint(r, bits), randomPoint(r, bits)
		for d := range lo {
			copy(hi[d], lo[d][:r.IntN(len(lo[d])+1)])
			if bytes.Compare(lo[d], hi[d]) > 0 {
				lo[d], hi[d] = hi[d], lo[d]
			}
		}
		b := c.Box(lo, hi)
		ranges := b.Cover(CoverOptions{Price: 10, Most: 1 + r.IntN(50),
			Rows: Sketch{Total: math.Exp2(float64(r.IntN(100)))}})
		for range 50 {
			z := nearby(r, &b, lo, hi)
			checkCovered(t, &b, ranges, z)
			if next, ok := b.Next(nil, z); ok {
				checkCovered(t, &b, ranges, next)
			}
			checkCovered(t, &b, ranges, randomIn(r, ranges))
		}
	}
}

// randomIn returns an end of one of the ranges or a neighbour of it.
func randomIn(r *rand.Rand, ranges []Range) []byte {
	x := ranges[r.IntN(len(ranges))]
	if r.IntN(2) == 0 {
		return x.Lo
	}
	return x.Hi
}

func checkCovered(t *testing.T, b *Box, ranges []Range, z []byte) {
	t.Helper()
	for _, r := range ranges {
		if bytes.Compare(r.Lo, z) <= 0 && bytes.Compare(z, r.Hi) <= 0 {
			if r.Inside && !b.Contains(z) {
				t.Fatalf("widths %v: %x is in range %x..%x, but not inside", b.curve.bits, z, r.Lo, r.Hi)
			}
			return
		}
	}
	if b.Contains(z) {
		t.Fatalf("widths %v: %x of the box is not covered", b.curve.bits, z)
	}
}

package zorder

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"zproxy/internal/testseed"
)

// random returns a source of random numbers that a failing test can repeat.
func random(t testing.TB) *rand.Rand {
	return rand.New(rand.NewPCG(testseed.Of(t), 0))
}

func mustNew(t testing.TB, bits ...int) *Curve {
	c, err := New(bits...)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// point makes a point of small numbers.
func point(c *Curve, v ...uint64) [][]byte {
	p := make([][]byte, len(v))
	for d := range v {
		p[d] = Align(nil, v[d], c.bits[d])
	}
	return p
}

// number is the address as a number; it must have at most 64 bits.
func number(c *Curve, z []byte) uint64 { return word(z, 0) >> (64 - c.Bits()) }

// address is the inverse of number.
func address(c *Curve, n uint64) []byte { return Align(nil, n, c.Bits()) }

// smallOnes have few enough addresses to enumerate all.
var smallOnes = [][]int{
	{4}, {3, 3}, {1, 5}, {5, 1}, {2, 4}, {2, 2, 2}, {1, 2, 4}, {4, 1, 2}, {3, 1, 2, 2}, {2, 2, 2, 2}, {1, 1, 1, 1, 1},
}

func TestNewRefuses(t *testing.T) {
	for _, bits := range [][]int{{}, {0}, {8, -1}, {8193}, make([]int, 17)} {
		if _, err := New(bits...); err == nil {
			t.Errorf("New(%v) succeeds", bits)
		}
	}
}

// The first of two attributes in the encoding order gives the first bit.
func TestFirstDimensionGivesFirstBit(t *testing.T) {
	c := mustNew(t, 8, 8) // y, x
	for _, tc := range []struct {
		y, x, z uint64
	}{
		{0x80, 0, 0x8000}, {0, 0x80, 0x4000}, {1, 0, 2}, {0, 1, 1}, {0xff, 0, 0xaaaa}, {0b0101, 0b0011, 0b00100111},
	} {
		if z := number(c, c.Interleave(nil, point(c, tc.y, tc.x))); z != tc.z {
			t.Errorf("y %b, x %b: address %b, want %b", tc.y, tc.x, z, tc.z)
		}
	}
}

// The picture in the package comment.
func TestPackagePicture(t *testing.T) {
	c := mustNew(t, 2, 2)
	want := [4][4]uint64{{0, 1, 4, 5}, {2, 3, 6, 7}, {8, 9, 12, 13}, {10, 11, 14, 15}}
	for y := range want {
		for x := range want[y] {
			if z := number(c, c.Interleave(nil, point(c, uint64(y), uint64(x)))); z != want[y][x] {
				t.Errorf("y %d, x %d: address %d, want %d", y, x, z, want[y][x])
			}
		}
	}
	b := c.Box(point(c, 1, 2), point(c, 2, 3))
	if z, _ := b.Next(nil, address(c, 8)); number(c, b.Min()) != 6 || number(c, b.Max()) != 13 || number(c, z) != 12 {
		t.Errorf("box from %x to %x, after 8 %x", b.Min(), b.Max(), z)
	}
}

// Four attributes of two bytes make an address of eight.
func TestFourShorts(t *testing.T) {
	c := mustNew(t, 16, 16, 16, 16)
	z := c.Interleave(nil, point(c, 5, 2, 8, 1))
	if got, want := binary.BigEndian.Uint64(z), uint64(0b0010_1000_0100_1001); len(z) != 8 || got != want {
		t.Errorf("address %b, want %b", got, want)
	}
}

// interleaveSlowly takes the bits one by one.
func interleaveSlowly(c *Curve, bits []int, p [][]byte) []byte {
	z, n := make([]byte, c.Len()), 0
	for r := range MaxBits {
		for d := range bits {
			if r < bits[d] {
				if bit(p[d], r) {
					setBit(z, n)
				}
				n++
			}
		}
	}
	return z
}

func randomPoint(r *rand.Rand, bits []int) [][]byte {
	p := make([][]byte, len(bits))
	for d, b := range bits {
		p[d] = make([]byte, (b+7)/8)
		for i := range p[d] {
			p[d][i] = byte(r.Uint32())
		}
		p[d][len(p[d])-1] &= 0xff << (len(p[d])*8 - b)
	}
	return p
}

func randomWidths(r *rand.Rand, most int) []int {
	bits := make([]int, 1+r.IntN(MaxDims))
	for d := range bits {
		bits[d] = 1 + r.IntN(most)
	}
	return bits
}

func TestInterleave(t *testing.T) {
	r := random(t)
	for range 300 {
		bits := randomWidths(r, 100)
		c := mustNew(t, bits...)
		p := randomPoint(r, bits)
		z := c.Interleave([]byte{1, 2}, p)
		if !bytes.Equal(z[:2], []byte{1, 2}) || len(z) != 2+c.Len() {
			t.Fatalf("widths %v: %x, want %d bytes after 0102", bits, z, c.Len())
		}
		if want := interleaveSlowly(c, bits, p); !bytes.Equal(z[2:], want) {
			t.Fatalf("widths %v, point %x: address %x, want %x", bits, p, z[2:], want)
		}
		for d, v := range c.Deinterleave(z[2:]) {
			if !bytes.Equal(v, p[d]) {
				t.Fatalf("widths %v, point %x: dimension %d comes back as %x", bits, p, d, v)
			}
		}
	}
}

func TestInterleaveIgnoresWhatDoesNotCount(t *testing.T) {
	c := mustNew(t, 12, 20)
	want := c.Interleave(nil, [][]byte{{0xab, 0xc0}, {0x12, 0, 0}})
	if z := c.Interleave(nil, [][]byte{{0xab, 0xcf, 0x77}, {0x12}}); !bytes.Equal(z, want) {
		t.Errorf("address %x, want %x", z, want)
	}
}

func TestWidestCurve(t *testing.T) {
	bits := make([]int, MaxDims)
	for d := range bits {
		bits[d] = MaxBits
	}
	c := mustNew(t, bits...)
	p := randomPoint(random(t), bits)
	z := c.Interleave(nil, p)
	b := c.Box(p, p)
	if len(z) != 16384 || !b.Contains(z) {
		t.Errorf("address of %d bytes, contained in its own box: %t", len(z), b.Contains(z))
	}
}

// If no dimension falls, the address does not fall.
func TestOrderOfDimensionsIsOrderOfAddresses(t *testing.T) {
	r := random(t)
	for range 300 {
		bits := randomWidths(r, 70)
		c := mustNew(t, bits...)
		p, q := randomPoint(r, bits), randomPoint(r, bits)
		for d := range p {
			if r.IntN(3) == 0 {
				q[d] = p[d]
			}
			if bytes.Compare(p[d], q[d]) > 0 {
				p[d], q[d] = q[d], p[d]
			}
		}
		if a, b := c.Interleave(nil, p), c.Interleave(nil, q); bytes.Compare(a, b) > 0 {
			t.Fatalf("widths %v: %x <= %x, but addresses %x > %x", bits, p, q, a, b)
		}
	}
}

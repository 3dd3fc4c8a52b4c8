package main

import (
	"math"
	"math/rand/v2"
	"strconv"
)

const (
	// domain is the number of values of b, c and d, and about that of the range of a.
	domain = 1_000_000_000
	// distinctA is the number of values of a, which lie stepA apart.
	distinctA = 1000
	stepA     = domain / distinctA
	// dimensions is the number of attributes that a box bounds.
	dimensions = 3
)

// boxSet is the rows of the box measurement; row i has the id i+1 and the attributes a, b, c and d.
type boxSet struct {
	seed uint64
	rows [][4]int32
}

// interval holds the values from lo to hi, both included.
type interval struct{ lo, hi int32 }

// box bounds a, b and c.
type box [dimensions]interval

// boxCase is a box with the ids of the rows in it, in order.
type boxCase struct {
	box box
	ids []int64
}

func newBoxSet(seed uint64, n int) *boxSet {
	random := rand.New(rand.NewPCG(seed, 0))
	set := &boxSet{seed: seed, rows: make([][4]int32, n)}
	for i := range set.rows {
		set.rows[i] = [4]int32{
			random.Int32N(distinctA) * stepA, random.Int32N(domain), random.Int32N(domain), random.Int32N(domain),
		}
	}
	return set
}

// appendRow appends the row in COPY's text format.
func (s *boxSet) appendRow(text []byte, i int) []byte {
	text = strconv.AppendInt(text, int64(i+1), 10)
	for _, value := range s.rows[i] {
		text = strconv.AppendInt(append(text, '\t'), int64(value), 10)
	}
	return append(text, '\n')
}

// cases returns n boxes at random places, equally wide in each attribute and so wide that they hold about size rows,
// with their rows found by looking at every one.
func (s *boxSet) cases(size, n int) []boxCase {
	random := rand.New(rand.NewPCG(s.seed, uint64(size)))
	share := min(1, float64(size)/float64(len(s.rows)))
	width := int32(domain * math.Pow(share, 1./dimensions))
	cases := make([]boxCase, n)
	for i := range cases {
		for d := range cases[i].box {
			lo := random.Int32N(domain - width + 1)
			cases[i].box[d] = interval{lo, lo + width - 1}
		}
		cases[i].ids = s.inside(cases[i].box)
	}
	return cases
}

func (s *boxSet) inside(x box) []int64 {
	ids := []int64{}
	for i, row := range s.rows {
		if x.contains(row) {
			ids = append(ids, int64(i+1))
		}
	}
	return ids
}

func (x box) contains(row [4]int32) bool {
	for d, side := range x {
		if row[d] < side.lo || row[d] > side.hi {
			return false
		}
	}
	return true
}

package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
)

// attributes is the number of attributes that a row of a data set has: a, b, c and d.
const attributes = 4

// point is a row without its id, each attribute as a number that is in the order of its values.
type point [attributes]int32

// dataset is the rows of a Z-order measurement; row i has the id i+1.
type dataset struct {
	name    string // ends the names of its tables
	about   string
	columns [attributes]attribute
	rows    []point
	least   point
	widest  point // the distance from the least to the greatest value of each attribute
}

// attribute is how the numbers of an attribute are written as its values.
type attribute struct {
	kind string // its SQL type
	text func(text []byte, n int32) []byte
	arg  func(n int32) any // the value as a parameter
}

// everything is the interval of an attribute that a region does not bound.
var everything = interval{math.MinInt32, math.MaxInt32}

// region is an interval of each attribute.
type region [attributes]interval

func (r *region) contains(p *point) bool {
	for i, side := range r {
		if p[i] < side.lo || p[i] > side.hi {
			return false
		}
	}
	return true
}

// unbounded is the region that holds all rows.
func unbounded() (r region) {
	for i := range r {
		r[i] = everything
	}
	return r
}

func newDataset(name, about string, columns [attributes]attribute, rows []point) *dataset {
	s := &dataset{name: name, about: about, columns: columns, rows: rows, least: rows[0]}
	greatest := rows[0]
	for _, p := range rows {
		for i, n := range p {
			s.least[i], greatest[i] = min(s.least[i], n), max(greatest[i], n)
		}
	}
	for i := range greatest {
		s.widest[i] = greatest[i] - s.least[i]
	}
	return s
}

// integer is an attribute whose values are its numbers.
var integer = attribute{
	kind: "int4",
	text: func(text []byte, n int32) []byte { return strconv.AppendInt(text, int64(n), 10) },
	arg:  func(n int32) any { return n },
}

// minutes is an attribute of times, counted in minutes from a first one on.
func minutes(first time.Time) attribute {
	at := func(n int32) time.Time { return first.Add(time.Duration(n) * time.Minute) }
	return attribute{
		kind: "timestamp",
		text: func(text []byte, n int32) []byte { return at(n).AppendFormat(text, "2006-01-02 15:04:05") },
		arg:  func(n int32) any { return at(n) },
	}
}

// code is an attribute of texts, counted in their order.
func code(codes []string) attribute {
	return attribute{
		kind: "text",
		text: func(text []byte, n int32) []byte { return append(text, codes[n]...) },
		arg:  func(n int32) any { return codes[n] },
	}
}

var integers = [attributes]attribute{integer, integer, integer, integer}

// uniform makes rows that are spread evenly.
func uniform(seed uint64, n int) *dataset {
	set := newBoxSet(seed, n)
	rows := make([]point, n)
	for i, row := range set.rows {
		rows[i] = row
	}
	return newDataset("u", "uniform: int4, a has 1,000 values", integers, rows)
}

// clusters is the number of components of the mixture.
const clusters = 60

// mixture makes rows that lie in clusters: a normal distribution around each of the centres, of which the k-th has a
// share of 1/k of that of the first.
func mixture(seed uint64, n int) *dataset {
	random := rand.New(rand.NewPCG(seed, clusters))
	var centres, spreads [clusters][attributes]float64
	var upTo [clusters]float64
	total := 0.
	for k := range clusters {
		for i := range attributes {
			centres[k][i] = random.Float64()
			spreads[k][i] = 0.002 * math.Pow(30, random.Float64())
		}
		total += 1 / float64(k+1)
		upTo[k] = total
	}
	rows := make([]point, n)
	for j := range rows {
		k, _ := slices.BinarySearch(upTo[:], random.Float64()*total)
		for i := range attributes {
			x := -1.
			for x < 0 || x >= 1 {
				x = centres[k][i] + spreads[k][i]*random.NormFloat64()
			}
			rows[j][i] = int32(x * domain)
		}
		rows[j][0] -= rows[j][0] % stepA
	}
	return newDataset("c",
		"clustered: int4, a mixture of 60 normal distributions with sigma 0.002 to 0.06 of the range, a has 1,000 values",
		integers, rows)
}

// appendRow appends the row in COPY's text format.
func (s *dataset) appendRow(text []byte, i int) []byte {
	text = strconv.AppendInt(text, int64(i+1), 10)
	for j, n := range s.rows[i] {
		text = s.columns[j].text(append(text, '\t'), n)
	}
	return append(text, '\n')
}

// definition returns the columns of the data set's table.
func (s *dataset) definition() string {
	var out strings.Builder
	out.WriteString("id int8 PRIMARY KEY")
	for i, c := range s.columns {
		out.WriteString(", " + attributeNames[i] + " " + c.kind)
	}
	return out.String()
}

var attributeNames = [attributes]string{"a", "b", "c", "d"}

// centred returns the region around a row that is as wide as these shares of the range of values. Of an attribute
// with share 0 it holds the row's value alone, and of one with a share of 1 or more, or without a share, everything.
func (s *dataset) centred(row int, shares ...float64) region {
	r := unbounded()
	for i, share := range shares {
		if share >= 1 {
			continue
		}
		half := share / 2 * float64(s.widest[i])
		n := float64(s.rows[row][i])
		least, greatest := float64(s.least[i]), float64(s.least[i])+float64(s.widest[i])
		r[i] = interval{int32(math.Ceil(max(least, n-half))), int32(math.Floor(min(greatest, n+half)))}
	}
	return r
}

// cubes returns, for each size, the region around a row that is equally wide in the first d attributes and holds so
// many rows, or more where several are equally far away. The sizes must fall.
func (s *dataset) cubes(row, d int, sizes []int) []region {
	far := make([]float64, len(s.rows))
	for j := range s.rows {
		for i := range d {
			away := math.Abs(float64(s.rows[j][i])-float64(s.rows[row][i])) / max(1, float64(s.widest[i]))
			far[j] = max(far[j], away)
		}
	}
	regions := make([]region, len(sizes))
	shares := make([]float64, d)
	for i, size := range sizes {
		far = leastOf(far, size)
		// The last bit of the division must not lose the row that is farthest away.
		width := 2 * slices.Max(far) * (1 + 1e-12)
		for j := range shares {
			shares[j] = min(width, math.Nextafter(1, 0))
		}
		regions[i] = s.centred(row, shares...)
	}
	return regions
}

// leastOf returns the n least values, in any order, having put the values in another.
func leastOf(values []float64, n int) []float64 {
	from, to := 0, len(values)
	for to-from > 1 && n > from && n < to {
		pivot := values[from+(to-from)/2]
		i, j := from, to-1
		for i <= j {
			for values[i] < pivot {
				i++
			}
			for values[j] > pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i, j = i+1, j-1
			}
		}
		// What is up to j is at most the pivot, what is from i on at least.
		if n <= j+1 {
			to = j + 1
		} else if n >= i {
			from = i
		} else {
			break
		}
	}
	return values[:n]
}

// inside returns the ids of the rows in a region, in order, found by looking at every row.
func (s *dataset) inside(r region) []int64 {
	ids := []int64{}
	for i := range s.rows {
		if r.contains(&s.rows[i]) {
			ids = append(ids, int64(i+1))
		}
	}
	return ids
}

// count returns the number of rows in a region.
func (s *dataset) count(r region) int {
	n := 0
	for i := range s.rows {
		if r.contains(&s.rows[i]) {
			n++
		}
	}
	return n
}

// where writes the region as conditions, with values as literals.
func (s *dataset) where(r region) string {
	return s.conditions(r, func(i int, n int32) string { return "'" + string(s.columns[i].text(nil, n)) + "'" })
}

// parameters writes the region as conditions with parameters, and returns their values.
func (s *dataset) parameters(r region) (string, []any) {
	var args []any
	where := s.conditions(r, func(i int, n int32) string {
		args = append(args, s.columns[i].arg(n))
		return "$" + strconv.Itoa(len(args))
	})
	return where, args
}

func (s *dataset) conditions(r region, value func(i int, n int32) string) string {
	var all []string
	for i, side := range r {
		switch {
		case side == everything:
		case side.lo == side.hi:
			all = append(all, attributeNames[i]+" = "+value(i, side.lo))
		default:
			all = append(all, attributeNames[i]+" BETWEEN "+value(i, side.lo)+" AND "+value(i, side.hi))
		}
	}
	return strings.Join(all, " AND ")
}

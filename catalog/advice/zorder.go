package advice

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"zproxy/catalog"
	"zproxy/encoding/keys"
	"zproxy/types"
)

// curve is the dimensions of a Z-order index, nil for other keys.
func (k *key) curve() []catalog.Dimension { return k.layout.Curve() }

// mostDimensions is how many dimensions are fine, and allDimensions from how many on a
// table's columns are called all of them: a point of two numbers may well be a whole row.
const (
	mostDimensions = 4
	allDimensions  = 3
)

func manyDimensions(k *key) (finding, bool) {
	n := len(k.curve())
	if k.index == nil || n <= mostDimensions && !k.overAll() {
		return finding{}, false
	}
	what := strconv.Itoa(n) + " columns"
	if k.overAll() {
		what = "all columns"
	}
	return finding{fmt.Sprintf("%s is over %s, and every one that a query does not bound multiplies what it reads", k,
		what), k.mended()}, true
}

// overAll says whether a Z-order index has all columns of its table as dimensions.
func (k *key) overAll() bool {
	shown := 0
	for _, c := range k.table.Columns {
		if !c.Hidden {
			shown++
		}
	}
	n := len(k.curve())
	return n >= allDimensions && n == shown
}

// mended is the DDL of a Z-order index without what is wrong with its dimensions. One
// dimension alone is better kept in its own order, unless its values are long.
func (k *key) mended() string {
	curve := k.curve()
	var keep []catalog.Dimension
	for _, d := range curve {
		if k.two(k.column(d.Column)) || k.alike(d) {
			continue
		}
		if k.widthless(d) {
			d.Bits, d.Map = 8*defaultTextBytes, catalog.MapRaw
		}
		keep = append(keep, d)
	}
	if len(keep) == len(curve) && k.overAll() {
		keep = keep[:len(keep)-1]
	}
	keep = keep[:min(len(keep), mostDimensions)]
	plain := len(keep) == 0 || len(keep) == 1 && !k.mayBeLong(k.column(keep[0].Column))
	if len(keep) == 0 {
		keep = curve // which in plain order is of some use
	}
	ids := make([]uint32, len(keep))
	for i, d := range keep {
		ids[i] = d.Column
	}
	better := *k.index
	m := &key{table: k.table, index: &better, known: k.known}
	if !plain {
		return m.rebuilt(m.dimensions(keep), better.Options)
	}
	better.Method, better.Options = catalog.BTree, maps.Clone(better.Options)
	delete(better.Options, "partition_bits")
	m.layout = &catalog.Layout{}
	for _, id := range ids {
		m.layout.Key = append(m.layout.Key, catalog.KeyColumn{ID: id})
	}
	if first := k.column(ids[0]); k.grows(first) || k.few(first) && hashed.have(k.known) {
		return m.sharded()
	}
	return m.rebuilt(m.declared(), better.Options)
}

// two says whether a column is known to have no more than two values.
func (k *key) two(c *catalog.Column) bool {
	n := k.values(c)
	return n > 0 && n <= 2
}

func dimensionOfTwoValues(k *key) (finding, bool) {
	return k.faulty(func(d catalog.Dimension) bool { return k.two(k.column(d.Column)) },
		"%s has %s of at most two values, most bounds on which exclude little")
}

func textWithoutWidth(k *key) (finding, bool) {
	return k.faulty(k.widthless, "%s has %s of 8 bytes in every entry, since no width was declared")
}

func textsBeginAlike(k *key) (finding, bool) {
	return k.faulty(k.alike, "%s has %s of texts that begin alike, so that it hardly tells them apart")
}

// faulty is the finding about dimensions that have a fault. The sentence is about the index and
// them.
func (k *key) faulty(bad func(catalog.Dimension) bool, sentence string) (finding, bool) {
	names := k.dimensionsThat(bad)
	if k.index == nil || names == nil { // the columns of a primary key are what is unique
		return finding{}, false
	}
	them := list(names) + " as a dimension"
	if len(names) > 1 {
		them = list(names) + " as dimensions"
	}
	return finding{fmt.Sprintf(sentence, k, them), k.mended()}, true
}

// dimensionsThat are the names, as sentences have them, of dimensions that have a fault.
func (k *key) dimensionsThat(bad func(catalog.Dimension) bool) []string {
	var names []string
	for _, d := range k.curve() {
		if bad(d) {
			names = append(names, strconv.Quote(k.column(d.Column).Name))
		}
	}
	return names
}

// defaultTextBytes is the width that advice gives a text.
const defaultTextBytes = 4

// widthless says whether a dimension is a text whose width was not declared, neither of
// the dimension nor, within the eight bytes that it takes then, of the column; a map that is
// learned from rows takes four.
func (k *key) widthless(d catalog.Dimension) bool {
	t := k.column(d.Column).Type
	learns := len(k.known.Samples[d.Column]) > 0 || k.known.Later
	return isText(t) && d.Bits == 0 && !learns && (maxBytes(t) == 0 || maxBytes(t) > 8)
}

// How much of a text dimension has to look alike before that is said: a share of the rows in one
// cell of the index, and several values for each cell.
const (
	leastSample   = 100
	crowdedShare  = 0.25
	valuesOfACell = 10
)

// alike says whether the bytes of a text that the index sees hardly tell its values apart.
func (k *key) alike(d catalog.Dimension) bool {
	if !isText(k.column(d.Column).Type) {
		return false
	}
	if built := again(k, d); (d.AutoMap || d.Map == "") && built != nil {
		d = *built // of what an index was built for before, mapsOfOtherRows tells
	}
	bits := d.Bits
	if bits == 0 {
		bits = 64
	}
	known := k.known.Stats.Columns[d.Column]
	if bits > 64 { // more than samples have
		return known.Distinct >= valuesOfACell && 8*commonPrefix(known.Min, known.Max) >= bits
	}
	cells, top := map[string]int{}, 0
	sample := k.known.Samples[d.Column]
	d.Bits = bits
	dim := keys.NewDimension(k.table, d)
	for _, v := range sample {
		cell := string(dim.Code(v))
		cells[cell]++
		top = max(top, cells[cell])
	}
	return len(sample) >= leastSample && float64(top) >= crowdedShare*float64(len(sample)) &&
		known.Distinct >= valuesOfACell*float64(len(cells))
}

// How unevenly the values of a dimension have to lie before that is said: a share of them within
// one of the parts that its first bits make, but for the values that many rows have, and of that
// share no more than so much in an index that is built now. A map that fits has a tenth there.
const (
	leastRows   = 1000
	partBits    = 4
	unevenShare = 0.25
	commonShare = 0.125
	betterShare = 2.0 / 3
)

func mapsOfOtherRows(k *key) (finding, bool) {
	if k.index == nil {
		return finding{}, false
	}
	names := k.dimensionsThat(func(d catalog.Dimension) bool {
		built, share := again(k, d), k.topShare(d)
		return built != nil && d.Version > 0 && share >= unevenShare && k.topShare(*built) <= betterShare*share
	})
	if names == nil {
		return finding{}, false
	}
	sentence := fmt.Sprintf("%s was built for other rows, so that it hardly distinguishes the present rows by %s", k,
		list(names))
	return finding{sentence, "REINDEX INDEX " + k.qualified(k.index.Name)}, true
}

// again is what a dimension would be if its index was built again, nil where that is not known.
func again(k *key, d catalog.Dimension) *catalog.Dimension {
	if k.index == nil {
		return nil
	}
	anew := k.known.Anew[k.index.ID]
	i := slices.IndexFunc(anew, func(other catalog.Dimension) bool { return other.Column == d.Column })
	if i < 0 {
		return nil
	}
	return &anew[i]
}

// topShare is the share of the values of today that lie in one part of a dimension, that with most of them; 0
// where too little is known.
func (k *key) topShare(d catalog.Dimension) float64 {
	if d.Bits < partBits || d.Bits > catalog.MapBits || k.known.Stats.Rows < leastRows {
		return 0
	}
	sample := k.known.Samples[d.Column]
	dim := keys.NewDimension(k.table, d)
	times, first := map[uint64]int{}, map[uint64]byte{}
	for _, v := range sample {
		code := dim.Unmapped(v)
		times[code]++
		first[code] = dim.Code(v)[0]
	}
	var parts [1 << partBits]int
	rest, top := 0, 0
	for code, n := range times {
		if float64(n) < commonShare*float64(len(sample)) {
			part := first[code] >> (8 - partBits)
			parts[part] += n
			rest, top = rest+n, max(top, parts[part])
		}
	}
	if rest < leastSample {
		return 0
	}
	return float64(top) / float64(rest)
}

// commonPrefix is how many bytes two texts begin with alike, and so all between them.
func commonPrefix(a, b types.Value) int {
	x, y := a.Text(), b.Text() // of NULL there is none
	n := 0
	for n < min(len(x), len(y)) && x[n] == y[n] {
		n++
	}
	return n
}

// singlePartition says of a layout in Z-order that it has one partition, which bounds how much can be written to it.
func singlePartition(k *key) (finding, bool) {
	if k.curve() == nil || len(k.layout.Partition) > 0 {
		return finding{}, false
	}
	return finding{fmt.Sprintf("%s has a single partition, which takes 1000 writes a second", k), k.sharded()}, true
}

// list joins names: "a", "b".
func list(names []string) string { return strings.Join(names, ", ") }

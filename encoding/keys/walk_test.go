package keys

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/span"
	"zproxy/store"
	"zproxy/types"
	"zproxy/types/numeric"
)

// days are around the end of a month and of a year.
func days() []types.Value {
	out := []types.Value{types.Null}
	for _, d := range []int32{math.MinInt32, -1, 0, 1, 30, 31, 59, 366, 6000, 150_000_000, math.MaxInt32} {
		out = append(out, types.NewDate(d))
	}
	return out
}

// numerics are around the ends of buckets, of which some are the first one and the last one.
func numerics() []types.Value {
	out := []types.Value{types.Null, types.NewNumeric(numeric.NegInfinity), types.NewNumeric(numeric.NaN)}
	for _, text := range []string{"-1e300", "-4611686018427387904", "-7.01", "-7", "-0.25", "-1e-30", "0.00", "0.249",
		"0.25", "7.0", "120", "2305843009213693951.75", "2305843009213693952", "1e300"} {
		d, err := numeric.Parse(text)
		if err != nil {
			panic(err)
		}
		out = append(out, types.NewNumeric(d))
	}
	return append(out, types.NewNumeric(numeric.Infinity))
}

// sizes are how wide buckets of numerics are.
var sizes = []string{"0.25", "7", "0.5", "100.00"}

func moments() []types.Value {
	out := []types.Value{types.Null}
	for _, m := range []int64{math.MinInt64, -1, 0, 59_999_999, 60_000_000, microsPerHour, 3 * microsPerDay,
		31*microsPerDay - 1, 31 * microsPerDay, 400 * microsPerDay, endDays*microsPerDay - 1, math.MaxInt64} {
		out = append(out, types.NewTimestamp(m))
	}
	return out
}

// sources are columns that parts can be computed from.
var computedFrom = []small{
	{types.Int4, []types.Value{types.Null, types.NewInt(-7), types.NewInt(0), types.NewInt(1), types.NewInt(2), types.NewInt(9), types.NewInt(10), types.NewInt(120)}},
	{types.Text, []types.Value{types.Null, types.NewText(""), types.NewText("a"), types.NewText("a1"), types.NewText("a-"), types.NewText("b:"), types.NewText("ab")}},
	{types.Date, days()},
	{types.Timestamp, moments()},
	{types.Numeric, numerics()},
}

// randomComputed is a layout with parts of all kinds over all of computedFrom.
func randomComputed(r *rand.Rand) *catalog.Layout {
	l := &catalog.Layout{Unique: r.IntN(2) == 0}
	for range 1 + r.IntN(2) {
		p := randomPart(r)
		if l.Partition = append(l.Partition, p); p.Plain() && r.IntN(4) > 0 {
			l.Partition = append(l.Partition, randomHeavy(r, p.Column))
		}
	}
	order := r.Perm(len(computedFrom))
	n := r.IntN(len(order) + 1)
	for _, i := range order[:n] {
		l.Sort = append(l.Sort, catalog.Part{Column: uint32(i + 1), Desc: r.IntN(3) == 0, NullsSwapped: r.IntN(3) == 0})
	}
	for _, i := range order[n:] {
		l.Tie = append(l.Tie, catalog.Part{Column: uint32(i + 1)})
	}
	for i := range computedFrom {
		l.Key = append(l.Key, catalog.KeyColumn{ID: uint32(i + 1)})
	}
	if l.Unique { // then the key alone must tell rows apart
		l.Sort, l.Tie = append(l.Sort, l.Tie...), nil
	}
	return l
}

func randomPart(r *rand.Rand) catalog.Part {
	column := uint32(1 + r.IntN(len(computedFrom)))
	time := uint32(3 + r.IntN(2))
	switch r.IntN(6) {
	case 0:
		return catalog.Part{Kind: part.Shard, Of: []uint32{column, time}, Count: 2 + r.IntN(5)}
	case 1:
		units := []part.Unit{part.Minute, part.Hour, part.Day, part.Week, part.Month, part.Year}
		return catalog.Part{Kind: part.Bucket, Column: time, Unit: units[r.IntN(len(units))]}
	case 2:
		return catalog.Part{Column: column, Desc: r.IntN(2) == 0, NullsSwapped: r.IntN(3) == 0}
	case 3:
		return randomBucket(r)
	}
	return catalog.Part{Kind: part.Text, Pieces: randomPieces(r, column)}
}

// randomHeavy has shards for some values of a column, hashed by two others or by itself, too.
func randomHeavy(r *rand.Rand, column uint32) catalog.Part {
	p := catalog.Part{Kind: part.Heavy, Column: column, Of: []uint32{uint32(1 + r.IntN(len(computedFrom))), 3}}
	for _, v := range computedFrom[column-1].domain {
		if r.IntN(4) > 0 && !v.IsNull() {
			p.SetHeavy(v, 2+r.IntN(3))
		}
	}
	return p
}

func randomBucket(r *rand.Rand) catalog.Part {
	if r.IntN(2) == 0 {
		return catalog.Part{Kind: part.NumberBucket, Column: 5, Size: sizes[r.IntN(len(sizes))]}
	}
	return catalog.Part{Kind: part.NumberBucket, Column: 1, Count: 1 + r.IntN(20)}
}

// randomPieces are a number or a text and two other pieces, with something between them.
func randomPieces(r *rand.Rand, column uint32) []catalog.Part {
	literal := func() catalog.Part {
		return catalog.Part{Kind: part.Literal, Text: []string{",", ":", "-", "/x"}[r.IntN(4)]}
	}
	formats := []string{"DDMONYYYY", "YYYYMM", "YYYY", "DY", "IYYYIW", "HH24"}
	one := func() catalog.Part {
		switch r.IntN(7) {
		case 0:
			return catalog.Part{Kind: part.Shard, Of: []uint32{column}, Count: 2 + r.IntN(12), Width: 2}
		case 1:
			return catalog.Part{Kind: part.Prefix, Count: 1 + r.IntN(3),
				Pieces: []catalog.Part{{Column: min(column, 4)}, {Kind: part.Literal, Text: "\n"}}}
		case 2:
			return catalog.Part{Kind: part.Bucket, Column: uint32(3 + r.IntN(2)), Format: formats[r.IntN(len(formats))]}
		case 3:
			return catalog.Part{Column: 1, Width: 3 * r.IntN(2)}
		case 4:
			p := randomBucket(r)
			p.Width = 3 * r.IntN(2)
			return p
		}
		return catalog.Part{Column: 2}
	}
	return []catalog.Part{one(), literal(), one(), literal(), one()}
}

// TestWalksHoldWhatTheSetsHold tries rows over layouts with parts of all kinds: one whose
// columns are in the sets has its key in the range of one span, no key is in two, and a
// single row's columns lead to a single partition.
func TestWalksHoldWhatTheSetsHold(t *testing.T) {
	r := newRand(t)
	var columns []types.T
	var domains [][]types.Value
	for _, s := range computedFrom {
		columns, domains = append(columns, s.typ), append(domains, s.domain)
	}
	tab := table(columns...)
	several, ended := 0, 0
	for range 300 {
		l := randomComputed(r)
		codec, err := NewCodec(tab, l)
		if err != nil {
			t.Fatal(err)
		}
		sets := make([]span.Set, len(domains))
		for i, d := range domains {
			sets[i] = randomSet(r, d)
		}
		of := func(c uint32) span.Set { return sets[c-1] }
		w := Walk{Parts: r.IntN(len(codec.parts) + 1)}
		w.Counted = r.IntN(w.Parts + 1)
		spans := codec.Spans(w, of)
		ranges := codec.Ranges(spans, true)
		checkRanges(t, codec, spans, len(l.Partition))
		if len(spans) > 1 {
			several++
		}
		if slices.ContainsFunc(spans, func(s span.Span) bool { return s.Last != nil }) {
			ended++
		}
		for range 300 {
			row := make(types.Row, len(domains))
			wanted := true
			for i, d := range domains {
				row[i] = d[r.IntN(len(d))]
				wanted = wanted && sets[i].Contains(row[i])
			}
			if codec.CheckValues(row, "t") != nil {
				continue
			}
			checkWalked(t, codec, ranges, row, wanted)
			checkPoint(t, codec, row)
		}
	}
	if several < 50 || ended < 50 {
		t.Fatalf("only %d walks had several spans, %d ended with an interval", several, ended)
	}
}

// checkWalked wants the key of a row in one range if it is wanted, else in no more.
func checkWalked(t *testing.T, c *Codec, ranges []store.Range, row types.Row, wanted bool) {
	t.Helper()
	key, n := c.Key(row), 0
	for _, g := range ranges {
		if inRange(g, key) {
			n++
		}
	}
	if n > 1 || wanted && n == 0 {
		t.Fatalf("row %v of %s is in %d ranges, wanted %t: %+v", row, c.table.Describe(c.layout), n, wanted, ranges)
	}
}

// checkPoint wants all columns of a row to lead to its partition, and to no other.
func checkPoint(t *testing.T, c *Codec, row types.Row) {
	t.Helper()
	point := func(id uint32) span.Set {
		if v := row[id-1]; !v.IsNull() {
			return span.Points(v)
		}
		return span.OnlyNull
	}
	spans := c.Spans(Walk{Parts: len(c.parts)}, point)
	if len(spans) != 1 || !inRange(c.Range(spans[0], false), c.Key(row)) {
		t.Fatalf("row %v of %s has spans %+v", row, c.table.Describe(c.layout), spans)
	}
}

// TestTuplesBehindComputedParts compares columns with values behind parts of all kinds, on
// walks that may not come that far.
func TestTuplesBehindComputedParts(t *testing.T) {
	r := newRand(t)
	var columns []types.T
	for _, s := range computedFrom {
		columns = append(columns, s.typ)
	}
	tab := table(columns...)
	ended, passed := 0, 0
	for tried := 0; tried < 300; {
		l := randomComputed(r)
		codec, err := NewCodec(tab, l)
		if err != nil {
			t.Fatal(err)
		}
		first := 1 + r.IntN(len(codec.parts))
		tuple := Tuple{Greater: r.IntN(2) == 0, Equal: r.IntN(2) == 0}
		var compared []int
		for i := first; i < len(codec.parts) && codec.parts[i].Of == nil &&
			codec.parts[i].Desc == codec.parts[first].Desc; i++ {
			c := codec.parts[i].Ordinal
			compared, tuple.Values = append(compared, c),
				append(tuple.Values, computedFrom[c].domain[1+r.IntN(len(computedFrom[c].domain)-1)])
		}
		if len(compared) < 2 {
			continue
		}
		tried++
		sets := make([]span.Set, len(computedFrom))
		for i := range sets {
			sets[i] = randomSet(r, computedFrom[i].domain)
		}
		spans := codec.TupleSpans(Walk{Parts: first + 1, Counted: r.IntN(first + 1)},
			func(c uint32) span.Set { return sets[c-1] }, tuple)
		if slices.ContainsFunc(spans, func(s span.Span) bool { return len(s.Prefix) < first }) {
			ended++
		}
		ranges := codec.Ranges(spans, true)
		for range 400 {
			row, wanted := make(types.Row, len(sets)), true
			for i, s := range computedFrom {
				row[i] = s.domain[r.IntN(len(s.domain))]
				wanted = wanted && sets[i].Contains(row[i])
			}
			if codec.CheckValues(row, "t") == nil {
				wanted = wanted && tuple.holds(row, compared)
				checkWalked(t, codec, ranges, row, wanted)
				passed += map[bool]int{true: 1}[wanted]
			}
		}
	}
	if ended < 20 || passed < 500 {
		t.Fatalf("%d walks ended before the comparison, %d rows passed it", ended, passed)
	}
}

// holds says whether columns of a row compare as the tuple asks. That they do is unknown
// where a NULL decides it.
func (t Tuple) holds(row types.Row, columns []int) bool {
	for i, c := range columns {
		if row[c].IsNull() {
			return false
		}
		if order := types.Compare(row[c], t.Values[i]); order != 0 {
			return order > 0 == t.Greater
		}
	}
	return t.Equal
}

// endDays is the first day behind those of timestamps, 294277-01-01.
const endDays = 106_751_983

const microsPerMinute = 60 * 1_000_000

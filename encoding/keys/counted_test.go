package keys

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/encoding/ordered"
	"zproxy/encoding/span"
	"zproxy/types"
)

// scale is how far apart values are that are counted: all values between two lie in the same bucket
// as the first of them, where buckets are no shorter.
type scale struct {
	typ   types.T
	value func(n int64) types.Value
	edges []int64 // around which intervals are made
}

var (
	integers = scale{types.Int4, types.NewInt, []int64{-1000, -1, 0, 9, 99, 1000, 99_999}}
	daily    = scale{types.Date, func(n int64) types.Value { return types.NewDate(int32(n)) },
		[]int64{-1, 0, 59, 365, 7670, -730_000, 2_000_000}}
	days24 = scale{types.Timestamp, func(n int64) types.Value { return types.NewTimestamp(n * microsPerDay) },
		[]int64{-1, 0, 59, 365, 7670, -730_000, 2_000_000}}
	cents = scale{types.Numeric, func(n int64) types.Value { return types.NewNumeric(apd.New(n, -2)) },
		[]int64{-1000, -1, 0, 9, 99, 1000, 99_999}}
	minutes = scale{types.Timestamp, func(n int64) types.Value { return types.NewTimestamp(n * microsPerMinute) },
		[]int64{-1, 0, 59, 1440, 60 * 24 * 366, -60 * 24 * 365 * 900}}
)

// countedPart is a part over a column of some scale.
type countedPart struct {
	scale
	part    catalog.Part
	ordered bool // its values are in the order of the column
}

// countedParts are parts of all kinds of which intervals can be counted out.
func countedParts() []countedPart {
	text := func(pieces ...catalog.Part) catalog.Part { return catalog.Part{Kind: part.Text, Pieces: pieces} }
	literal := catalog.Part{Kind: part.Literal, Text: "x/"}
	column := catalog.Part{Column: 1}
	out := []countedPart{
		{integers, column, true}, {daily, column, true}, {integers, catalog.Part{Column: 1, Desc: true}, true},
		{integers, text(literal, column), false}, {daily, text(column, literal), false},
		{integers, text(catalog.Part{Column: 1, Width: 3}), true}, {integers, text(literal, catalog.Part{Column: 1, Width: 19}, literal), true},
	}
	for _, s := range []scale{integers, daily} {
		hash := catalog.Part{Kind: part.Prefix, Count: 3, Pieces: []catalog.Part{column, literal}}
		out = append(out, countedPart{s, text(hash), false}, countedPart{s, text(hash, column), false},
			countedPart{s, text(column, literal, hash), false})
	}
	for _, size := range []int{1, 7, 1000} {
		bucket := catalog.Part{Kind: part.NumberBucket, Column: 1, Count: size}
		out = append(out, countedPart{integers, bucket, true}, countedPart{integers, text(bucket), false},
			countedPart{integers, text(literal, bucket, literal), false})
	}
	for _, size := range []string{"0.01", "0.25", "7"} {
		bucket := catalog.Part{Kind: part.NumberBucket, Column: 1, Size: size}
		out = append(out, countedPart{cents, bucket, true}, countedPart{cents, text(literal, bucket, literal), false})
	}
	for _, unit := range part.AllUnits {
		bucket := catalog.Part{Kind: part.Bucket, Column: 1, Unit: unit}
		out = append(out, countedPart{minutes, bucket, true})
		if unit != part.Minute && unit != part.Hour {
			out = append(out, countedPart{daily, bucket, true}, countedPart{days24, bucket, true})
		}
	}
	for _, format := range []string{"YYYY", "IYYY", "Q", "MM", "YYYYMM", "IW", "IYYYIW", "YYYYIW", "MON", "Mon", "mon",
		"DDD", "DD", "D", "DY", "Dy", "dy", "DDMONYYYY"} {
		p := text(literal, catalog.Part{Kind: part.Bucket, Column: 1, Format: format})
		out = append(out, countedPart{daily, p, false}, countedPart{days24, p, false}, countedPart{minutes, p, false})
	}
	for _, format := range []string{"HH24", "MI", "YYYYMMDDHH24", "HH24:MI"} {
		out = append(out, countedPart{minutes, text(catalog.Part{Kind: part.Bucket, Column: 1, Format: format}), false})
	}
	return out
}

// TestIntervalsAreCountedOut wants an interval of a column to lead to the partitions that its values
// are in, and to no others: counted out to those, or where parts are in the order of the column, as
// the interval from the first to the last of them.
func TestIntervalsAreCountedOut(t *testing.T) {
	r := newRand(t)
	for _, c := range countedParts() {
		tab := table(c.typ)
		tab.Columns[0].NotNull = r.IntN(2) == 0
		l := &catalog.Layout{Partition: []catalog.Part{c.part}, Sort: []catalog.Part{{Column: 1}}, Unique: true}
		codec, err := NewCodec(tab, l)
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			c.try(t, codec, r)
		}
	}
}

// try makes an interval of few values, or few more than are counted out.
func (c countedPart) try(t *testing.T, codec *Codec, r *rand.Rand) {
	t.Helper()
	first := c.edges[r.IntN(len(c.edges))] - r.Int64N(40)
	last := first + r.Int64N([]int64{2, 10, 900}[r.IntN(3)])
	in := span.Interval{Low: c.value(first), High: c.value(last), LowOpen: r.IntN(2) == 0, HighOpen: r.IntN(2) == 0}
	set := span.Of(in)
	set.Null = r.IntN(3) == 0
	want := map[string]bool{}
	for n := first; n <= last; n++ {
		if v := c.value(n); in.Contains(v) || n == first && in.LowOpen && last > first &&
			(c.typ.Kind() == types.KindTimestamp || c.typ.Kind() == types.KindNumeric) {
			c.add(want, codec, v)
		}
	}
	if set.Null && !codec.table.Columns[0].NotNull {
		c.add(want, codec, types.Null)
	}
	of := func(uint32) span.Set { return set }
	got := map[string]bool{}
	for _, s := range codec.Spans(Walk{Parts: 1, Counted: 1}, of) {
		if s.Last != nil {
			t.Fatalf("%s: an interval of %d values is not counted out: %+v", codec.table.Describe(codec.layout),
				last-first+1, s)
		}
		got[string(ordered.Append(nil, s.Prefix[0], false))] = true
	}
	if !maps.Equal(got, want) {
		t.Fatalf("%s, %s: %d partitions %q, want %d: %q", codec.table.Describe(codec.layout), FormatSet(set, c.typ),
			len(got), slices.Sorted(maps.Keys(got)), len(want), slices.Sorted(maps.Keys(want)))
	}
	if c.ordered {
		c.tryOrder(t, codec, of, want, []int64{first - 1500, first - 1, first, last, last + 1, last + 1500})
	}
}

// add notes the partition of a value, unless no row has it.
func (c countedPart) add(partitions map[string]bool, codec *Codec, v types.Value) {
	if codec.CheckValues(types.Row{v}, "t") == nil {
		partitions[string(ordered.Append(nil, codec.parts[0].Value(types.Row{v}), false))] = true
	}
}

// tryOrder looks which of some values are in what is read where nothing is counted out: those
// from the first to the last partition that is wanted.
func (c countedPart) tryOrder(t *testing.T, codec *Codec, of Sets, partitions map[string]bool, values []int64) {
	t.Helper()
	var wanted [][]byte
	null := ordered.Append(nil, types.Null, false)
	for p := range partitions {
		if p != string(null) {
			wanted = append(wanted, []byte(p))
		}
	}
	slices.SortFunc(wanted, bytes.Compare)
	ranges := codec.Ranges(codec.Spans(Walk{Parts: 1}, of), true)
	for _, n := range values {
		row := types.Row{c.value(n)}
		if codec.CheckValues(row, "t") != nil {
			continue
		}
		at := ordered.Append(nil, codec.parts[0].Value(row), false)
		want := len(wanted) > 0 && bytes.Compare(wanted[0], at) <= 0 && bytes.Compare(at, wanted[len(wanted)-1]) <= 0
		got := false
		for _, g := range ranges {
			got = got || inRange(g, codec.Key(row))
		}
		if got != want {
			t.Fatalf("%s: %s of %s is read: %t, want %t", codec.table.Describe(codec.layout), fmt.Sprint(n),
				FormatSet(of(1), c.typ), got, want)
		}
	}
}

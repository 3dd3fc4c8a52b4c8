package keys

import (
	"math"
	"strings"
	"testing"
	"time"

	"zproxy/catalog"
	"zproxy/encoding/span"
	"zproxy/types"
)

// TestPatternsAreThoseOfToChar compares with what PostgreSQL's to_char says of each field. Other
// programs make the same texts.
func TestPatternsAreThoseOfToChar(t *testing.T) {
	const fields = "YYYY IYYY IW MM MON Mon mon DDD DD D DY Dy dy Q HH24 MI"
	for moment, want := range map[string]string{
		"0001-01-01 00:00:00":        "0001 0001 01 01 JAN Jan jan 001 01 2 MON Mon mon 1 00 00",
		"0999-12-31 23:59:59.999999": "0999 1000 01 12 DEC Dec dec 365 31 3 TUE Tue tue 4 23 59",
		"2000-01-01 00:00:00":        "2000 1999 52 01 JAN Jan jan 001 01 7 SAT Sat sat 1 00 00",
		"2016-02-29 09:05:00":        "2016 2016 09 02 FEB Feb feb 060 29 2 MON Mon mon 1 09 05",
		"2020-12-31 12:30:00":        "2020 2020 53 12 DEC Dec dec 366 31 5 THU Thu thu 4 12 30",
		"2021-01-03 23:59:59.999999": "2021 2020 53 01 JAN Jan jan 003 03 1 SUN Sun sun 1 23 59",
		"2021-01-04 00:00:00":        "2021 2021 01 01 JAN Jan jan 004 04 2 MON Mon mon 1 00 00",
		"2024-12-30 01:01:00":        "2024 2025 01 12 DEC Dec dec 365 30 2 MON Mon mon 4 01 01",
		"9999-12-31 23:59:00":        "9999 9999 52 12 DEC Dec dec 365 31 6 FRI Fri fri 4 23 59",
	} {
		at, err := time.Parse("2006-01-02 15:04:05", moment)
		if err != nil {
			t.Fatal(err)
		}
		pattern, err := catalog.ParsePattern(fields)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(appendPattern(nil, pattern, types.NewTimestamp(microsOf(at)))); got != want {
			t.Errorf("%s: %s, want %s", moment, got, want)
		}
		dates, err := catalog.ParsePattern(strings.TrimSuffix(fields, " HH24 MI"))
		if err != nil {
			t.Fatal(err)
		}
		day := types.NewDate(int32(floorDiv(microsOf(at), microsPerDay)))
		if got := string(appendPattern(nil, dates, day)); got != want[:len(want)-len(" 00 00")] {
			t.Errorf("the date of %s: %s, want %s", moment, got, want)
		}
	}
}

// TestJoined joins intervals that overlap, and wants them to hold what they held, in order and
// apart from each other.
func TestJoined(t *testing.T) {
	r := newRand(t)
	letter := func() types.Value { return types.NewText(string(rune('a' + r.IntN(10)))) }
	for range 2000 {
		var all []span.Interval
		for range r.IntN(5) {
			in := span.Interval{Low: letter(), High: letter(), HighOpen: true}
			if r.IntN(6) == 0 {
				in.High = types.Null
			}
			all = append(all, span.Of(in).Intervals...)
		}
		before := span.Set{Intervals: append([]span.Interval(nil), all...)}
		after := span.Set{Intervals: joined(all)}
		for c := 'a'; c <= 'l'; c++ {
			if v := types.NewText(string(c)); before.Contains(v) != after.Contains(v) {
				t.Fatalf("%c is in %+v: %t; joined, in %+v: %t", c, before, before.Contains(v), after, after.Contains(v))
			}
		}
		for i := 1; i < len(after.Intervals); i++ {
			if a, b := after.Intervals[i-1], after.Intervals[i]; a.High.IsNull() || types.Compare(a.High, b.Low) > 0 {
				t.Fatalf("%+v and %+v are not apart", a, b)
			}
		}
	}
}

// TestCountedAtMost counts out as many values as may be, and no more.
func TestCountedAtMost(t *testing.T) {
	hash := func(digits int, behind ...catalog.Part) catalog.Part {
		return catalog.Part{Kind: catalog.TextPart, Pieces: append([]catalog.Part{{Kind: catalog.PrefixPart, Count: digits, Pieces: []catalog.Part{{Column: 1}}}}, behind...)}
	}
	literal, column := catalog.Part{Kind: catalog.LiteralPart, Text: "x"}, catalog.Part{Column: 1}
	month := catalog.Part{Kind: catalog.BucketPart, Column: 1, Unit: catalog.Month}
	for _, c := range []struct {
		what       string
		scale      scale
		part       catalog.Part
		first      int64
		values     int64
		partitions int // 0: they are not counted out
	}{
		{"integers", integers, column, -500, 1000, 1000},
		{"integers, one too many", integers, column, -500, 1001, 0},
		{"days", daily, column, -500, 1000, 1000},
		{"days, one too many", daily, column, -500, 1001, 0},
		{"texts", integers, catalog.Part{Kind: catalog.TextPart, Pieces: []catalog.Part{column, literal}}, 7, 1000, 1000},
		{"texts, one too many", integers, catalog.Part{Kind: catalog.TextPart, Pieces: []catalog.Part{column, literal}}, 7, 1001, 0},
		{"minutes", minutes, catalog.Part{Kind: catalog.BucketPart, Column: 1, Unit: catalog.Minute}, -500, 1000, 1000},
		{"minutes, one too many", minutes, catalog.Part{Kind: catalog.BucketPart, Column: 1, Unit: catalog.Minute}, -500, 1001, 0},
		{"months", daily, month, 0, 30_436, 1000},
		{"months, one too many", daily, month, 0, 30_437, 0},
		{"prefixes of too many values", integers, hash(2), 0, 5000, 256},
		{"prefixes of too many values before a literal", integers, hash(1, literal), 0, 5000, 16},
		{"too many prefixes", integers, hash(3), 0, 5000, 0},
		{"prefixes before the column", integers, hash(1, column), 0, 5000, 0},
	} {
		codec, err := NewCodec(table(c.scale.typ), &catalog.Layout{Partition: []catalog.Part{c.part}, Sort: []catalog.Part{{Column: 1}}, Unique: true})
		if err != nil {
			t.Fatal(err)
		}
		set := span.Of(span.Interval{Low: c.scale.value(c.first), High: c.scale.value(c.first + c.values - 1)})
		spans := codec.Spans(Walk{Parts: 1, Counted: 1}, func(uint32) span.Set { return set })
		if n, ok := Partitions(spans, 1); ok != (c.partitions > 0) || n != c.partitions {
			t.Errorf("%s: %d partitions, %t, want %d", c.what, n, ok, c.partitions)
		}
	}
}

// TestBucketsUpToInfinity reads no bucket of an end that is open, also where that is infinite.
func TestBucketsUpToInfinity(t *testing.T) {
	for _, ends := range [][2]types.Value{
		{types.NewTimestamp(math.MinInt64), types.NewTimestamp(math.MaxInt64)},
		{types.NewDate(math.MinInt32), types.NewDate(math.MaxInt32)},
	} {
		in := span.Interval{Low: ends[0], High: ends[1], HighOpen: true}
		for _, unit := range catalog.BucketUnits[2:] {
			if got := bucketInterval(unit, span.Of(in)); got.Contains(ends[1]) || !got.Contains(ends[0]) {
				t.Errorf("%ss: %+v", unit, got)
			}
			in.HighOpen = false
			if got := bucketInterval(unit, span.Of(in)); !got.Contains(ends[1]) || !got.Contains(ends[0]) {
				t.Errorf("%ss with the end: %+v", unit, got)
			}
			in.HighOpen = true
		}
	}
}

package part

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"zproxy/encoding/span"
	"zproxy/internal/testseed"
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
		pattern, err := parsePattern(fields)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(appendPattern(nil, pattern, types.NewTimestamp(microsOf(at)))); got != want {
			t.Errorf("%s: %s, want %s", moment, got, want)
		}
		dates, err := parsePattern(strings.TrimSuffix(fields, " HH24 MI"))
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
	r := rand.New(rand.NewPCG(testseed.Of(t), 0))
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
				t.Fatalf("%c is in %+v: %t; joined, in %+v: %t", c, before, before.Contains(v), after,
					after.Contains(v))
			}
		}
		for i := 1; i < len(after.Intervals); i++ {
			if a, b := after.Intervals[i-1], after.Intervals[i]; a.High.IsNull() || types.Compare(a.High, b.Low) > 0 {
				t.Fatalf("%+v and %+v are not apart", a, b)
			}
		}
	}
}

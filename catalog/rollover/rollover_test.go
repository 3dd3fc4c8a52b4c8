package rollover

import (
	"strings"
	"testing"
	"time"

	"zproxy/types/datetime"
)

// TestRanges holds in which range of an interval a time is, how it is named, and that the ranges follow each other.
func TestRanges(t *testing.T) {
	const layout = "2006-01-02 15:04:05.999999"
	epoch := time.Date(epochYear, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct{ every, at, suffix, from, to string }{
		{"1 month", "2026-11-25 13:00:00", "_2026_11", "2026-11-01 00:00:00", "2026-12-01 00:00:00"},
		{"1 month", "2026-12-31 23:59:59.999999", "_2026_12", "2026-12-01 00:00:00", "2027-01-01 00:00:00"},
		{"1 month", "1999-12-31 23:59:59", "_1999_12", "1999-12-01 00:00:00", "2000-01-01 00:00:00"},
		{"1 mon", "2024-02-29 00:00:00", "_2024_02", "2024-02-01 00:00:00", "2024-03-01 00:00:00"},
		{"3 months", "2026-11-25 13:00:00", "_2026_10", "2026-10-01 00:00:00", "2027-01-01 00:00:00"},
		{"1 year", "2026-11-25 13:00:00", "_2026", "2026-01-01 00:00:00", "2027-01-01 00:00:00"},
		{"1 day", "2026-11-25 13:00:00", "_2026_11_25", "2026-11-25 00:00:00", "2026-11-26 00:00:00"},
		{"7 days", "2026-11-25 13:00:00", "_2026_11_23", "2026-11-23 00:00:00", "2026-11-30 00:00:00"},
		{"1 week", "1999-12-31 13:00:00", "_1999_12_27", "1999-12-27 00:00:00", "2000-01-03 00:00:00"},
		{"6 hours", "2026-11-25 13:00:00", "_2026_11_25_12", "2026-11-25 12:00:00", "2026-11-25 18:00:00"},
		{"36 hours", "2000-01-02 13:00:00", "_2000_01_02_12", "2000-01-02 12:00:00", "2000-01-04 00:00:00"},
		{"1 hour", "1999-12-31 23:30:00", "_1999_12_31_23", "1999-12-31 23:00:00", "2000-01-01 00:00:00"},
	} {
		i, ok := ParseInterval(c.every)
		at, err := time.Parse(layout, c.at)
		if !ok || err != nil {
			t.Fatalf("%s, %s: %t, %v", c.every, c.at, ok, err)
		}
		n := i.number(datetime.At(at))
		from, to := i.start(n), i.start(n+1)
		show := func(micros int64) string {
			return time.UnixMicro(micros + epoch.UnixMicro()).UTC().Format("2006-01-02 15:04:05")
		}
		if i.suffix(from) != c.suffix || show(from) != c.from || show(to) != c.to {
			t.Errorf("%s at %s: %s from %s to %s", c.every, c.at, i.suffix(from), show(from), show(to))
		}
		if i.number(from) != n || i.number(to-1) != n || i.number(to) != n+1 {
			t.Errorf("%s: range %d is that of %d to %d", c.every, n, i.number(from), i.number(to-1))
		}
	}
}

// TestNoIntervals holds what partitions cannot be made by.
func TestNoIntervals(t *testing.T) {
	for _, text := range []string{
		"", "soon", "0", "-1 month", "1 month 1 day", "90 minutes", "1 day 1 hour", "13000 months",
	} {
		if i, ok := ParseInterval(text); ok {
			t.Errorf("%q is %v", text, i)
		}
	}
}

// TestLongNames cuts no character in two.
func TestLongNames(t *testing.T) {
	for _, c := range []struct{ table, want string }{
		{strings.Repeat("ü", 40), strings.Repeat("ü", 27) + "_2026_11"},
		{"x" + strings.Repeat("ü", 40), "x" + strings.Repeat("ü", 27) + "_2026_11"},
		{strings.Repeat("x", 55), strings.Repeat("x", 55) + "_2026_11"}, {"t", "t_2026_11"},
	} {
		if got := nameOf(c.table, "_2026_11"); got != c.want {
			t.Errorf("%s: %q", c.table, got)
		}
	}
}

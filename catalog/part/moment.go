package part

import (
	"math"
	"time"

	"zproxy/types"
)

const (
	microsPerMinute = 60 * 1_000_000
	microsPerHour   = 60 * microsPerMinute
	microsPerDay    = 24 * microsPerHour
)

// epoch is where timestamps and dates count from.
var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// civil is a moment as a date and a clock in UTC. Seconds are kept apart, since a
// time.Duration spans no more than 292 years.
func civil(micros int64) time.Time {
	days := floorDiv(micros, microsPerDay)
	return epoch.AddDate(0, 0, int(days)).Add(time.Duration(micros-days*microsPerDay) * time.Microsecond)
}

func microsOf(t time.Time) int64 {
	return (t.Unix()-epoch.Unix())*1_000_000 + int64(t.Nanosecond()/1000)
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// endDays is the first day behind those of timestamps, 294277-01-01.
const endDays = 106_751_983

// momentOf is a time in microseconds. It says false of NULL, the infinities, and dates
// that have so many microseconds that there are no such timestamps.
func momentOf(v types.Value) (int64, bool) {
	switch v.Kind() {
	case types.KindDate:
		d := v.Days()
		return int64(d) * microsPerDay, d < endDays && d != math.MinInt32
	case types.KindTimestamp:
		m := v.Micros()
		return m, m != math.MaxInt64 && m != math.MinInt64
	}
	return 0, false
}

// unitStart is the first moment of the unit that a moment lies in.
func unitStart(unit Unit, micros int64) int64 {
	switch unit {
	case Minute:
		return floorDiv(micros, microsPerMinute) * microsPerMinute
	case Hour:
		return floorDiv(micros, microsPerHour) * microsPerHour
	case Day:
		return floorDiv(micros, microsPerDay) * microsPerDay
	case Week: // 2000-01-03 was a Monday
		return (floorDiv(floorDiv(micros, microsPerDay)-2, 7)*7 + 2) * microsPerDay
	}
	year, month, _ := civil(micros).Date()
	if unit == Year {
		month = time.January
	}
	return microsOf(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
}

// unitNext is the first moment of the unit behind the one that begins at start.
func unitNext(unit Unit, start int64) int64 {
	switch unit {
	case Minute:
		return start + microsPerMinute
	case Hour:
		return start + microsPerHour
	case Day:
		return start + microsPerDay
	case Week:
		return start + 7*microsPerDay
	case Month:
		return microsOf(civil(start).AddDate(0, 1, 0))
	}
	return microsOf(civil(start).AddDate(1, 0, 0))
}

// timeLike is a moment as a value of the kind of v.
func timeLike(v types.Value, micros int64) types.Value {
	if v.Kind() == types.KindDate {
		return types.NewDate(int32(floorDiv(micros, microsPerDay)))
	}
	return types.NewTimestamp(micros)
}

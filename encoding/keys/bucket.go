package keys

import (
	"math"
	"time"

	"zproxy/catalog"
	"zproxy/encoding/span"
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

// bucketStart is the first moment of the unit that a moment lies in.
func bucketStart(unit catalog.BucketUnit, micros int64) int64 {
	switch unit {
	case catalog.Minute:
		return floorDiv(micros, microsPerMinute) * microsPerMinute
	case catalog.Hour:
		return floorDiv(micros, microsPerHour) * microsPerHour
	case catalog.Day:
		return floorDiv(micros, microsPerDay) * microsPerDay
	case catalog.Week: // 2000-01-03 was a Monday
		return (floorDiv(floorDiv(micros, microsPerDay)-2, 7)*7 + 2) * microsPerDay
	}
	year, month, _ := civil(micros).Date()
	if unit == catalog.Year {
		month = time.January
	}
	return microsOf(time.Date(year, month, 1, 0, 0, 0, 0, time.UTC))
}

// bucketNext is the first moment of the unit behind the one that begins at start.
func bucketNext(unit catalog.BucketUnit, start int64) int64 {
	switch unit {
	case catalog.Minute:
		return start + microsPerMinute
	case catalog.Hour:
		return start + microsPerHour
	case catalog.Day:
		return start + microsPerDay
	case catalog.Week:
		return start + 7*microsPerDay
	case catalog.Month:
		return microsOf(civil(start).AddDate(0, 1, 0))
	}
	return microsOf(civil(start).AddDate(1, 0, 0))
}

// bucketOf is the start of the unit that a time lies in, of the same type. NULL, the
// infinities and dates that are too far off are their own buckets.
func bucketOf(unit catalog.BucketUnit, v types.Value) types.Value {
	micros, finite := momentOf(v)
	if !finite {
		return v
	}
	return timeLike(v, bucketStart(unit, micros))
}

// timeLike is a moment as a value of the kind of v.
func timeLike(v types.Value, micros int64) types.Value {
	if v.Kind() == types.KindDate {
		return types.NewDate(int32(floorDiv(micros, microsPerDay)))
	}
	return types.NewTimestamp(micros)
}

// bucketsOf are the starts of all units that values of a set lie in, NULL left out. It
// says false when there are more than most, or no end to them.
func bucketsOf(unit catalog.BucketUnit, set span.Set, most int) ([]types.Value, bool) {
	var out []types.Value
	for _, in := range set.Intervals {
		if in.Point() {
			out = appendBucket(out, bucketOf(unit, in.Low))
			continue
		}
		low, finite := momentOf(inward(in.Low, in.LowOpen, true))
		high, finiteToo := momentOf(inward(in.High, in.HighOpen, false))
		if !finite || !finiteToo {
			return nil, false
		}
		for at := bucketStart(unit, low); low <= high && at <= high; at = bucketNext(unit, at) {
			if len(out) == most {
				return nil, false
			}
			out = appendBucket(out, timeLike(in.Low, at))
		}
	}
	return out, len(out) <= most
}

// appendBucket leaves out a bucket that is there already. Buckets come in ascending order.
func appendBucket(dst []types.Value, v types.Value) []types.Value {
	if n := len(dst); n > 0 && types.Compare(dst[n-1], v) == 0 {
		return dst
	}
	return append(dst, v)
}

// bucketInterval is the buckets of a set as one interval: a bucket is no later than the
// times in it, and no bucket lies between two that follow each other. That which begins
// where the set ends before it is not among them.
func bucketInterval(unit catalog.BucketUnit, set span.Set) span.Interval {
	hull := set.Hull()
	in := span.Interval{}
	if !hull.Low.IsNull() {
		in.Low = bucketOf(unit, inward(hull.Low, hull.LowOpen, true))
	}
	if !hull.High.IsNull() {
		in.High = bucketOf(unit, inward(hull.High, hull.HighOpen, false))
		in.HighOpen = hull.HighOpen && types.Compare(in.High, hull.High) == 0
	}
	return in
}

package types

import (
	"math"

	"zproxy/sqlerr"
	"zproxy/types/numeric"
)

const (
	microsPerHour   = 3600 * microsPerSecond
	microsPerMinute = 60 * microsPerSecond
	daysPerMonth    = 30
	monthsPerYear   = 12
)

func intervalOutOfRange() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "interval out of range")
}

// OrderedInterval is an interval as it compares with others, a month being 30 days and a
// day 24 hours: whole days, and the microseconds of the last one.
func OrderedInterval(v Value) (days, micros int64) {
	m, d, micros := v.Interval()
	whole := floorDiv(micros, microsPerDay)
	return int64(m)*daysPerMonth + int64(d) + whole, micros - whole*microsPerDay
}

// MicrosOfInterval is an interval's microseconds as it compares with others, the nearest
// ones that an int64 holds.
func MicrosOfInterval(v Value) int64 {
	days, micros := OrderedInterval(v)
	product, ok := mulInt64(days, microsPerDay)
	sum, ok2 := addInt64(product, micros)
	switch {
	case ok && ok2:
		return sum
	case days < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// IntervalOfOrdered is an interval that equals all those of an OrderedInterval.
func IntervalOfOrdered(days, micros int64) Value {
	months := clampInt32(days / daysPerMonth)
	rest := days - int64(months)*daysPerMonth
	d := clampInt32(rest)
	return NewInterval(months, d, micros+(rest-int64(d))*microsPerDay)
}

func clampInt32(n int64) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

func fitsInt32(n int64) bool { return n == int64(int32(n)) }

func addInt64(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (sum > a) == (b > 0)
}

func mulInt64(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	product := a * b
	return product, product/b == a && !(a == -1 && b == math.MinInt64) && !(b == -1 && a == math.MinInt64)
}

// newInterval checks the ranges of months and days.
func newInterval(months, days, micros int64) (Value, error) {
	if !fitsInt32(months) || !fitsInt32(days) {
		return Null, intervalOutOfRange()
	}
	return NewInterval(int32(months), int32(days), micros), nil
}

// NegInterval is -interval.
func NegInterval(v Value) (Value, error) {
	months, days, micros := v.Interval()
	if micros == math.MinInt64 {
		return Null, intervalOutOfRange()
	}
	return newInterval(-int64(months), -int64(days), -micros)
}

// AddIntervals is interval + interval.
func AddIntervals(a, b Value) (Value, error) {
	m1, d1, t1 := a.Interval()
	m2, d2, t2 := b.Interval()
	micros, ok := addInt64(t1, t2)
	if !ok {
		return Null, intervalOutOfRange()
	}
	return newInterval(int64(m1)+int64(m2), int64(d1)+int64(d2), micros)
}

// SubIntervals is interval - interval.
func SubIntervals(a, b Value) (Value, error) {
	m1, d1, t1 := a.Interval()
	m2, d2, t2 := b.Interval()
	micros := t1 - t2
	if (micros < t1) != (t2 > 0) {
		return Null, intervalOutOfRange()
	}
	return newInterval(int64(m1)-int64(m2), int64(d1)-int64(d2), micros)
}

// MulInterval is interval * float. What is left of a month goes to the days, what is
// left of a day to the time.
func MulInterval(v, factor Value) (Value, error) {
	f := factor.Float()
	return scaleInterval(v, func(x float64) float64 { return x * f })
}

// DivInterval is interval / float.
func DivInterval(v, divisor Value) (Value, error) {
	f := divisor.Float()
	if f == 0 {
		return Null, numeric.DivisionByZero()
	}
	return scaleInterval(v, func(x float64) float64 { return x / f })
}

func scaleInterval(v Value, scale func(float64) float64) (Value, error) {
	m, d, t := v.Interval()
	scaledMonths, scaledDays := scale(float64(m)), scale(float64(d))
	if !inInt32(scaledMonths) || !inInt32(scaledDays) {
		return Null, intervalOutOfRange()
	}
	months, days := math.Trunc(scaledMonths), math.Trunc(scaledDays)
	monthRest := roundMicros((scaledMonths - months) * daysPerMonth)
	seconds := roundMicros((scaledDays - days + monthRest - math.Trunc(monthRest)) * 86400)
	if math.Abs(seconds) >= 86400 {
		whole := math.Trunc(seconds / 86400)
		days += whole
		seconds -= whole * 86400
	}
	days += math.Trunc(monthRest)
	micros := math.RoundToEven(scale(float64(t)) + seconds*microsPerSecond)
	if !(micros >= math.MinInt64 && micros < -math.MinInt64) {
		return Null, intervalOutOfRange()
	}
	return newInterval(int64(months), int64(days), int64(micros))
}

func inInt32(f float64) bool { return f >= math.MinInt32 && f <= math.MaxInt32 }

// roundMicros rounds seconds or days to millionths.
func roundMicros(f float64) float64 {
	return math.RoundToEven(f*microsPerSecond) / microsPerSecond
}

// JustifyHours moves whole days of an interval's time to its days, and gives both one sign.
func JustifyHours(v Value) (Value, error) {
	months, days, micros := v.Interval()
	total, rest := justifyHours(int64(days), micros)
	return newInterval(int64(months), total, rest)
}

// JustifyDays moves whole months of an interval's days to its months, and gives both one
// sign.
func JustifyDays(v Value) (Value, error) {
	m, d, micros := v.Interval()
	months, days := carry(int64(m), int64(d), daysPerMonth)
	return newInterval(months, days, micros)
}

// JustifyInterval does what JustifyHours and JustifyDays do, and gives all fields one sign.
func JustifyInterval(v Value) (Value, error) {
	m, d, micros := v.Interval()
	months, days := int64(m), int64(d)
	if days > 0 && micros > 0 || days < 0 && micros < 0 { // so that the days do not overflow
		months, days = months+days/daysPerMonth, days%daysPerMonth
	}
	days, micros = days+micros/microsPerDay, micros%microsPerDay
	months, days = months+days/daysPerMonth, days%daysPerMonth
	switch {
	case months > 0 && (days < 0 || days == 0 && micros < 0):
		months, days = months-1, days+daysPerMonth
	case months < 0 && (days > 0 || days == 0 && micros > 0):
		months, days = months+1, days-daysPerMonth
	}
	days, micros = justifyHours(days, micros)
	return newInterval(months, days, micros)
}

func justifyHours(days, micros int64) (int64, int64) { return carry(days, micros, microsPerDay) }

// carry moves whole units of the small field to the large one; then both have one sign.
func carry(large, small, unit int64) (int64, int64) {
	large, small = large+small/unit, small%unit
	switch {
	case large > 0 && small < 0:
		return large - 1, small + unit
	case large < 0 && small > 0:
		return large + 1, small - unit
	}
	return large, small
}

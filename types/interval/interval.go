// Package interval holds spans of time: how they are read and written in the styles of PostgreSQL and ISO 8601, how
// they compare, and how they are added to each other and to timestamps. Functions of values are in package
// expr/builtin/datetime. Read Interval and Parse first.
package interval

import (
	"math"

	"zproxy/sqlerr"
	"zproxy/types/calendar"
	"zproxy/types/numeric"
)

func outOfRange() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "interval out of range")
}

// Interval is a span of time. Its fields stand for themselves: a month is no number of days, nor is a day 24 hours.
type Interval struct {
	Months, Days int32
	Micros       int64
}

// Fields are the months, days and microseconds of an interval.
func (i Interval) Fields() (months, days int32, micros int64) { return i.Months, i.Days, i.Micros }

// Ordered is an interval as it compares with others, a month being 30 days and a day 24 hours: whole days, and the
// microseconds of the last one.
func (i Interval) Ordered() (days, micros int64) {
	whole := calendar.FloorDiv(i.Micros, calendar.MicrosPerDay)
	return int64(i.Months)*calendar.DaysPerMonth + int64(i.Days) + whole, i.Micros - whole*calendar.MicrosPerDay
}

// Length is an interval's microseconds as it compares with others, the nearest ones that an int64 holds.
func (i Interval) Length() int64 {
	days, micros := i.Ordered()
	product, ok := calendar.Mul(days, calendar.MicrosPerDay)
	sum, ok2 := calendar.Add(product, micros)
	switch {
	case ok && ok2:
		return sum
	case days < 0:
		return math.MinInt64
	}
	return math.MaxInt64
}

// OfOrdered is an interval that equals all those of which this is Ordered.
func OfOrdered(days, micros int64) Interval {
	months := clampInt32(days / calendar.DaysPerMonth)
	rest := days - int64(months)*calendar.DaysPerMonth
	d := clampInt32(rest)
	return Interval{months, d, micros + (rest-int64(d))*calendar.MicrosPerDay}
}

// checked checks the ranges of months and days.
func checked(months, days, micros int64) (Interval, error) {
	if !fitsInt32(months) || !fitsInt32(days) {
		return Interval{}, outOfRange()
	}
	return Interval{int32(months), int32(days), micros}, nil
}

// Neg is -interval.
func Neg(i Interval) (Interval, error) {
	if i.Micros == math.MinInt64 {
		return Interval{}, outOfRange()
	}
	return checked(-int64(i.Months), -int64(i.Days), -i.Micros)
}

// Add is interval + interval.
func Add(a, b Interval) (Interval, error) {
	micros, ok := calendar.Add(a.Micros, b.Micros)
	if !ok {
		return Interval{}, outOfRange()
	}
	return checked(int64(a.Months)+int64(b.Months), int64(a.Days)+int64(b.Days), micros)
}

// Sub is interval - interval.
func Sub(a, b Interval) (Interval, error) {
	micros := a.Micros - b.Micros
	if (micros < a.Micros) != (b.Micros > 0) {
		return Interval{}, outOfRange()
	}
	return checked(int64(a.Months)-int64(b.Months), int64(a.Days)-int64(b.Days), micros)
}

// Mul is interval * float. What is left of a month goes to the days, what is left of a day to the time.
func Mul(i Interval, f float64) (Interval, error) {
	return scaled(i, func(x float64) float64 { return x * f })
}

// Div is interval / float.
func Div(i Interval, f float64) (Interval, error) {
	if f == 0 {
		return Interval{}, numeric.DivisionByZero()
	}
	return scaled(i, func(x float64) float64 { return x / f })
}

func scaled(i Interval, scale func(float64) float64) (Interval, error) {
	scaledMonths, scaledDays := scale(float64(i.Months)), scale(float64(i.Days))
	if !inInt32(scaledMonths) || !inInt32(scaledDays) {
		return Interval{}, outOfRange()
	}
	months, days := math.Trunc(scaledMonths), math.Trunc(scaledDays)
	monthRest := roundMicros((scaledMonths - months) * calendar.DaysPerMonth)
	seconds := roundMicros((scaledDays - days + monthRest - math.Trunc(monthRest)) * 86400)
	if math.Abs(seconds) >= 86400 {
		whole := math.Trunc(seconds / 86400)
		days += whole
		seconds -= whole * 86400
	}
	days += math.Trunc(monthRest)
	micros := math.RoundToEven(scale(float64(i.Micros)) + seconds*calendar.MicrosPerSecond)
	if !(micros >= math.MinInt64 && micros < -math.MinInt64) {
		return Interval{}, outOfRange()
	}
	return checked(int64(months), int64(days), int64(micros))
}

func inInt32(f float64) bool { return f >= math.MinInt32 && f <= math.MaxInt32 }

// roundMicros rounds seconds or days to millionths.
func roundMicros(f float64) float64 {
	return math.RoundToEven(f*calendar.MicrosPerSecond) / calendar.MicrosPerSecond
}

// JustifyHours moves whole days of an interval's time to its days, and gives both one sign.
func JustifyHours(i Interval) (Interval, error) {
	days, micros := justifyHours(int64(i.Days), i.Micros)
	return checked(int64(i.Months), days, micros)
}

// JustifyDays moves whole months of an interval's days to its months, and gives both one
// sign.
func JustifyDays(i Interval) (Interval, error) {
	months, days := carry(int64(i.Months), int64(i.Days), calendar.DaysPerMonth)
	return checked(months, days, i.Micros)
}

// Justify does what JustifyHours and JustifyDays do, and gives all fields one sign.
func Justify(i Interval) (Interval, error) {
	months, days, micros := int64(i.Months), int64(i.Days), i.Micros
	if days > 0 && micros > 0 || days < 0 && micros < 0 { // so that the days do not overflow
		months, days = months+days/calendar.DaysPerMonth, days%calendar.DaysPerMonth
	}
	days, micros = days+micros/calendar.MicrosPerDay, micros%calendar.MicrosPerDay
	months, days = months+days/calendar.DaysPerMonth, days%calendar.DaysPerMonth
	switch {
	case months > 0 && (days < 0 || days == 0 && micros < 0):
		months, days = months-1, days+calendar.DaysPerMonth
	case months < 0 && (days > 0 || days == 0 && micros > 0):
		months, days = months+1, days-calendar.DaysPerMonth
	}
	days, micros = justifyHours(days, micros)
	return checked(months, days, micros)
}

func justifyHours(days, micros int64) (int64, int64) {
	return carry(days, micros, calendar.MicrosPerDay)
}

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

func clampInt32(n int64) int32 { return int32(min(max(n, math.MinInt32), math.MaxInt32)) }

func fitsInt32(n int64) bool { return n == int64(int32(n)) }

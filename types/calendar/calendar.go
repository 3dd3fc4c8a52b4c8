// Package calendar counts days and microseconds since 2000-01-01, the representation of dates and timestamps. It
// has the units, the limits of PostgreSQL's types, the Gregorian calendar, and the numbers in the texts of times.
// Texts and time zones are in package datetime, spans of time in package interval. Read Days first.
package calendar

import (
	"math"

	"zproxy/sqlerr"
)

// The units of time. A month has 30 days where intervals are compared.
const (
	MicrosPerSecond = 1_000_000
	MicrosPerMinute = 60 * MicrosPerSecond
	MicrosPerHour   = 3600 * MicrosPerSecond
	MicrosPerDay    = 86400 * MicrosPerSecond
	DaysPerMonth    = 30
	MonthsPerYear   = 12
)

// UnixEpoch is 1970-01-01 as a date.
const UnixEpoch = -10957

// The limits of dates and timestamps.
const (
	MinDays         = -2451545             // 4714-11-24 BC, day 0 of the Julian calendar
	EndDays         = 2147483494 - 2451545 // after the year 5874897
	MinTimestamp    = -211813488000000000  // 4714-11-24 BC
	EndTimestamp    = 9223371331200000000  // 294277-01-01
	DateInfinity    = math.MaxInt32        // and MinInt32 is -infinity
	Infinity        = int64(math.MaxInt64) // and MinInt64 is -infinity
	DateNegInfinity = math.MinInt32
	NegInfinity     = int64(math.MinInt64)
)

// IsFiniteDate says whether a date is not infinite.
func IsFiniteDate(days int32) bool { return days != DateInfinity && days != DateNegInfinity }

// IsFinite says whether a timestamp is not infinite.
func IsFinite(micros int64) bool { return micros != Infinity && micros != NegInfinity }

// ValidDate says whether a date is within the limits.
func ValidDate(days int64) bool { return MinDays <= days && days < EndDays }

// Valid says whether a timestamp is within the limits.
func Valid(micros int64) bool { return MinTimestamp <= micros && micros < EndTimestamp }

// OutOfRange is the error of a timestamp that is not within the limits.
func OutOfRange() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range")
}

// Days counts the days from 2000-01-01 to a date of the proleptic Gregorian
// calendar, where year 0 is 1 BC (Howard Hinnant, "chrono-Compatible Low-Level Date
// Algorithms").
func Days(year, month, day int) int64 {
	y := int64(year)
	if month <= 2 {
		y--
	}
	era := FloorDiv(y, 400)
	yearOfEra := y - era*400
	dayOfYear := int64((153*((month+9)%12)+2)/5 + day - 1)
	dayOfEra := yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear
	return era*146097 + dayOfEra - 730425
}

// Civil is the inverse of Days.
func Civil(days int64) (year, month, day int) {
	days += 730425
	era := FloorDiv(days, 146097)
	dayOfEra := days - era*146097
	yearOfEra := (dayOfEra - dayOfEra/1460 + dayOfEra/36524 - dayOfEra/146096) / 365
	dayOfYear := int(dayOfEra - (365*yearOfEra + yearOfEra/4 - yearOfEra/100))
	shifted := (5*dayOfYear + 2) / 153 // months since March
	day = dayOfYear - (153*shifted+2)/5 + 1
	month = (shifted+2)%12 + 1
	year = int(yearOfEra + era*400)
	if month <= 2 {
		year++
	}
	return year, month, day
}

// FloorDiv is a / b for b > 0, downwards.
func FloorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// DaysInMonth is how many days a month has.
func DaysInMonth(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// AppendPadded appends n >= 0 with zeros before it to a width.
func AppendPadded(dst []byte, n, width int) []byte {
	var buf [20]byte
	i := len(buf)
	for ; n > 0 || width > 0; n /= 10 {
		i--
		width--
		buf[i] = byte('0' + n%10)
	}
	return append(dst, buf[i:]...)
}

// AppendFraction appends millionths behind a point, if there are any, without trailing
// zeros.
func AppendFraction(dst []byte, fraction int) []byte {
	if fraction == 0 {
		return dst
	}
	width := 6
	for ; fraction%10 == 0; fraction /= 10 {
		width--
	}
	return AppendPadded(append(dst, '.'), fraction, width)
}

// Add is the sum of two numbers. It says false where that is out of range.
func Add(a, b int64) (int64, bool) {
	sum := a + b
	return sum, (sum > a) == (b > 0)
}

// Mul is the product of two numbers. It says false where that is out of range.
func Mul(a, b int64) (int64, bool) {
	if a == 0 || b == 0 {
		return 0, true
	}
	product := a * b
	return product, product/b == a && !(a == -1 && b == math.MinInt64) && !(b == -1 && a == math.MinInt64)
}

// RoundDigits rounds to some digits of a second, half away from zero.
func RoundDigits(micros int64, digits int32) int64 {
	unit := int64(1)
	for range 6 - digits {
		unit *= 10
	}
	if micros < 0 {
		return -((-micros + unit/2) / unit * unit)
	}
	return (micros + unit/2) / unit * unit
}

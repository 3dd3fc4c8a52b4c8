package types

import (
	"fmt"
	"math"
	"time"

	"zproxy/sqlerr"
)

const (
	microsPerSecond = 1_000_000
	microsPerDay    = 86400 * microsPerSecond
	unixEpochDays   = -10957 // 1970-01-01 as a date

	minDays       = -2451545             // 4714-11-24 BC, day 0 of the Julian calendar
	endDays       = 2147483494 - 2451545 // after the year 5874897
	minTimestamp  = -211813488000000000  // 4714-11-24 BC
	endTimestamp  = 9223371331200000000  // 294277-01-01
	dateInfinity  = math.MaxInt32        // and MinInt32 is -infinity
	stampInfinity = int64(math.MaxInt64) // and MinInt64 is -infinity
	dateNegInf    = math.MinInt32
	stampNegInf   = int64(math.MinInt64)
)

func isFiniteDate(days int32) bool { return days != dateInfinity && days != dateNegInf }

func isFiniteTimestamp(micros int64) bool { return micros != stampInfinity && micros != stampNegInf }

func validDate(days int64) bool { return minDays <= days && days < endDays }

func validTimestamp(micros int64) bool { return minTimestamp <= micros && micros < endTimestamp }

// IsInfinite says whether a value is an infinite date or timestamp.
func IsInfinite(v Value) bool {
	return v.Kind() == KindDate && !isFiniteDate(v.Days()) || v.Kind() == KindTimestamp &&
		!isFiniteTimestamp(v.Micros())
}

// Ends are the least and the greatest finite value of a type of dates or timestamps; NULL of others.
func Ends(t T) (low, high Value) {
	switch t.Kind() {
	case KindDate:
		return NewDate(minDays), NewDate(endDays - 1)
	case KindTimestamp:
		return NewTimestamp(minTimestamp), NewTimestamp(endTimestamp - 1)
	}
	return Null, Null
}

func timestampOutOfRange() error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range")
}

// daysFromCivil counts the days from 2000-01-01 to a date of the proleptic Gregorian
// calendar, where year 0 is 1 BC (Howard Hinnant, "chrono-Compatible Low-Level Date
// Algorithms").
func daysFromCivil(year, month, day int) int64 {
	y := int64(year)
	if month <= 2 {
		y--
	}
	era := floorDiv(y, 400)
	yearOfEra := y - era*400
	dayOfYear := int64((153*((month+9)%12)+2)/5 + day - 1)
	dayOfEra := yearOfEra*365 + yearOfEra/4 - yearOfEra/100 + dayOfYear
	return era*146097 + dayOfEra - 730425
}

// civilFromDays is the inverse of daysFromCivil.
func civilFromDays(days int64) (year, month, day int) {
	days += 730425
	era := floorDiv(days, 146097)
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

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func daysInMonth(year, month int) int {
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

// unixSeconds turns microseconds since 2000 into whole seconds since 1970, downwards.
func unixSeconds(micros int64) int64 {
	return floorDiv(micros, microsPerSecond) - unixEpochDays*86400
}

// offsetAt is the seconds east of UTC at a moment.
func offsetAt(micros int64, loc *time.Location) int64 {
	if loc == time.UTC {
		return 0
	}
	_, offset := time.Unix(unixSeconds(micros), 0).In(loc).Zone()
	return int64(offset)
}

// offsetOfLocal is the seconds east of UTC of a local time. Where a change of the
// offset makes the time missing or ambiguous, it is the one that standard time would
// give, as in PostgreSQL.
func offsetOfLocal(local int64, loc *time.Location) int64 {
	if loc == time.UTC {
		return 0
	}
	seconds := unixSeconds(local)
	dayBefore := time.Unix(seconds-86400, 0).In(loc)
	_, before := dayBefore.Zone()
	_, boundary := dayBefore.ZoneBounds()
	if boundary.IsZero() {
		return int64(before)
	}
	_, after := boundary.Zone()
	early, late := seconds-int64(before), seconds-int64(after)
	switch change := boundary.Unix(); {
	case early < change && late < change:
		return int64(before)
	case early > change && late >= change:
		return int64(after)
	}
	return int64(min(before, after))
}

// LocalToUTC takes a timestamp as the local time of a zone and gives the moment.
func LocalToUTC(local int64, loc *time.Location) (int64, error) {
	if !isFiniteTimestamp(local) {
		return local, nil
	}
	return shiftTimestamp(local, -offsetOfLocal(local, loc))
}

// UTCToLocal gives the local time of a zone at a moment.
func UTCToLocal(micros int64, loc *time.Location) (int64, error) {
	if !isFiniteTimestamp(micros) {
		return micros, nil
	}
	return shiftTimestamp(micros, offsetAt(micros, loc))
}

func shiftTimestamp(micros, seconds int64) (int64, error) {
	shifted := micros + seconds*microsPerSecond
	if (shifted < micros) != (seconds < 0) || !validTimestamp(shifted) {
		return 0, timestampOutOfRange()
	}
	return shifted, nil
}

func digitsModText(mod int32) string { return fmt.Sprintf("(%d)", mod) }

// roundTimestamp rounds to the digits of a timestamp(p), half away from zero as counted
// from 2000.
func roundTimestamp(v Value, mod int32, _ bool, _ *Env) (Value, error) {
	micros := v.Micros()
	if mod >= 6 || !isFiniteTimestamp(micros) {
		return v, nil
	}
	unit := int64(1)
	for range 6 - mod {
		unit *= 10
	}
	rest := micros % unit
	micros -= rest
	switch {
	case rest >= unit/2:
		micros += unit
	case rest <= -unit/2:
		micros -= unit
	}
	return NewTimestamp(micros), nil
}

// TimestampAt is a moment as a timestamp with time zone.
func TimestampAt(t time.Time) Value {
	return NewTimestamp((t.Unix()+unixEpochDays*86400)*microsPerSecond + int64(t.Nanosecond()/1000))
}

// timestampOfDate is the midnight at which a date begins.
func timestampOfDate(v Value) (Value, error) {
	switch days := v.Days(); {
	case days == dateInfinity:
		return NewTimestamp(stampInfinity), nil
	case days == dateNegInf:
		return NewTimestamp(stampNegInf), nil
	case int64(days) >= endTimestamp/microsPerDay:
		return Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range for timestamp")
	default:
		return NewTimestamp(int64(days) * microsPerDay), nil
	}
}

// DateOfTimestamp is the date of a timestamp of microseconds since 2000-01-01.
func DateOfTimestamp(micros int64) Value {
	switch micros {
	case stampInfinity:
		return NewDate(dateInfinity)
	case stampNegInf:
		return NewDate(dateNegInf)
	}
	return NewDate(int32(floorDiv(micros, microsPerDay)))
}

// AddDays is date + integer.
func AddDays(date, days Value) (Value, error) {
	sum := int64(date.Days()) + days.Int()
	switch {
	case !isFiniteDate(date.Days()):
		return date, nil
	case !validDate(sum):
		return Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range")
	}
	return NewDate(int32(sum)), nil
}

// SubDays is date - integer.
func SubDays(date, days Value) (Value, error) { return AddDays(date, NewInt(-days.Int())) }

// SubDates is date - date, in days.
func SubDates(a, b Value) (Value, error) {
	if !isFiniteDate(a.Days()) || !isFiniteDate(b.Days()) {
		return Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "cannot subtract infinite dates")
	}
	return NewInt(int64(a.Days()) - int64(b.Days())), nil
}

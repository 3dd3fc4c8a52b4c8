// Package datetime holds dates, timestamps and times of day: days since 2000-01-01, microseconds since then, and
// microseconds since midnight. It reads their texts in any of PostgreSQL's formats and writes them in those of
// DateStyle, knows time zones by their names, and takes moments to local times and back. Units are in package calendar,
// spans of time in package interval, functions in package expr/builtin/datetime. Read Session and ParseTimestamptz
// first.
package datetime

import (
	"time"

	"zproxy/sqlerr"
	"zproxy/types/calendar"
	"zproxy/types/datestyle"
)

// Session is what texts of dates and times take from a session.
type Session struct {
	Location *time.Location  // TimeZone; nil is UTC
	Now      time.Time       // when the transaction began, for 'now'; zero asks the clock
	Order    datestyle.Order // of the fields of dates
}

func (s Session) location() *time.Location {
	if s.Location == nil {
		return time.UTC
	}
	return s.Location
}

func (s Session) now() time.Time {
	if s.Now.IsZero() {
		return time.Now()
	}
	return s.Now
}

// At is a moment as a timestamp.
func At(t time.Time) int64 {
	return (t.Unix()+calendar.UnixEpoch*86400)*calendar.MicrosPerSecond + int64(t.Nanosecond()/1000)
}

// Midnight is the timestamp at which a date begins.
func Midnight(days int32) (int64, error) {
	switch {
	case days == calendar.DateInfinity:
		return calendar.Infinity, nil
	case days == calendar.DateNegInfinity:
		return calendar.NegInfinity, nil
	case int64(days) >= calendar.EndTimestamp/calendar.MicrosPerDay:
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range for timestamp")
	}
	return int64(days) * calendar.MicrosPerDay, nil
}

// DateOf is the date of a timestamp.
func DateOf(micros int64) int32 {
	switch micros {
	case calendar.Infinity:
		return calendar.DateInfinity
	case calendar.NegInfinity:
		return calendar.DateNegInfinity
	}
	return int32(calendar.FloorDiv(micros, calendar.MicrosPerDay))
}

// TimeOf is the time of day of a timestamp that is finite.
func TimeOf(micros int64) int64 {
	return micros - calendar.FloorDiv(micros, calendar.MicrosPerDay)*calendar.MicrosPerDay
}

// CheckDate refuses a date that is out of range.
func CheckDate(days int64) error {
	if !calendar.ValidDate(days) {
		return sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range")
	}
	return nil
}

// CheckTime refuses what is no time of a day.
func CheckTime(micros int64) error {
	if micros < 0 || micros > calendar.MicrosPerDay {
		return sqlerr.New(sqlerr.DatetimeFieldOverflow, "time out of range")
	}
	return nil
}

// EndWest is the first offset, in seconds west of UTC, that no zone has.
const EndWest = 16 * 3600

// CheckWest refuses what is no offset of a zone, in seconds west of UTC.
func CheckWest(west int32) error {
	if west <= -EndWest || west >= EndWest {
		return sqlerr.New(sqlerr.InvalidTimeZoneDisplacement, "time zone displacement out of range")
	}
	return nil
}

// AddDays is date + integer.
func AddDays(days int32, n int64) (int32, error) {
	if !calendar.IsFiniteDate(days) {
		return days, nil
	}
	sum := int64(days) + n
	return int32(sum), CheckDate(sum)
}

// SubDates is date - date, in days.
func SubDates(a, b int32) (int64, error) {
	if !calendar.IsFiniteDate(a) || !calendar.IsFiniteDate(b) {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "cannot subtract infinite dates")
	}
	return int64(a) - int64(b), nil
}

// RoundTimestamp rounds to some digits of a second, half away from zero as counted from 2000.
func RoundTimestamp(micros int64, digits int32) int64 {
	if digits >= 6 || !calendar.IsFinite(micros) {
		return micros
	}
	unit := int64(1)
	for range 6 - digits {
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
	return micros
}

// AddTime is the sum of a time of day and a span, around the clock.
func AddTime(micros, span int64) int64 {
	sum := (micros + span%calendar.MicrosPerDay) % calendar.MicrosPerDay
	if sum < 0 {
		sum += calendar.MicrosPerDay
	}
	return sum
}

// AddTimeToDate is date + time, a timestamp.
func AddTimeToDate(days int32, micros int64) (int64, error) {
	at, err := Midnight(days)
	if err != nil || !calendar.IsFinite(at) {
		return at, err
	}
	if at += micros; !calendar.Valid(at) {
		return 0, calendar.OutOfRange()
	}
	return at, nil
}

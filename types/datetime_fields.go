package types

import (
	"errors"
	"math"
)

// What can be wrong with the fields of a date.
var (
	ErrFields = errors.New("no such date")
	ErrRange  = errors.New("date out of range")
)

// DateOf is the date of a year, a month and a day. A negative year is one before Christ.
func DateOf(year, month, day int64) (Value, error) {
	if year == math.MinInt32 {
		return Null, ErrFields
	}
	if year < 0 {
		year++
	} else if year == 0 {
		return Null, ErrFields
	}
	switch {
	case month < 1, month > monthsPerYear, day < 1, day > int64(daysInMonth(int(year), int(month))):
		return Null, ErrFields
	}
	days := daysFromCivil(int(year), int(month), int(day))
	if !validDate(days) {
		return Null, ErrRange
	}
	return NewDate(int32(days)), nil
}

// CivilDate is the year, with 0 as 1 BC, the month and the day of the days since 2000.
func CivilDate(days int) (year, month, day int) { return civilFromDays(int64(days)) }

// DaysInMonth is how many days a month has.
func DaysInMonth(year, month int) int { return daysInMonth(year, month) }

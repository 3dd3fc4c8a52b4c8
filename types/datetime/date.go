package datetime

import (
	"errors"
	"math"

	"zproxy/types/calendar"
)

// What can be wrong with the fields of a date.
var (
	ErrFields = errors.New("no such date")
	ErrRange  = errors.New("date out of range")
)

// Date is the date of a year, a month and a day. A negative year is one before Christ.
func Date(year, month, day int64) (int32, error) {
	if year == math.MinInt32 {
		return 0, ErrFields
	}
	if year < 0 {
		year++
	} else if year == 0 {
		return 0, ErrFields
	}
	switch {
	case month < 1, month > calendar.MonthsPerYear, day < 1, day > int64(calendar.DaysInMonth(int(year), int(month))):
		return 0, ErrFields
	}
	days := calendar.Days(int(year), int(month), int(day))
	if !calendar.ValidDate(days) {
		return 0, ErrRange
	}
	return int32(days), nil
}

package datetime

import (
	"time"

	"zproxy/types/calendar"
	"zproxy/types/datestyle"
)

// appendCivil appends the fields of a date; a year before 1 counts backwards from 1 BC.
func appendCivil(dst []byte, year, month, day int, s datestyle.Style) []byte {
	if year <= 0 {
		year = 1 - year
	}
	first, second := month, day
	if s.Order == datestyle.DMY {
		first, second = day, month
	}
	switch s.Form {
	case datestyle.ISO:
		dst = append(calendar.AppendPadded(dst, year, 4), '-')
		dst = append(calendar.AppendPadded(dst, month, 2), '-')
		return calendar.AppendPadded(dst, day, 2)
	case datestyle.German:
		dst = append(calendar.AppendPadded(dst, day, 2), '.')
		dst = append(calendar.AppendPadded(dst, month, 2), '.')
	case datestyle.SQL:
		dst = append(calendar.AppendPadded(dst, first, 2), '/')
		dst = append(calendar.AppendPadded(dst, second, 2), '/')
	default:
		dst = append(calendar.AppendPadded(dst, first, 2), '-')
		dst = append(calendar.AppendPadded(dst, second, 2), '-')
	}
	return calendar.AppendPadded(dst, year, 4)
}

func appendEra(dst []byte, year int) []byte {
	if year <= 0 {
		return append(dst, " BC"...)
	}
	return dst
}

func appendInfiniteTimestamp(dst []byte, micros int64) []byte {
	if micros < 0 {
		dst = append(dst, '-')
	}
	return append(dst, "infinity"...)
}

// appendDateTime appends a date and a time of day, and returns the year too.
func appendDateTime(dst []byte, micros int64, s datestyle.Style) ([]byte, int) {
	days := calendar.FloorDiv(micros, calendar.MicrosPerDay)
	year, month, day := calendar.Civil(days)
	clock := micros - days*calendar.MicrosPerDay
	if s.Form != datestyle.Postgres {
		dst = append(appendCivil(dst, year, month, day, s), ' ')
		return AppendTime(dst, clock), year
	}
	name := time.Month(month).String()[:3]
	dst = append(append(dst, weekday(days).String()[:3]...), ' ')
	if s.Order == datestyle.DMY {
		dst = append(append(calendar.AppendPadded(dst, day, 2), ' '), name...)
	} else {
		dst = calendar.AppendPadded(append(append(dst, name...), ' '), day, 2)
	}
	dst = append(AppendTime(append(dst, ' '), clock), ' ')
	return calendar.AppendPadded(dst, max(year, 1-year), 4), year
}

// weekday is the day of the week of a date.
func weekday(days int64) time.Weekday {
	const saturday = 6 // which 2000-01-01 was
	shifted := days + saturday
	return time.Weekday(shifted - 7*calendar.FloorDiv(shifted, 7))
}

// AppendTime appends the text of a time of day: HH:MM:SS and the fraction without its trailing zeros.
func AppendTime(dst []byte, micros int64) []byte {
	seconds, fraction := int(micros/calendar.MicrosPerSecond), int(micros%calendar.MicrosPerSecond)
	dst = append(calendar.AppendPadded(dst, seconds/3600, 2), ':')
	dst = append(calendar.AppendPadded(dst, seconds/60%60, 2), ':')
	return calendar.AppendFraction(calendar.AppendPadded(dst, seconds%60, 2), fraction)
}

// appendOffset appends +HH[:MM[:SS]] for seconds east of UTC.
func appendOffset(dst []byte, seconds int) []byte {
	sign := byte('+')
	if seconds < 0 {
		sign, seconds = '-', -seconds
	}
	dst = calendar.AppendPadded(append(dst, sign), seconds/3600, 2)
	if seconds%3600 != 0 {
		dst = calendar.AppendPadded(append(dst, ':'), seconds/60%60, 2)
	}
	if seconds%60 != 0 {
		dst = calendar.AppendPadded(append(dst, ':'), seconds%60, 2)
	}
	return dst
}

// AppendDate appends the text of a date.
func AppendDate(dst []byte, days int32, s datestyle.Style) []byte {
	switch days {
	case calendar.DateInfinity:
		return append(dst, "infinity"...)
	case calendar.DateNegInfinity:
		return append(dst, "-infinity"...)
	}
	year, month, day := calendar.Civil(int64(days))
	return appendEra(appendCivil(dst, year, month, day, s), year)
}

// AppendTimestamp appends the text of a timestamp without time zone.
func AppendTimestamp(dst []byte, micros int64, s datestyle.Style) []byte {
	if !calendar.IsFinite(micros) {
		return appendInfiniteTimestamp(dst, micros)
	}
	dst, year := appendDateTime(dst, micros, s)
	return appendEra(dst, year)
}

// AppendTimestamptz appends the text of a timestamp with time zone, in the zone of the session.
func AppendTimestamptz(dst []byte, micros int64, zone *time.Location, s datestyle.Style) []byte {
	if !calendar.IsFinite(micros) {
		return appendInfiniteTimestamp(dst, micros)
	}
	offset := OffsetAt(micros, zone)
	dst, year := appendDateTime(dst, micros+offset*calendar.MicrosPerSecond, s)
	if s.Form == datestyle.ISO {
		return appendEra(appendOffset(dst, int(offset)), year)
	}
	name, _ := time.Unix(unixSeconds(micros), 0).In(zone).Zone()
	dst = append(dst, ' ')
	return appendEra(append(dst, name[:min(len(name), maxAbbreviation)]...), year)
}

// maxAbbreviation is how much of the name of a zone is written.
const maxAbbreviation = 10

// AppendTimetz appends the text of a time of day in a zone of so many seconds west of UTC.
func AppendTimetz(dst []byte, micros int64, west int32) []byte {
	return appendOffset(AppendTime(dst, micros), -int(west))
}

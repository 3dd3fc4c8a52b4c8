package datetime

import (
	"time"

	"zproxy/types/calendar"
)

// appendCivil appends YYYY-MM-DD; a year before 1 counts backwards from 1 BC.
func appendCivil(dst []byte, year, month, day int) []byte {
	if year <= 0 {
		year = 1 - year
	}
	dst = append(calendar.AppendPadded(dst, year, 4), '-')
	dst = append(calendar.AppendPadded(dst, month, 2), '-')
	return calendar.AppendPadded(dst, day, 2)
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

// appendDateTime appends YYYY-MM-DD HH:MM:SS[.ffffff] and returns the year too.
func appendDateTime(dst []byte, micros int64) ([]byte, int) {
	days := calendar.FloorDiv(micros, calendar.MicrosPerDay)
	year, month, day := calendar.Civil(days)
	dst = append(appendCivil(dst, year, month, day), ' ')
	return AppendTime(dst, micros-days*calendar.MicrosPerDay), year
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
func AppendDate(dst []byte, days int32) []byte {
	switch days {
	case calendar.DateInfinity:
		return append(dst, "infinity"...)
	case calendar.DateNegInfinity:
		return append(dst, "-infinity"...)
	}
	year, month, day := calendar.Civil(int64(days))
	return appendEra(appendCivil(dst, year, month, day), year)
}

// AppendTimestamp appends the text of a timestamp without time zone.
func AppendTimestamp(dst []byte, micros int64) []byte {
	if !calendar.IsFinite(micros) {
		return appendInfiniteTimestamp(dst, micros)
	}
	dst, year := appendDateTime(dst, micros)
	return appendEra(dst, year)
}

// AppendTimestamptz appends the text of a timestamp with time zone, in the zone of the session.
func AppendTimestamptz(dst []byte, micros int64, zone *time.Location) []byte {
	if !calendar.IsFinite(micros) {
		return appendInfiniteTimestamp(dst, micros)
	}
	offset := OffsetAt(micros, zone)
	dst, year := appendDateTime(dst, micros+offset*calendar.MicrosPerSecond)
	return appendEra(appendOffset(dst, int(offset)), year)
}

// AppendTimetz appends the text of a time of day in a zone of so many seconds west of UTC.
func AppendTimetz(dst []byte, micros int64, west int32) []byte {
	return appendOffset(AppendTime(dst, micros), -int(west))
}

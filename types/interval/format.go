package interval

import (
	"strconv"

	"zproxy/types/calendar"
)

// Style is how intervals look as text.
type Style uint8

// The styles, as the setting IntervalStyle names them.
const (
	Postgres        Style = iota // 1 year 2 mons 3 days 04:05:06
	PostgresVerbose              // @ 1 year 2 mons 3 days 4 hours 5 mins 6 secs
	SQLStandard                  // +1-2 +3 +4:05:06
	ISO8601                      // P1Y2M3DT4H5M6S
)

// Parts are the fields of an interval; those that share months or microseconds
// have one sign.
type Parts struct{ Years, Months, Days, Hours, Minutes, Seconds, Micros int64 }

// Parts takes an interval apart.
func (i Interval) Parts() Parts {
	return Parts{
		Years: int64(i.Months / calendar.MonthsPerYear), Months: int64(i.Months % calendar.MonthsPerYear),
		Days:  int64(i.Days),
		Hours: i.Micros / calendar.MicrosPerHour, Minutes: i.Micros / calendar.MicrosPerMinute % 60,
		Seconds: i.Micros / calendar.MicrosPerSecond % 60, Micros: i.Micros % calendar.MicrosPerSecond,
	}
}

func (p *Parts) hasClock() bool {
	return p.Hours != 0 || p.Minutes != 0 || p.Seconds != 0 || p.Micros != 0
}

func (p *Parts) clockIsNegative() bool {
	return p.Hours < 0 || p.Minutes < 0 || p.Seconds < 0 || p.Micros < 0
}

// Append appends the text of an interval.
func Append(dst []byte, i Interval, style Style) []byte {
	p := i.Parts()
	switch style {
	case ISO8601:
		return p.appendISO(dst)
	case PostgresVerbose:
		return p.appendVerbose(dst)
	case SQLStandard:
		return p.appendStandard(dst)
	}
	return p.appendPostgres(dst)
}

// appendPostgres writes a plus before what follows something negative.
func (p *Parts) appendPostgres(dst []byte) []byte {
	start, negative := len(dst), false
	for _, f := range [...]struct {
		n    int64
		unit string
	}{{p.Years, "year"}, {p.Months, "mon"}, {p.Days, "day"}} {
		if f.n == 0 {
			continue
		}
		if len(dst) > start {
			dst = append(dst, ' ')
		}
		if negative && f.n > 0 {
			dst = append(dst, '+')
		}
		dst = appendAmount(dst, f.n, f.unit)
		negative = f.n < 0
	}
	if len(dst) > start && !p.hasClock() {
		return dst
	}
	if len(dst) > start {
		dst = append(dst, ' ')
	}
	switch {
	case p.clockIsNegative():
		dst = append(dst, '-')
	case negative:
		dst = append(dst, '+')
	}
	return p.appendClock(dst, 2)
}

// appendAmount writes a number and its unit in the plural, if need be.
func appendAmount(dst []byte, n int64, unit string) []byte {
	dst = append(strconv.AppendInt(dst, n, 10), ' ')
	dst = append(dst, unit...)
	if n != 1 {
		dst = append(dst, 's')
	}
	return dst
}

func abs(n int64) int64 { return max(n, -n) }

// appendClock writes hours:mm:ss[.ffffff] without the sign.
func (p *Parts) appendClock(dst []byte, hourWidth int) []byte {
	dst = append(calendar.AppendPadded(dst, int(abs(p.Hours)), hourWidth), ':')
	dst = append(calendar.AppendPadded(dst, int(abs(p.Minutes)), 2), ':')
	return p.appendSeconds(dst, 2)
}

func (p *Parts) appendSeconds(dst []byte, width int) []byte {
	return calendar.AppendFraction(calendar.AppendPadded(dst, int(abs(p.Seconds)), width), int(abs(p.Micros)))
}

func (p *Parts) appendISO(dst []byte) []byte {
	if *p == (Parts{}) {
		return append(dst, "PT0S"...)
	}
	part := func(n int64, unit byte) {
		if n != 0 {
			dst = append(strconv.AppendInt(dst, n, 10), unit)
		}
	}
	dst = append(dst, 'P')
	part(p.Years, 'Y')
	part(p.Months, 'M')
	part(p.Days, 'D')
	if !p.hasClock() {
		return dst
	}
	dst = append(dst, 'T')
	part(p.Hours, 'H')
	part(p.Minutes, 'M')
	if p.Seconds == 0 && p.Micros == 0 {
		return dst
	}
	if p.Seconds < 0 || p.Micros < 0 {
		dst = append(dst, '-')
	}
	return append(p.appendSeconds(dst, 1), 'S')
}

// appendVerbose writes what begins negative with "ago" and its signs turned.
func (p *Parts) appendVerbose(dst []byte) []byte {
	dst = append(dst, '@')
	start, ago := len(dst), false
	for _, f := range [...]struct {
		n    int64
		unit string
	}{{p.Years, "year"}, {p.Months, "mon"}, {p.Days, "day"}, {p.Hours, "hour"}, {p.Minutes, "min"}} {
		if f.n == 0 {
			continue
		}
		if len(dst) == start {
			ago = f.n < 0
		}
		if ago {
			f.n = -f.n
		}
		dst = appendAmount(append(dst, ' '), f.n, f.unit)
	}
	if p.Seconds != 0 || p.Micros != 0 {
		negative := p.Seconds < 0 || p.Micros < 0
		if len(dst) == start {
			ago = negative
		}
		dst = append(dst, ' ')
		if negative != ago {
			dst = append(dst, '-')
		}
		dst = append(p.appendSeconds(dst, 1), " sec"...)
		if abs(p.Seconds) != 1 || p.Micros != 0 {
			dst = append(dst, 's')
		}
	}
	if len(dst) == start {
		dst = append(dst, " 0"...)
	}
	if ago {
		dst = append(dst, " ago"...)
	}
	return dst
}

// appendStandard writes year-month or day and clock with one sign, and what the SQL
// standard does not know with all signs.
func (p *Parts) appendStandard(dst []byte) []byte {
	yearMonth, dayTime := p.Years != 0 || p.Months != 0, p.Days != 0 || p.hasClock()
	negative := p.Years < 0 || p.Months < 0 || p.Days < 0 || p.clockIsNegative()
	positive := p.Years > 0 || p.Months > 0 || p.Days > 0 || p.hasClock() && !p.clockIsNegative()
	switch {
	case !negative && !positive:
		return append(dst, '0')
	case negative && positive, yearMonth && dayTime:
		return p.appendSigned(dst)
	case negative:
		dst = append(dst, '-')
	}
	if yearMonth {
		return p.appendYearMonth(dst)
	}
	if p.Days != 0 {
		dst = append(strconv.AppendInt(dst, abs(p.Days), 10), ' ')
	}
	return p.appendClock(dst, 1)
}

func (p *Parts) appendYearMonth(dst []byte) []byte {
	dst = append(strconv.AppendInt(dst, abs(p.Years), 10), '-')
	return strconv.AppendInt(dst, abs(p.Months), 10)
}

func (p *Parts) appendSigned(dst []byte) []byte {
	dst = p.appendYearMonth(append(dst, signOf(p.Years < 0 || p.Months < 0)))
	dst = append(dst, ' ', signOf(p.Days < 0))
	dst = strconv.AppendInt(dst, abs(p.Days), 10)
	return p.appendClock(append(dst, ' ', signOf(p.clockIsNegative())), 1)
}

func signOf(negative bool) byte {
	if negative {
		return '-'
	}
	return '+'
}

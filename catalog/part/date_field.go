package part

import (
	"fmt"
	"strings"
	"time"
)

// appendField writes one field of a date pattern as to_char does.
func appendField(dst []byte, f dateField, t time.Time) []byte {
	inYear, week := t.ISOWeek()
	number := func(width, n int) []byte { return fmt.Appendf(dst, "%0*d", width, n) }
	switch f {
	case year4:
		return number(4, t.Year())
	case month2:
		return number(2, int(t.Month()))
	case day2:
		return number(2, t.Day())
	case dayOfYear:
		return number(3, t.YearDay())
	case dayOfWeek:
		return number(1, int(t.Weekday())+1)
	case isoYear:
		return number(4, inYear)
	case isoWeek:
		return number(2, week)
	case quarter:
		return number(1, (int(t.Month())+2)/3)
	case hour24:
		return number(2, t.Hour())
	case minute2:
		return number(2, t.Minute())
	case monthTitle:
		return append(dst, t.Month().String()[:3]...)
	case monthUpper:
		return append(dst, strings.ToUpper(t.Month().String()[:3])...)
	case monthLower:
		return append(dst, strings.ToLower(t.Month().String()[:3])...)
	case weekdayTitle:
		return append(dst, t.Weekday().String()[:3]...)
	case weekdayUpper:
		return append(dst, strings.ToUpper(t.Weekday().String()[:3])...)
	default: // weekdayLower
		return append(dst, strings.ToLower(t.Weekday().String()[:3])...)
	}
}

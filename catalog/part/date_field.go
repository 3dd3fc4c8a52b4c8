package part

import (
	"fmt"
	"strings"
	"time"
)

// appendField writes one field of a date pattern as to_char does.
func appendField(dst []byte, f DateField, t time.Time) []byte {
	isoYear, isoWeek := t.ISOWeek()
	number := func(width, n int) []byte { return fmt.Appendf(dst, "%0*d", width, n) }
	switch f {
	case Year4:
		return number(4, t.Year())
	case Month2:
		return number(2, int(t.Month()))
	case Day2:
		return number(2, t.Day())
	case DayOfYear:
		return number(3, t.YearDay())
	case DayOfWeek:
		return number(1, int(t.Weekday())+1)
	case ISOYear:
		return number(4, isoYear)
	case ISOWeek:
		return number(2, isoWeek)
	case Quarter:
		return number(1, (int(t.Month())+2)/3)
	case Hour24:
		return number(2, t.Hour())
	case Minute2:
		return number(2, t.Minute())
	case MonthTitle:
		return append(dst, t.Month().String()[:3]...)
	case MonthUpper:
		return append(dst, strings.ToUpper(t.Month().String()[:3])...)
	case MonthLower:
		return append(dst, strings.ToLower(t.Month().String()[:3])...)
	case WeekdayTitle:
		return append(dst, t.Weekday().String()[:3]...)
	case WeekdayUpper:
		return append(dst, strings.ToUpper(t.Weekday().String()[:3])...)
	default: // WeekdayLower
		return append(dst, strings.ToLower(t.Weekday().String()[:3])...)
	}
}

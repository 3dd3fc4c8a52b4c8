package keys

import (
	"fmt"
	"strings"
	"time"

	"zproxy/catalog"
)

// appendField writes one field of a date pattern as to_char does.
func appendField(dst []byte, f catalog.DateField, t time.Time) []byte {
	isoYear, isoWeek := t.ISOWeek()
	number := func(width, n int) []byte { return fmt.Appendf(dst, "%0*d", width, n) }
	switch f {
	case catalog.Year4:
		return number(4, t.Year())
	case catalog.Month2:
		return number(2, int(t.Month()))
	case catalog.Day2:
		return number(2, t.Day())
	case catalog.DayOfYear:
		return number(3, t.YearDay())
	case catalog.DayOfWeek:
		return number(1, int(t.Weekday())+1)
	case catalog.ISOYear:
		return number(4, isoYear)
	case catalog.ISOWeek:
		return number(2, isoWeek)
	case catalog.Quarter:
		return number(1, (int(t.Month())+2)/3)
	case catalog.Hour24:
		return number(2, t.Hour())
	case catalog.Minute2:
		return number(2, t.Minute())
	case catalog.MonthTitle:
		return append(dst, t.Month().String()[:3]...)
	case catalog.MonthUpper:
		return append(dst, strings.ToUpper(t.Month().String()[:3])...)
	case catalog.MonthLower:
		return append(dst, strings.ToLower(t.Month().String()[:3])...)
	case catalog.WeekdayTitle:
		return append(dst, t.Weekday().String()[:3]...)
	case catalog.WeekdayUpper:
		return append(dst, strings.ToUpper(t.Weekday().String()[:3])...)
	default: // WeekdayLower
		return append(dst, strings.ToLower(t.Weekday().String()[:3])...)
	}
}

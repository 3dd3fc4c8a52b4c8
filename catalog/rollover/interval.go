package rollover

import (
	"fmt"

	"zproxy/types"
	"zproxy/types/calendar"
)

// Interval is how long the ranges are of partitions that are made ahead: so many months, days or hours, one of which is
// above 0. The times are those of UTC.
type Interval struct{ Months, Days, Hours int64 }

const microsPerHour = calendar.MicrosPerDay / 24

// monday is a day with which a week begins, so that ranges of 7 days are weeks.
const monday = 2

// epochYear is the year with whose first day days and microseconds are counted from.
const epochYear = 2000

// ParseInterval reads an interval such as '1 month', '7 days' or '6 hours'.
func ParseInterval(text string) (out Interval, ok bool) {
	v, err := types.ParseText(text, types.Interval, nil)
	if err != nil {
		return out, false
	}
	months, days, micros := v.Interval().Fields()
	out = Interval{int64(months), int64(days), micros / microsPerHour}
	above := 0
	for _, n := range []int64{out.Months, out.Days, out.Hours} {
		if n < 0 || n > mostUnits {
			return out, false
		}
		above += int(min(n, 1))
	}
	return out, above == 1 && micros%microsPerHour == 0
}

// mostUnits is how many months, days or hours a range has at most.
const mostUnits = 12_000

// number is which of the ranges, counted from one of the year 2000, has a time in microseconds.
func (i Interval) number(micros int64) int64 {
	day := calendar.FloorDiv(micros, calendar.MicrosPerDay)
	switch {
	case i.Months > 0:
		year, month, _ := calendar.Civil(day)
		return calendar.FloorDiv(int64(year-epochYear)*12+int64(month-1), i.Months)
	case i.Days > 0:
		return calendar.FloorDiv(day-monday, i.Days)
	}
	return calendar.FloorDiv(micros, i.Hours*microsPerHour)
}

// start is when the range of a number begins.
func (i Interval) start(number int64) int64 {
	switch {
	case i.Months > 0:
		months := number * i.Months
		year := calendar.FloorDiv(months, 12)
		return calendar.Days(int(year)+epochYear, int(months-year*12)+1, 1) * calendar.MicrosPerDay
	case i.Days > 0:
		return (number*i.Days + monday) * calendar.MicrosPerDay
	}
	return number * i.Hours * microsPerHour
}

// suffix is how the name of a partition ends whose range begins at a time.
func (i Interval) suffix(micros int64) string {
	day := calendar.FloorDiv(micros, calendar.MicrosPerDay)
	year, month, dom := calendar.Civil(day)
	switch {
	case i.Months > 0 && i.Months%12 == 0:
		return fmt.Sprintf("_%04d", year)
	case i.Months > 0:
		return fmt.Sprintf("_%04d_%02d", year, month)
	case i.Days > 0:
		return fmt.Sprintf("_%04d_%02d_%02d", year, month, dom)
	}
	hour := (micros - day*calendar.MicrosPerDay) / microsPerHour
	return fmt.Sprintf("_%04d_%02d_%02d_%02d", year, month, dom, hour)
}

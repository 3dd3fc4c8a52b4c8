package interval

import (
	"time"

	"zproxy/sqlerr"
	"zproxy/types/calendar"
	"zproxy/types/datetime"
)

// Turned has the signs of all fields turned. The least values stay as they are, as in PostgreSQL.
func (i Interval) Turned() Interval { return Interval{-i.Months, -i.Days, -i.Micros} }

// After is timestamp + interval: months first, where a day behind the end of a month becomes its last day, then days,
// then the time. Months and days are those of the zone's calendar; a timestamp without time zone is in UTC.
func After(micros int64, i Interval, zone *time.Location) (int64, error) {
	if !calendar.IsFinite(micros) {
		return micros, nil
	}
	var err error
	if i.Months != 0 {
		micros, err = shiftDate(micros, zone, func(day int64) int64 { return addMonthsTo(day, int64(i.Months)) })
	}
	if i.Days != 0 && err == nil {
		micros, err = shiftDate(micros, zone, func(day int64) int64 { return day + int64(i.Days) })
	}
	if err != nil {
		return 0, err
	}
	sum, ok := calendar.Add(micros, i.Micros)
	if !ok || !calendar.Valid(sum) {
		return 0, calendar.OutOfRange()
	}
	return sum, nil
}

// shiftDate moves a moment's local date and keeps its local time.
func shiftDate(micros int64, zone *time.Location, move func(day int64) int64) (int64, error) {
	local, err := datetime.UTCToLocal(micros, zone)
	if err != nil {
		return 0, err
	}
	day := calendar.FloorDiv(local, calendar.MicrosPerDay)
	moved := move(day)
	if moved < calendar.MinDays || moved >= calendar.EndTimestamp/calendar.MicrosPerDay+1 {
		return 0, calendar.OutOfRange()
	}
	return datetime.LocalToUTC(moved*calendar.MicrosPerDay+local-day*calendar.MicrosPerDay, zone)
}

func addMonthsTo(day, months int64) int64 {
	year, month, dayOfMonth := calendar.Civil(day)
	months += int64(month) - 1
	year += int(calendar.FloorDiv(months, calendar.MonthsPerYear))
	month = int(months-calendar.FloorDiv(months, calendar.MonthsPerYear)*calendar.MonthsPerYear) + 1
	return calendar.Days(year, month, min(dayOfMonth, calendar.DaysInMonth(year, month)))
}

// Between is timestamp - timestamp, in days and time.
func Between(a, b int64) (Interval, error) {
	if !calendar.IsFinite(a) || !calendar.IsFinite(b) {
		return Interval{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, "cannot subtract infinite timestamps")
	}
	micros := a - b
	if (micros < a) != (b > 0) {
		return Interval{}, outOfRange()
	}
	return JustifyHours(Interval{Micros: micros})
}

// Age is how long after b the local time a is in years, months and days of the calendar.
// The sign is that of the moments they stand for, which may differ at a change of the
// clocks.
func Age(a, b int64, earlier bool) (Interval, error) {
	if !calendar.IsFinite(a) || !calendar.IsFinite(b) {
		return Interval{}, calendar.OutOfRange()
	}
	if earlier {
		i, err := Age(b, a, false)
		return i.Turned(), err
	}
	late, early := calendar.FloorDiv(a, calendar.MicrosPerDay), calendar.FloorDiv(b, calendar.MicrosPerDay)
	y1, m1, d1 := calendar.Civil(late)
	y2, m2, d2 := calendar.Civil(early)
	micros := (a - late*calendar.MicrosPerDay) - (b - early*calendar.MicrosPerDay)
	months, days := (y1-y2)*calendar.MonthsPerYear+m1-m2, d1-d2
	if micros < 0 {
		micros, days = micros+calendar.MicrosPerDay, days-1
	}
	for days < 0 {
		days, months = days+calendar.DaysInMonth(y2, m2), months-1
	}
	return Interval{int32(months), int32(days), micros}, nil
}

package types

import (
	"time"

	"zproxy/sqlerr"
)

// AddToTimestamp is timestamp + interval: months first, where a day behind the end of a
// month becomes its last day, then days, then the time.
func AddToTimestamp(v, interval Value) (Value, error) {
	return addInterval(v.Micros(), interval, time.UTC)
}

// SubFromTimestamp is timestamp - interval.
func SubFromTimestamp(v, interval Value) (Value, error) {
	return AddToTimestamp(v, turned(interval))
}

// AddToTimestamptz is timestamptz + interval: months and days are those of the zone's
// calendar.
func AddToTimestamptz(v, interval Value, zone *time.Location) (Value, error) {
	return addInterval(v.Micros(), interval, zone)
}

// SubFromTimestamptz is timestamptz - interval.
func SubFromTimestamptz(v, interval Value, zone *time.Location) (Value, error) {
	return AddToTimestamptz(v, turned(interval), zone)
}

// turned has the signs of all fields turned. The least values stay as they are, as in
// PostgreSQL.
func turned(interval Value) Value {
	months, days, micros := interval.Interval()
	return NewInterval(-months, -days, -micros)
}

func addInterval(micros int64, interval Value, zone *time.Location) (Value, error) {
	if !isFiniteTimestamp(micros) {
		return NewTimestamp(micros), nil
	}
	months, days, span := interval.Interval()
	var err error
	if months != 0 {
		micros, err = shiftDate(micros, zone, func(day int64) int64 { return addMonthsTo(day, int64(months)) })
	}
	if days != 0 && err == nil {
		micros, err = shiftDate(micros, zone, func(day int64) int64 { return day + int64(days) })
	}
	if err != nil {
		return Null, err
	}
	sum, ok := addInt64(micros, span)
	if !ok || !validTimestamp(sum) {
		return Null, timestampOutOfRange()
	}
	return NewTimestamp(sum), nil
}

// shiftDate moves a moment's local date and keeps its local time.
func shiftDate(micros int64, zone *time.Location, move func(day int64) int64) (int64, error) {
	local, err := UTCToLocal(micros, zone)
	if err != nil {
		return 0, err
	}
	day := floorDiv(local, microsPerDay)
	moved := move(day)
	if moved < minDays || moved >= endTimestamp/microsPerDay+1 {
		return 0, timestampOutOfRange()
	}
	return LocalToUTC(moved*microsPerDay+local-day*microsPerDay, zone)
}

func addMonthsTo(day, months int64) int64 {
	year, month, dayOfMonth := civilFromDays(day)
	months += int64(month) - 1
	year += int(floorDiv(months, monthsPerYear))
	month = int(months-floorDiv(months, monthsPerYear)*monthsPerYear) + 1
	return daysFromCivil(year, month, min(dayOfMonth, daysInMonth(year, month)))
}

// SubTimestamps is timestamp - timestamp, in days and time.
func SubTimestamps(a, b Value) (Value, error) {
	if !isFiniteTimestamp(a.Micros()) || !isFiniteTimestamp(b.Micros()) {
		return Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "cannot subtract infinite timestamps")
	}
	micros := a.Micros() - b.Micros()
	if (micros < a.Micros()) != (b.Micros() > 0) {
		return Null, intervalOutOfRange()
	}
	return JustifyHours(NewInterval(0, 0, micros))
}

// AddToDate is date + interval, a timestamp.
func AddToDate(date, interval Value) (Value, error) {
	at, err := timestampOfDate(date)
	if err != nil {
		return Null, err
	}
	return AddToTimestamp(at, interval)
}

// SubFromDate is date - interval, a timestamp.
func SubFromDate(date, interval Value) (Value, error) { return AddToDate(date, turned(interval)) }

// AddTimeToDate is date + time, a timestamp.
func AddTimeToDate(date, clock Value) (Value, error) { return addClock(date, clock.Micros()) }

// AddTimetzToDate is date + timetz, a timestamptz.
func AddTimetzToDate(date, clock Value) (Value, error) { return addClock(date, UTCOfTimetz(clock)) }

func addClock(date Value, micros int64) (Value, error) {
	at, err := timestampOfDate(date)
	if err != nil || !isFiniteTimestamp(at.Micros()) {
		return at, err
	}
	sum := at.Micros() + micros
	if !validTimestamp(sum) {
		return Null, timestampOutOfRange()
	}
	return NewTimestamp(sum), nil
}

// AddToTime is time + interval, around the clock. Months and days do not count.
func AddToTime(v, interval Value) (Value, error) {
	return NewTime(clockSum(v.Micros(), interval.Micros())), nil
}

// SubFromTime is time - interval.
func SubFromTime(v, interval Value) (Value, error) { return AddToTime(v, turned(interval)) }

// AddToTimetz is timetz + interval, around the clock.
func AddToTimetz(v, interval Value) (Value, error) {
	return NewTimetz(clockSum(v.Micros(), interval.Micros()), v.West()), nil
}

// SubFromTimetz is timetz - interval.
func SubFromTimetz(v, interval Value) (Value, error) { return AddToTimetz(v, turned(interval)) }

func clockSum(a, b int64) int64 {
	sum := (a + b%microsPerDay) % microsPerDay
	if sum < 0 {
		sum += microsPerDay
	}
	return sum
}

// SubTimes is time - time.
func SubTimes(a, b Value) (Value, error) { return NewInterval(0, 0, a.Micros()-b.Micros()), nil }

// TimetzInZone is a timetz at another offset, in seconds east of UTC.
func TimetzInZone(v Value, east int) Value {
	return NewTimetz(clockSum(UTCOfTimetz(v), int64(east)*microsPerSecond), int32(-east))
}

// Age is how long after b the local time a is in years, months and days of the calendar.
// The sign is that of the moments they stand for, which may differ at a change of the
// clocks.
func Age(a, b Value, earlier bool) (Value, error) {
	if !isFiniteTimestamp(a.Micros()) || !isFiniteTimestamp(b.Micros()) {
		return Null, timestampOutOfRange()
	}
	if earlier {
		v, err := Age(b, a, false)
		if err != nil {
			return Null, err
		}
		return turned(v), nil
	}
	late, early := floorDiv(a.Micros(), microsPerDay), floorDiv(b.Micros(), microsPerDay)
	y1, m1, d1 := civilFromDays(late)
	y2, m2, d2 := civilFromDays(early)
	micros := (a.Micros() - late*microsPerDay) - (b.Micros() - early*microsPerDay)
	months, days := (y1-y2)*monthsPerYear+m1-m2, d1-d2
	if micros < 0 {
		micros, days = micros+microsPerDay, days-1
	}
	for days < 0 {
		days, months = days+daysInMonth(y2, m2), months-1
	}
	return NewInterval(int32(months), int32(days), micros), nil
}

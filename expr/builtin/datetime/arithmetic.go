package datetime

import (
	"time"

	"zproxy/expr"
	"zproxy/types"
	"zproxy/types/calendar"
	"zproxy/types/datetime"
	"zproxy/types/interval"
)

// What is behind the operators takes values apart for the packages of types that compute with them.

func dateValue(days int32, err error) (types.Value, error) {
	if err != nil {
		return types.Null, err
	}
	return types.NewDate(days), nil
}

func timestampValue(micros int64, err error) (types.Value, error) {
	if err != nil {
		return types.Null, err
	}
	return types.NewTimestamp(micros), nil
}

func intervalValue(i interval.Interval, err error) (types.Value, error) {
	if err != nil {
		return types.Null, err
	}
	return types.NewInterval(i), nil
}

// flipped is a function whose arguments come in the other order.
func flipped(f expr.Function2) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) { return f(c, b, a) }
}

func ofInterval(f func(interval.Interval) (interval.Interval, error)) expr.Function1 {
	return func(_ *expr.Context, a types.Value) (types.Value, error) { return intervalValue(f(a.Interval())) }
}

func ofIntervals(f func(a, b interval.Interval) (interval.Interval, error)) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		return intervalValue(f(a.Interval(), b.Interval()))
	}
}

func scaling(f func(i interval.Interval, by float64) (interval.Interval, error)) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		return intervalValue(f(a.Interval(), b.Float()))
	}
}

func addDays(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return dateValue(datetime.AddDays(a.Days(), b.Int()))
}

func subDays(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return dateValue(datetime.AddDays(a.Days(), -b.Int()))
}

func subDates(_ *expr.Context, a, b types.Value) (types.Value, error) {
	days, err := datetime.SubDates(a.Days(), b.Days())
	if err != nil {
		return types.Null, err
	}
	return types.NewInt(days), nil
}

func addToTimestamp(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return timestampValue(interval.After(a.Micros(), b.Interval(), time.UTC))
}

func subFromTimestamp(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return timestampValue(interval.After(a.Micros(), b.Interval().Turned(), time.UTC))
}

// AddToTimestamptz is a moment and an interval, whose days are those of the session's zone.
func AddToTimestamptz(c *expr.Context, a, b types.Value) (types.Value, error) {
	return timestampValue(interval.After(a.Micros(), b.Interval(), c.Zone()))
}

func subFromTimestamptz(c *expr.Context, a, b types.Value) (types.Value, error) {
	return timestampValue(interval.After(a.Micros(), b.Interval().Turned(), c.Zone()))
}

func subTimestamps(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return intervalValue(interval.Between(a.Micros(), b.Micros()))
}

func addToDate(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return dateAndInterval(a, b.Interval())
}

func subFromDate(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return dateAndInterval(a, b.Interval().Turned())
}

func dateAndInterval(date types.Value, i interval.Interval) (types.Value, error) {
	at, err := datetime.Midnight(date.Days())
	if err != nil {
		return types.Null, err
	}
	return timestampValue(interval.After(at, i, time.UTC))
}

func addTimeToDate(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return timestampValue(datetime.AddTimeToDate(a.Days(), b.Micros()))
}

func addTimetzToDate(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return timestampValue(datetime.AddTimeToDate(a.Days(), types.UTCOfTimetz(b)))
}

// Months and days do not count where an interval is added to a time of day.

func addToTime(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewTime(datetime.AddTime(a.Micros(), b.Interval().Micros)), nil
}

func subFromTime(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewTime(datetime.AddTime(a.Micros(), b.Interval().Turned().Micros)), nil
}

func subTimes(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewInterval(interval.Interval{Micros: a.Micros() - b.Micros()}), nil
}

func addToTimetz(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewTimetz(datetime.AddTime(a.Micros(), b.Interval().Micros), a.West()), nil
}

func subFromTimetz(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewTimetz(datetime.AddTime(a.Micros(), b.Interval().Turned().Micros), a.West()), nil
}

// timetzAt is a timetz at another offset, in seconds east of UTC.
func timetzAt(v types.Value, east int) types.Value {
	return types.NewTimetz(datetime.AddTime(types.UTCOfTimetz(v), int64(east)*calendar.MicrosPerSecond), int32(-east))
}

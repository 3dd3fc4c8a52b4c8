package expr

import (
	"zproxy/types"
)

// intervalFunctions are the arithmetic of intervals, and of dates and times with them.
var intervalFunctions = []*Function{
	{Name: "interval_um", Operator: "-", Args: sig{interval}, Result: interval, Doc: "Interval in the other direction.", Fn1: of1(types.NegInterval)},
	{Name: "interval_pl", Operator: "+", Args: sig{interval, interval}, Result: interval, Doc: "Sum of intervals.", Fn2: of2(types.AddIntervals)},
	{Name: "interval_mi", Operator: "-", Args: sig{interval, interval}, Result: interval, Doc: "Difference of intervals.", Fn2: of2(types.SubIntervals)},
	{Name: "interval_mul", Operator: "*", Args: sig{interval, float8}, Result: interval, Doc: "Interval some times as long.", Fn2: of2(types.MulInterval)},
	{Name: "mul_d_interval", Operator: "*", Args: sig{float8, interval}, Result: interval, Doc: "Interval some times as long.", Fn2: flipped(types.MulInterval)},
	{Name: "interval_div", Operator: "/", Args: sig{interval, float8}, Result: interval, Doc: "Part of an interval.", Fn2: of2(types.DivInterval)},

	{Name: "timestamp_pl_interval", Operator: "+", Args: sig{timestamp, interval}, Result: timestamp, Doc: "Time an interval later.", Fn2: of2(types.AddToTimestamp)},
	{Name: "interval_pl_timestamp", Operator: "+", Args: sig{interval, timestamp}, Result: timestamp, Doc: "Time an interval later.", Fn2: flipped(types.AddToTimestamp)},
	{Name: "timestamp_mi_interval", Operator: "-", Args: sig{timestamp, interval}, Result: timestamp, Doc: "Time an interval earlier.", Fn2: of2(types.SubFromTimestamp)},
	{Name: "timestamptz_pl_interval", Operator: "+", Args: sig{timestamptz, interval}, Result: timestamptz, Volatility: Stable, Doc: "Time an interval later in the session's time zone.", Fn2: addToTimestamptz},
	{Name: "interval_pl_timestamptz", Operator: "+", Args: sig{interval, timestamptz}, Result: timestamptz, Volatility: Stable, Doc: "Time an interval later in the session's time zone.", Fn2: timestamptzAdded},
	{Name: "timestamptz_mi_interval", Operator: "-", Args: sig{timestamptz, interval}, Result: timestamptz, Volatility: Stable, Doc: "Time an interval earlier in the session's time zone.", Fn2: subFromTimestamptz},
	{Name: "timestamp_mi", Operator: "-", Args: sig{timestamp, timestamp}, Result: interval, Doc: "Days and time from the second time to the first.", Fn2: of2(types.SubTimestamps)},
	{Name: "timestamptz_mi", Operator: "-", Args: sig{timestamptz, timestamptz}, Result: interval, Doc: "Days and time from the second time to the first.", Fn2: of2(types.SubTimestamps)},

	{Name: "date_pl_interval", Operator: "+", Args: sig{date, interval}, Result: timestamp, Doc: "Time an interval after a date begins.", Fn2: of2(types.AddToDate)},
	{Name: "interval_pl_date", Operator: "+", Args: sig{interval, date}, Result: timestamp, Doc: "Time an interval after a date begins.", Fn2: flipped(types.AddToDate)},
	{Name: "date_mi_interval", Operator: "-", Args: sig{date, interval}, Result: timestamp, Doc: "Time an interval before a date begins.", Fn2: of2(types.SubFromDate)},
	{Name: "datetime_pl", Operator: "+", Args: sig{date, clock}, Result: timestamp, Doc: "Time of a date.", Fn2: of2(types.AddTimeToDate)},
	{Name: "timedate_pl", Operator: "+", Args: sig{clock, date}, Result: timestamp, Doc: "Time of a date.", Fn2: flipped(types.AddTimeToDate)},
	{Name: "datetimetz_pl", Operator: "+", Args: sig{date, clocktz}, Result: timestamptz, Doc: "Moment of a date.", Fn2: of2(types.AddTimetzToDate)},
	{Name: "timetzdate_pl", Operator: "+", Args: sig{clocktz, date}, Result: timestamptz, Doc: "Moment of a date.", Fn2: flipped(types.AddTimetzToDate)},

	{Name: "time_pl_interval", Operator: "+", Args: sig{clock, interval}, Result: clock, Doc: "Time of day an interval later.", Fn2: of2(types.AddToTime)},
	{Name: "interval_pl_time", Operator: "+", Args: sig{interval, clock}, Result: clock, Doc: "Time of day an interval later.", Fn2: flipped(types.AddToTime)},
	{Name: "time_mi_interval", Operator: "-", Args: sig{clock, interval}, Result: clock, Doc: "Time of day an interval earlier.", Fn2: of2(types.SubFromTime)},
	{Name: "time_mi_time", Operator: "-", Args: sig{clock, clock}, Result: interval, Doc: "Time from the second time of day to the first.", Fn2: of2(types.SubTimes)},
	{Name: "timetz_pl_interval", Operator: "+", Args: sig{clocktz, interval}, Result: clocktz, Doc: "Time of day an interval later.", Fn2: of2(types.AddToTimetz)},
	{Name: "interval_pl_timetz", Operator: "+", Args: sig{interval, clocktz}, Result: clocktz, Doc: "Time of day an interval later.", Fn2: flipped(types.AddToTimetz)},
	{Name: "timetz_mi_interval", Operator: "-", Args: sig{clocktz, interval}, Result: clocktz, Doc: "Time of day an interval earlier.", Fn2: of2(types.SubFromTimetz)},

	{Name: "justify_hours", Args: sig{interval}, Result: interval, Doc: "Interval with every 24 hours as a day.", Fn1: of1(types.JustifyHours)},
	{Name: "justify_days", Args: sig{interval}, Result: interval, Doc: "Interval with every 30 days as a month.", Fn1: of1(types.JustifyDays)},
	{Name: "justify_interval", Args: sig{interval}, Result: interval, Doc: "Interval with days, months and one sign for all fields.", Fn1: of1(types.JustifyInterval)},
	{Name: "age", Args: sig{timestamp, timestamp}, Result: interval, Doc: "Years, months and days from the second time to the first.", Fn2: age},
	{Name: "age", Args: sig{timestamptz, timestamptz}, Result: interval, Doc: "Years, months and days from the second time to the first.", Fn2: agetz},
	{Name: "age", Args: sig{timestamp}, Result: interval, Volatility: Stable, Doc: "Years, months and days up to today.", Fn1: ageToday},
	{Name: "age", Args: sig{timestamptz}, Result: interval, Volatility: Stable, Doc: "Years, months and days up to today.", Fn1: agetzToday},
}

// flipped is a function whose arguments come in the other order.
func flipped(f func(a, b types.Value) (types.Value, error)) function2 {
	return func(_ *Context, a, b types.Value) (types.Value, error) { return f(b, a) }
}

func addToTimestamptz(c *Context, a, b types.Value) (types.Value, error) {
	return types.AddToTimestamptz(a, b, c.zone())
}

func timestamptzAdded(c *Context, a, b types.Value) (types.Value, error) {
	return types.AddToTimestamptz(b, a, c.zone())
}

func subFromTimestamptz(c *Context, a, b types.Value) (types.Value, error) {
	return types.SubFromTimestamptz(a, b, c.zone())
}

func age(_ *Context, a, b types.Value) (types.Value, error) {
	return types.Age(a, b, a.Micros() < b.Micros())
}

func agetz(c *Context, a, b types.Value) (types.Value, error) {
	local1, err := types.UTCToLocal(a.Micros(), c.zone())
	if err != nil {
		return types.Null, err
	}
	local2, err := types.UTCToLocal(b.Micros(), c.zone())
	if err != nil {
		return types.Null, err
	}
	return types.Age(types.NewTimestamp(local1), types.NewTimestamp(local2), a.Micros() < b.Micros())
}

// today is the midnight at which the present day of the session's zone began.
func today(c *Context) (types.Value, error) {
	day, err := currentDate(c)
	if err != nil {
		return types.Null, err
	}
	return types.AddTimeToDate(day, types.NewTime(0))
}

func ageToday(c *Context, a types.Value) (types.Value, error) {
	now, err := today(c)
	if err != nil {
		return types.Null, err
	}
	return age(c, now, a)
}

func agetzToday(c *Context, a types.Value) (types.Value, error) {
	now, err := today(c)
	if err != nil {
		return types.Null, err
	}
	moment, err := types.LocalToUTC(now.Micros(), c.zone())
	if err != nil {
		return types.Null, err
	}
	return agetz(c, types.NewTimestamp(moment), a)
}

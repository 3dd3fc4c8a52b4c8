package datetime

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// intervalFunctions are the arithmetic of intervals, and of dates and times with them.
var intervalFunctions = []*expr.Function{
	{Name: "interval_um", Operator: "-", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Interval in the other direction.", Fn1: expr.Of1(types.NegInterval)},
	{Name: "interval_pl", Operator: "+", Args: pg.Sig{pg.Interval, pg.Interval}, Result: pg.Interval, Doc: "Sum of intervals.", Fn2: expr.Of2(types.AddIntervals)},
	{Name: "interval_mi", Operator: "-", Args: pg.Sig{pg.Interval, pg.Interval}, Result: pg.Interval, Doc: "Difference of intervals.", Fn2: expr.Of2(types.SubIntervals)},
	{Name: "interval_mul", Operator: "*", Args: pg.Sig{pg.Interval, pg.Float8}, Result: pg.Interval, Doc: "Interval some times as long.", Fn2: expr.Of2(types.MulInterval)},
	{Name: "mul_d_interval", Operator: "*", Args: pg.Sig{pg.Float8, pg.Interval}, Result: pg.Interval, Doc: "Interval some times as long.", Fn2: flipped(types.MulInterval)},
	{Name: "interval_div", Operator: "/", Args: pg.Sig{pg.Interval, pg.Float8}, Result: pg.Interval, Doc: "Part of an interval.", Fn2: expr.Of2(types.DivInterval)},

	{Name: "timestamp_pl_interval", Operator: "+", Args: pg.Sig{pg.Timestamp, pg.Interval}, Result: pg.Timestamp, Doc: "Time an interval later.", Fn2: expr.Of2(types.AddToTimestamp)},
	{Name: "interval_pl_timestamp", Operator: "+", Args: pg.Sig{pg.Interval, pg.Timestamp}, Result: pg.Timestamp, Doc: "Time an interval later.", Fn2: flipped(types.AddToTimestamp)},
	{Name: "timestamp_mi_interval", Operator: "-", Args: pg.Sig{pg.Timestamp, pg.Interval}, Result: pg.Timestamp, Doc: "Time an interval earlier.", Fn2: expr.Of2(types.SubFromTimestamp)},
	{Name: "timestamptz_pl_interval", Operator: "+", Args: pg.Sig{pg.Timestamptz, pg.Interval}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Time an interval later in the session's time zone.", Fn2: AddToTimestamptz},
	{Name: "interval_pl_timestamptz", Operator: "+", Args: pg.Sig{pg.Interval, pg.Timestamptz}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Time an interval later in the session's time zone.", Fn2: timestamptzAdded},
	{Name: "timestamptz_mi_interval", Operator: "-", Args: pg.Sig{pg.Timestamptz, pg.Interval}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Time an interval earlier in the session's time zone.", Fn2: subFromTimestamptz},
	{Name: "timestamp_mi", Operator: "-", Args: pg.Sig{pg.Timestamp, pg.Timestamp}, Result: pg.Interval, Doc: "Days and time from the second time to the first.", Fn2: expr.Of2(types.SubTimestamps)},
	{Name: "timestamptz_mi", Operator: "-", Args: pg.Sig{pg.Timestamptz, pg.Timestamptz}, Result: pg.Interval, Doc: "Days and time from the second time to the first.", Fn2: expr.Of2(types.SubTimestamps)},

	{Name: "date_pl_interval", Operator: "+", Args: pg.Sig{pg.Date, pg.Interval}, Result: pg.Timestamp, Doc: "Time an interval after a date begins.", Fn2: expr.Of2(types.AddToDate)},
	{Name: "interval_pl_date", Operator: "+", Args: pg.Sig{pg.Interval, pg.Date}, Result: pg.Timestamp, Doc: "Time an interval after a date begins.", Fn2: flipped(types.AddToDate)},
	{Name: "date_mi_interval", Operator: "-", Args: pg.Sig{pg.Date, pg.Interval}, Result: pg.Timestamp, Doc: "Time an interval before a date begins.", Fn2: expr.Of2(types.SubFromDate)},
	{Name: "datetime_pl", Operator: "+", Args: pg.Sig{pg.Date, pg.Clock}, Result: pg.Timestamp, Doc: "Time of a date.", Fn2: expr.Of2(types.AddTimeToDate)},
	{Name: "timedate_pl", Operator: "+", Args: pg.Sig{pg.Clock, pg.Date}, Result: pg.Timestamp, Doc: "Time of a date.", Fn2: flipped(types.AddTimeToDate)},
	{Name: "datetimetz_pl", Operator: "+", Args: pg.Sig{pg.Date, pg.Clocktz}, Result: pg.Timestamptz, Doc: "Moment of a date.", Fn2: expr.Of2(types.AddTimetzToDate)},
	{Name: "timetzdate_pl", Operator: "+", Args: pg.Sig{pg.Clocktz, pg.Date}, Result: pg.Timestamptz, Doc: "Moment of a date.", Fn2: flipped(types.AddTimetzToDate)},

	{Name: "time_pl_interval", Operator: "+", Args: pg.Sig{pg.Clock, pg.Interval}, Result: pg.Clock, Doc: "Time of day an interval later.", Fn2: expr.Of2(types.AddToTime)},
	{Name: "interval_pl_time", Operator: "+", Args: pg.Sig{pg.Interval, pg.Clock}, Result: pg.Clock, Doc: "Time of day an interval later.", Fn2: flipped(types.AddToTime)},
	{Name: "time_mi_interval", Operator: "-", Args: pg.Sig{pg.Clock, pg.Interval}, Result: pg.Clock, Doc: "Time of day an interval earlier.", Fn2: expr.Of2(types.SubFromTime)},
	{Name: "time_mi_time", Operator: "-", Args: pg.Sig{pg.Clock, pg.Clock}, Result: pg.Interval, Doc: "Time from the second time of day to the first.", Fn2: expr.Of2(types.SubTimes)},
	{Name: "timetz_pl_interval", Operator: "+", Args: pg.Sig{pg.Clocktz, pg.Interval}, Result: pg.Clocktz, Doc: "Time of day an interval later.", Fn2: expr.Of2(types.AddToTimetz)},
	{Name: "interval_pl_timetz", Operator: "+", Args: pg.Sig{pg.Interval, pg.Clocktz}, Result: pg.Clocktz, Doc: "Time of day an interval later.", Fn2: flipped(types.AddToTimetz)},
	{Name: "timetz_mi_interval", Operator: "-", Args: pg.Sig{pg.Clocktz, pg.Interval}, Result: pg.Clocktz, Doc: "Time of day an interval earlier.", Fn2: expr.Of2(types.SubFromTimetz)},

	{Name: "justify_hours", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Interval with every 24 hours as a day.", Fn1: expr.Of1(types.JustifyHours)},
	{Name: "justify_days", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Interval with every 30 days as a month.", Fn1: expr.Of1(types.JustifyDays)},
	{Name: "justify_interval", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Interval with days, months and one sign for all fields.", Fn1: expr.Of1(types.JustifyInterval)},
	{Name: "age", Args: pg.Sig{pg.Timestamp, pg.Timestamp}, Result: pg.Interval, Doc: "Years, months and days from the second time to the first.", Fn2: age},
	{Name: "age", Args: pg.Sig{pg.Timestamptz, pg.Timestamptz}, Result: pg.Interval, Doc: "Years, months and days from the second time to the first.", Fn2: agetz},
	{Name: "age", Args: pg.Sig{pg.Timestamp}, Result: pg.Interval, Volatility: expr.Stable, Doc: "Years, months and days up to today.", Fn1: ageToday},
	{Name: "age", Args: pg.Sig{pg.Timestamptz}, Result: pg.Interval, Volatility: expr.Stable, Doc: "Years, months and days up to today.", Fn1: agetzToday},
}

// flipped is a function whose arguments come in the other order.
func flipped(f func(a, b types.Value) (types.Value, error)) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) { return f(b, a) }
}

// AddToTimestamptz is a moment and an interval, whose days are those of the session's zone.
func AddToTimestamptz(c *expr.Context, a, b types.Value) (types.Value, error) {
	return types.AddToTimestamptz(a, b, c.Zone())
}

func timestamptzAdded(c *expr.Context, a, b types.Value) (types.Value, error) {
	return types.AddToTimestamptz(b, a, c.Zone())
}

func subFromTimestamptz(c *expr.Context, a, b types.Value) (types.Value, error) {
	return types.SubFromTimestamptz(a, b, c.Zone())
}

func age(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.Age(a, b, a.Micros() < b.Micros())
}

func agetz(c *expr.Context, a, b types.Value) (types.Value, error) {
	local1, err := types.UTCToLocal(a.Micros(), c.Zone())
	if err != nil {
		return types.Null, err
	}
	local2, err := types.UTCToLocal(b.Micros(), c.Zone())
	if err != nil {
		return types.Null, err
	}
	return types.Age(types.NewTimestamp(local1), types.NewTimestamp(local2), a.Micros() < b.Micros())
}

// today is the midnight at which the present day of the session's zone began.
func today(c *expr.Context) (types.Value, error) {
	day, err := currentDate(c)
	if err != nil {
		return types.Null, err
	}
	return types.AddTimeToDate(day, types.NewTime(0))
}

func ageToday(c *expr.Context, a types.Value) (types.Value, error) {
	now, err := today(c)
	if err != nil {
		return types.Null, err
	}
	return age(c, now, a)
}

func agetzToday(c *expr.Context, a types.Value) (types.Value, error) {
	now, err := today(c)
	if err != nil {
		return types.Null, err
	}
	moment, err := types.LocalToUTC(now.Micros(), c.Zone())
	if err != nil {
		return types.Null, err
	}
	return agetz(c, types.NewTimestamp(moment), a)
}

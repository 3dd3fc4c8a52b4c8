package datetime

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/datetime"
	"zproxy/types/interval"
)

// intervalFunctions are the arithmetic of intervals, and of dates and times with them.
var intervalFunctions = []*expr.Function{
	{Name: "interval_um", Operator: "-", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Interval in the other direction.", Fn1: ofInterval(interval.Neg)},
	{Name: "interval_pl", Operator: "+", Args: pg.Sig{pg.Interval, pg.Interval}, Result: pg.Interval, Doc: "Sum of intervals.", Fn2: ofIntervals(interval.Add)},
	{Name: "interval_mi", Operator: "-", Args: pg.Sig{pg.Interval, pg.Interval}, Result: pg.Interval, Doc: "Difference of intervals.", Fn2: ofIntervals(interval.Sub)},
	{Name: "interval_mul", Operator: "*", Args: pg.Sig{pg.Interval, pg.Float8}, Result: pg.Interval, Doc: "Interval some times as long.", Fn2: scaling(interval.Mul)},
	{Name: "mul_d_interval", Operator: "*", Args: pg.Sig{pg.Float8, pg.Interval}, Result: pg.Interval, Doc: "Interval some times as long.", Fn2: flipped(scaling(interval.Mul))},
	{Name: "interval_div", Operator: "/", Args: pg.Sig{pg.Interval, pg.Float8}, Result: pg.Interval, Doc: "Part of an interval.", Fn2: scaling(interval.Div)},

	{Name: "timestamp_pl_interval", Operator: "+", Args: pg.Sig{pg.Timestamp, pg.Interval}, Result: pg.Timestamp, Doc: "Time an interval later.", Fn2: addToTimestamp},
	{Name: "interval_pl_timestamp", Operator: "+", Args: pg.Sig{pg.Interval, pg.Timestamp}, Result: pg.Timestamp, Doc: "Time an interval later.", Fn2: flipped(addToTimestamp)},
	{Name: "timestamp_mi_interval", Operator: "-", Args: pg.Sig{pg.Timestamp, pg.Interval}, Result: pg.Timestamp, Doc: "Time an interval earlier.", Fn2: subFromTimestamp},
	{Name: "timestamptz_pl_interval", Operator: "+", Args: pg.Sig{pg.Timestamptz, pg.Interval}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Time an interval later in the session's time zone.", Fn2: AddToTimestamptz},
	{Name: "interval_pl_timestamptz", Operator: "+", Args: pg.Sig{pg.Interval, pg.Timestamptz}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Time an interval later in the session's time zone.", Fn2: flipped(AddToTimestamptz)},
	{Name: "timestamptz_mi_interval", Operator: "-", Args: pg.Sig{pg.Timestamptz, pg.Interval}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Time an interval earlier in the session's time zone.", Fn2: subFromTimestamptz},
	{Name: "timestamp_mi", Operator: "-", Args: pg.Sig{pg.Timestamp, pg.Timestamp}, Result: pg.Interval, Doc: "Days and time from the second time to the first.", Fn2: subTimestamps},
	{Name: "timestamptz_mi", Operator: "-", Args: pg.Sig{pg.Timestamptz, pg.Timestamptz}, Result: pg.Interval, Doc: "Days and time from the second time to the first.", Fn2: subTimestamps},

	{Name: "date_pl_interval", Operator: "+", Args: pg.Sig{pg.Date, pg.Interval}, Result: pg.Timestamp, Doc: "Time an interval after a date begins.", Fn2: addToDate},
	{Name: "interval_pl_date", Operator: "+", Args: pg.Sig{pg.Interval, pg.Date}, Result: pg.Timestamp, Doc: "Time an interval after a date begins.", Fn2: flipped(addToDate)},
	{Name: "date_mi_interval", Operator: "-", Args: pg.Sig{pg.Date, pg.Interval}, Result: pg.Timestamp, Doc: "Time an interval before a date begins.", Fn2: subFromDate},
	{Name: "datetime_pl", Operator: "+", Args: pg.Sig{pg.Date, pg.Clock}, Result: pg.Timestamp, Doc: "Time of a date.", Fn2: addTimeToDate},
	{Name: "timedate_pl", Operator: "+", Args: pg.Sig{pg.Clock, pg.Date}, Result: pg.Timestamp, Doc: "Time of a date.", Fn2: flipped(addTimeToDate)},
	{Name: "datetimetz_pl", Operator: "+", Args: pg.Sig{pg.Date, pg.Clocktz}, Result: pg.Timestamptz, Doc: "Moment of a date.", Fn2: addTimetzToDate},
	{Name: "timetzdate_pl", Operator: "+", Args: pg.Sig{pg.Clocktz, pg.Date}, Result: pg.Timestamptz, Doc: "Moment of a date.", Fn2: flipped(addTimetzToDate)},

	{Name: "time_pl_interval", Operator: "+", Args: pg.Sig{pg.Clock, pg.Interval}, Result: pg.Clock, Doc: "Time of day an interval later.", Fn2: addToTime},
	{Name: "interval_pl_time", Operator: "+", Args: pg.Sig{pg.Interval, pg.Clock}, Result: pg.Clock, Doc: "Time of day an interval later.", Fn2: flipped(addToTime)},
	{Name: "time_mi_interval", Operator: "-", Args: pg.Sig{pg.Clock, pg.Interval}, Result: pg.Clock, Doc: "Time of day an interval earlier.", Fn2: subFromTime},
	{Name: "time_mi_time", Operator: "-", Args: pg.Sig{pg.Clock, pg.Clock}, Result: pg.Interval, Doc: "Time from the second time of day to the first.", Fn2: subTimes},
	{Name: "timetz_pl_interval", Operator: "+", Args: pg.Sig{pg.Clocktz, pg.Interval}, Result: pg.Clocktz, Doc: "Time of day an interval later.", Fn2: addToTimetz},
	{Name: "interval_pl_timetz", Operator: "+", Args: pg.Sig{pg.Interval, pg.Clocktz}, Result: pg.Clocktz, Doc: "Time of day an interval later.", Fn2: flipped(addToTimetz)},
	{Name: "timetz_mi_interval", Operator: "-", Args: pg.Sig{pg.Clocktz, pg.Interval}, Result: pg.Clocktz, Doc: "Time of day an interval earlier.", Fn2: subFromTimetz},

	{Name: "justify_hours", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Interval with every 24 hours as a day.", Fn1: ofInterval(interval.JustifyHours)},
	{Name: "justify_days", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Interval with every 30 days as a month.", Fn1: ofInterval(interval.JustifyDays)},
	{Name: "justify_interval", Args: pg.Sig{pg.Interval}, Result: pg.Interval, Doc: "Interval with days, months and one sign for all fields.", Fn1: ofInterval(interval.Justify)},
	{Name: "age", Args: pg.Sig{pg.Timestamp, pg.Timestamp}, Result: pg.Interval, Doc: "Years, months and days from the second time to the first.", Fn2: age},
	{Name: "age", Args: pg.Sig{pg.Timestamptz, pg.Timestamptz}, Result: pg.Interval, Doc: "Years, months and days from the second time to the first.", Fn2: agetz},
	{Name: "age", Args: pg.Sig{pg.Timestamp}, Result: pg.Interval, Volatility: expr.Stable, Doc: "Years, months and days up to today.", Fn1: ageToday},
	{Name: "age", Args: pg.Sig{pg.Timestamptz}, Result: pg.Interval, Volatility: expr.Stable, Doc: "Years, months and days up to today.", Fn1: agetzToday},
}

func age(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return intervalValue(interval.Age(a.Micros(), b.Micros(), a.Micros() < b.Micros()))
}

func agetz(c *expr.Context, a, b types.Value) (types.Value, error) {
	local1, err := datetime.UTCToLocal(a.Micros(), c.Zone())
	if err != nil {
		return types.Null, err
	}
	local2, err := datetime.UTCToLocal(b.Micros(), c.Zone())
	if err != nil {
		return types.Null, err
	}
	return intervalValue(interval.Age(local1, local2, a.Micros() < b.Micros()))
}

// today is the midnight at which the present day of the session's zone began.
func today(c *expr.Context) (types.Value, error) {
	day, err := currentDate(c)
	if err != nil {
		return types.Null, err
	}
	return timestampValue(datetime.Midnight(day.Days()))
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
	moment, err := datetime.LocalToUTC(now.Micros(), c.Zone())
	if err != nil {
		return types.Null, err
	}
	return agetz(c, types.NewTimestamp(moment), a)
}

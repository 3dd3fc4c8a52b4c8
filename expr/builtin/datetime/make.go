package datetime

import (
	"fmt"
	"math"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/datetime"
	"zproxy/types/interval"
)

// makeFunctions make dates, times and intervals of their fields.
var makeFunctions = []*expr.Function{
	{Name: "make_date", Args: pg.Sig{pg.Int4, pg.Int4, pg.Int4}, Result: pg.Date, Doc: "Date of a year, a month and a day.",
		Params: []string{"year", "month", "day"}, FnN: makeDate},
	{Name: "make_time", Args: pg.Sig{pg.Int4, pg.Int4, pg.Float8}, Result: pg.Clock, Doc: "Time of an hour, a minute and seconds.",
		Params: []string{"hour", "min", "sec"}, FnN: makeTime},
	{Name: "make_timestamp", Args: pg.Sig{pg.Int4, pg.Int4, pg.Int4, pg.Int4, pg.Int4, pg.Float8}, Result: pg.Timestamp, Doc: "Time of its fields.",
		Params: []string{"year", "month", "mday", "hour", "min", "sec"}, FnN: makeTimestamp},
	{Name: "make_timestamptz", Args: pg.Sig{pg.Int4, pg.Int4, pg.Int4, pg.Int4, pg.Int4, pg.Float8}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Moment of its fields in the session's time zone.",
		Params: []string{"year", "month", "mday", "hour", "min", "sec"}, FnN: makeTimestamptz},
	{Name: "make_timestamptz", Args: pg.Sig{pg.Int4, pg.Int4, pg.Int4, pg.Int4, pg.Int4, pg.Float8, pg.Text}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Moment of its fields in a time zone.",
		Params: []string{"year", "month", "mday", "hour", "min", "sec", "timezone"}, FnN: makeInZone},
	{Name: "make_interval", Args: pg.Sig{pg.Int4, pg.Int4, pg.Int4, pg.Int4, pg.Int4, pg.Int4, pg.Float8}, Result: pg.Interval, Doc: "Interval of its fields.",
		Params:   []string{"years", "months", "weeks", "days", "hours", "mins", "secs"},
		Defaults: []string{"0", "0", "0", "0", "0", "0", "0.0"}, FnN: makeInterval},
}

// makeDate takes a negative year as one before Christ. In its messages PostgreSQL counts
// with a year 0.
func makeDate(_ *expr.Context, args []types.Value) (types.Value, error) {
	year := args[0].Int()
	if year < 0 && year > math.MinInt32 {
		year++
	}
	return dateOf(args, year)
}

// dateOf is the date of a year, a month and a day; messages show a year of their own.
func dateOf(args []types.Value, shown int64) (types.Value, error) {
	days, err := datetime.Date(args[0].Int(), args[1].Int(), args[2].Int())
	message := ""
	switch err {
	case datetime.ErrFields:
		message = "date field value out of range"
	case datetime.ErrRange:
		message = "date out of range"
	default:
		return types.NewDate(days), nil
	}
	return types.Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "%s: %d-%02d-%02d", message, shown, args[1].Int(),
		args[2].Int())
}

func makeTime(_ *expr.Context, args []types.Value) (types.Value, error) {
	hour, minute, seconds := args[0].Int(), args[1].Int(), args[2].Float()
	micros := math.RoundToEven(seconds * SecondMicros)
	if hour < 0 || hour > 24 || minute < 0 || minute > 59 || !(micros >= 0 && micros <= 60*SecondMicros) {
		return types.Null, timeFieldError(args)
	}
	total := (hour*60+minute)*60*SecondMicros + int64(micros)
	if total > daySeconds*SecondMicros {
		return types.Null, timeFieldError(args)
	}
	return types.NewTime(total), nil
}

func timeFieldError(args []types.Value) error {
	return sqlerr.New(sqlerr.DatetimeFieldOverflow, "time field value out of range: %s", clockText(args))
}

// clockText shows hour, minute and seconds as they were given.
func clockText(args []types.Value) string {
	seconds := fmt.Sprintf("%.6g", args[2].Float())
	if math.IsInf(args[2].Float(), 0) {
		seconds = types.FormatText(args[2], types.Float8, nil)
	}
	if len(seconds) < 2 {
		seconds = "0" + seconds
	}
	return fmt.Sprintf("%d:%02d:%s", args[0].Int(), args[1].Int(), seconds)
}

func makeTimestamp(c *expr.Context, args []types.Value) (types.Value, error) {
	day, err := dateOf(args, args[0].Int())
	if err != nil {
		return types.Null, err
	}
	clock, err := makeTime(c, args[3:6])
	if err != nil {
		return types.Null, err
	}
	v, err := addTimeToDate(c, day, clock)
	if err != nil {
		return types.Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range: %d-%02d-%02d %s",
			args[0].Int(), args[1].Int(), args[2].Int(), clockText(args[3:6]))
	}
	return v, nil
}

func makeTimestamptz(c *expr.Context, args []types.Value) (types.Value, error) {
	local, err := makeTimestamp(c, args)
	if err != nil {
		return types.Null, err
	}
	micros, err := datetime.LocalToUTC(local.Micros(), c.Zone())
	return types.NewTimestamp(micros), err
}

func makeInZone(c *expr.Context, args []types.Value) (types.Value, error) {
	local, err := makeTimestamp(c, args[:6])
	if err != nil {
		return types.Null, err
	}
	zone, err := datetime.ParseZone(args[6].Text())
	if err != nil {
		return types.Null, err
	}
	micros, err := zone.ToUTC(local.Micros())
	return types.NewTimestamp(micros), err
}

func makeInterval(_ *expr.Context, args []types.Value) (types.Value, error) {
	seconds := math.RoundToEven(args[6].Float() * SecondMicros)
	months := args[0].Int()*12 + args[1].Int()
	days := args[2].Int()*7 + args[3].Int()
	clock := (args[4].Int()*60 + args[5].Int()) * 60 * SecondMicros
	total := clock + int64(seconds)
	if !(seconds >= math.MinInt64 && seconds < -math.MinInt64) || (total > clock) != (seconds > 0) ||
		months != int64(int32(months)) || days != int64(int32(days)) {
		return types.Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "interval out of range")
	}
	return types.NewInterval(interval.Interval{Months: int32(months), Days: int32(days), Micros: total}), nil
}

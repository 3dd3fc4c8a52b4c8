package datetime

import (
	"fmt"
	"math"
	"strings"
	"time"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/calendar"
	"zproxy/types/datetime"
)

// dateFunctions are the clocks, and the arithmetic of dates and times.
var dateFunctions = []*expr.Function{
	{Name: "date_pli", Operator: "+", Args: pg.Sig{pg.Date, pg.Int4}, Result: pg.Date, Doc: "Date some days later.", Fn2: addDays},
	{Name: "integer_pl_date", Operator: "+", Args: pg.Sig{pg.Int4, pg.Date}, Result: pg.Date, Doc: "Date some days later.", Fn2: flipped(addDays)},
	{Name: "date_mii", Operator: "-", Args: pg.Sig{pg.Date, pg.Int4}, Result: pg.Date, Doc: "Date some days earlier.", Fn2: subDays},
	{Name: "date_mi", Operator: "-", Args: pg.Sig{pg.Date, pg.Date}, Result: pg.Int4, Doc: "Number of days from the second date to the first.", Fn2: subDates},
	{Name: "date_trunc", Args: pg.Sig{pg.Text, pg.Timestamp}, Result: pg.Timestamp, Doc: "Time cut to a unit.", Fn2: truncTimestamp},
	{Name: "date_trunc", Args: pg.Sig{pg.Text, pg.Timestamptz}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Time cut to a unit in the session's time zone.", Fn2: truncTimestamptz},
	{Name: "date_trunc", Args: pg.Sig{pg.Text, pg.Timestamptz, pg.Text}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Time cut to a unit in a time zone.", FnN: truncInZone},
	{Name: "to_timestamp", Args: pg.Sig{pg.Float8}, Result: pg.Timestamptz, Doc: "Moment some seconds after 1970.", Fn1: toTimestamp},
	{Name: "isfinite", Args: pg.Sig{pg.Date}, Result: pg.Boolean, Doc: "Whether the date is not infinite.", Fn1: isFiniteDate},
	{Name: "isfinite", Args: pg.Sig{pg.Timestamp}, Result: pg.Boolean, Doc: "Whether the time is not infinite.", Fn1: isFiniteTimestamp},
	{Name: "isfinite", Args: pg.Sig{pg.Interval}, Result: pg.Boolean, Doc: "Whether the interval is not infinite, which none is.", Fn1: isFiniteInterval},
	{Name: "isfinite", Args: pg.Sig{pg.Timestamptz}, Result: pg.Boolean, Doc: "Whether the time is not infinite.", Fn1: isFiniteTimestamp},
}

// Epoch2000 is the seconds from 1970 to 2000, where SQL's timestamps begin.
const (
	Epoch2000    = 946684800
	daySeconds   = 86400
	SecondMicros = 1_000_000
)

// CutTime is a local time cut to a unit, as date_trunc knows them, in microseconds.
func CutTime(unit string, micros int64) int64 {
	cut, _, _ := truncate(unit, TimeOf(micros))
	return types.TimestampAt(cut).Micros()
}

// TimeOf is the wall clock of a timestamp, or its moment, as a time in UTC.
func TimeOf(micros int64) time.Time {
	seconds := micros / SecondMicros
	rest := micros % SecondMicros
	return time.Unix(seconds+Epoch2000, rest*1000).UTC()
}

// IsInfinite says whether a timestamp is infinite.
func IsInfinite(micros int64) bool { return micros == math.MaxInt64 || micros == math.MinInt64 }

func isFiniteDate(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewBool(a.Days() != math.MaxInt32 && a.Days() != math.MinInt32), nil
}

func isFiniteInterval(*expr.Context, types.Value) (types.Value, error) {
	return types.NewBool(true), nil
}

func isFiniteTimestamp(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewBool(!IsInfinite(a.Micros())), nil
}

// truncate cuts a local time to a unit, and says whether the unit is at least a day, so
// that the offset from UTC may be another.
func truncate(unit string, t time.Time) (cut time.Time, days, ok bool) {
	year, month, day := t.Date()
	switch unit {
	case "microsecond":
		return t, false, true
	case "millisecond":
		return t.Add(-time.Duration(t.Nanosecond() % int(time.Millisecond))), false, true
	case "second":
		return t.Add(-time.Duration(t.Nanosecond())), false, true
	case "minute":
		return time.Date(year, month, day, t.Hour(), t.Minute(), 0, 0, time.UTC), false, true
	case "hour":
		return time.Date(year, month, day, t.Hour(), 0, 0, 0, time.UTC), false, true
	case "day":
	case "week":
		day -= (int(t.Weekday()) + 6) % 7
	case "month":
		day = 1
	case "quarter":
		month, day = (month-1)/3*3+1, 1
	case "year":
		month, day = time.January, 1
	case "decade":
		year, month, day = floorTo(year, 10), time.January, 1
	case "century":
		year, month, day = floorTo(year-1, 100)+1, time.January, 1
	case "millennium":
		year, month, day = floorTo(year-1, 1000)+1, time.January, 1
	default:
		return t, false, false
	}
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC), true, true
}

// floorTo is the multiple of n at or below year.
func floorTo(year, n int) int { return year - (year%n+n)%n }

func unknownUnit(unit string, t types.T) error {
	if strings.HasPrefix(calendar.CanonicalUnit(unit), "timezone") {
		return unsupportedUnit(unit, t)
	}
	return sqlerr.New(sqlerr.InvalidParameterValue, "unit \"%s\" not recognized for type %s", strings.ToLower(unit), t)
}

func unsupportedUnit(unit string, t types.T) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "unit \"%s\" not supported for type %s", strings.ToLower(unit), t)
}

func truncTimestamp(_ *expr.Context, a, b types.Value) (types.Value, error) {
	if IsInfinite(b.Micros()) {
		return b, nil
	}
	t, _, ok := truncate(calendar.CanonicalUnit(a.Text()), TimeOf(b.Micros()))
	if !ok {
		return types.Null, unknownUnit(a.Text(), types.Timestamp)
	}
	return types.TimestampAt(t), nil
}

func truncTimestamptz(c *expr.Context, a, b types.Value) (types.Value, error) {
	return truncAt(a.Text(), b, c.Zone())
}

func truncInZone(_ *expr.Context, args []types.Value) (types.Value, error) {
	zone, err := datetime.LoadLocation(args[2].Text())
	if err != nil {
		return types.Null, err
	}
	return truncAt(args[0].Text(), args[1], zone)
}

func truncAt(unit string, v types.Value, zone *time.Location) (types.Value, error) {
	if IsInfinite(v.Micros()) {
		return v, nil
	}
	local, err := datetime.UTCToLocal(v.Micros(), zone)
	if err != nil {
		return types.Null, err
	}
	t, days, ok := truncate(calendar.CanonicalUnit(unit), TimeOf(local))
	if !ok {
		return types.Null, unknownUnit(unit, types.Timestamptz)
	}
	cut := types.TimestampAt(t).Micros()
	if !days {
		return types.NewTimestamp(v.Micros() - (local - cut)), nil
	}
	cut, err = datetime.LocalToUTC(cut, zone)
	return types.NewTimestamp(cut), err
}

func toTimestamp(_ *expr.Context, a types.Value) (types.Value, error) {
	const first, end = -210866803200, 9224318016000 // of timestamps, in seconds from 1970
	f := a.Float()
	switch {
	case math.IsInf(f, 1):
		return types.NewTimestamp(math.MaxInt64), nil
	case math.IsInf(f, -1):
		return types.NewTimestamp(math.MinInt64), nil
	case f != f:
		return types.Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp cannot be NaN")
	case f < first || f >= end:
		return types.Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range: \"%s\"",
			fmt.Sprintf("%g", f))
	}
	return types.NewTimestamp(int64(math.RoundToEven((f - Epoch2000) * SecondMicros))), nil
}

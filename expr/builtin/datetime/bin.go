package datetime

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/calendar"
	"zproxy/types/interval"
)

// binFunctions cut times and intervals to units that need no calendar.
var binFunctions = []*expr.Function{
	{Name: "date_trunc", Args: pg.Sig{pg.Text, pg.Interval}, Result: pg.Interval, Doc: "Interval cut to a unit.", Fn2: truncInterval},
	{Name: "date_bin", Args: pg.Sig{pg.Interval, pg.Timestamp, pg.Timestamp}, Result: pg.Timestamp, Doc: "Start of the bin of a time, bins of one width going out from an origin.", FnN: dateBin},
	{Name: "date_bin", Args: pg.Sig{pg.Interval, pg.Timestamptz, pg.Timestamptz}, Result: pg.Timestamptz, Doc: "Start of the bin of a time, bins of one width going out from an origin.", FnN: dateBin},
}

func truncInterval(_ *expr.Context, a, b types.Value) (types.Value, error) {
	months, days, micros := b.Interval().Fields()
	cutMonths := func(unit int32) (types.Value, error) {
		return types.NewInterval(interval.Interval{Months: months / unit * unit}), nil
	}
	cutMicros := func(unit int64) (types.Value, error) {
		return types.NewInterval(interval.Interval{Months: months, Days: days, Micros: micros / unit * unit}), nil
	}
	switch unit := calendar.CanonicalUnit(a.Text()); unit {
	case "millennium":
		return cutMonths(12000)
	case "century":
		return cutMonths(1200)
	case "decade":
		return cutMonths(120)
	case "year":
		return cutMonths(12)
	case "quarter":
		return cutMonths(3)
	case "month":
		return cutMonths(1)
	case "day":
		return types.NewInterval(interval.Interval{Months: months, Days: days}), nil
	case "hour":
		return cutMicros(3600 * SecondMicros)
	case "minute":
		return cutMicros(60 * SecondMicros)
	case "second":
		return cutMicros(SecondMicros)
	case "millisecond":
		return cutMicros(1000)
	case "microsecond":
		return b, nil
	case "week":
		return types.Null, sqlerr.New(sqlerr.FeatureNotSupported, "unit \"%s\" not supported for type %s", a.Text(),
			types.Interval).
			WithDetail("Months usually have fractional weeks.")
	default:
		return types.Null, unknownUnit(a.Text(), types.Interval)
	}
}

func dateBin(_ *expr.Context, args []types.Value) (types.Value, error) {
	months, days, micros := args[0].Interval().Fields()
	source, origin := args[1].Micros(), args[2].Micros()
	overflow := func(what string) (types.Value, error) {
		return types.Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "%s", what)
	}
	switch {
	case IsInfinite(source):
		return args[1], nil
	case IsInfinite(origin):
		return overflow("origin out of range")
	case months != 0:
		return types.Null, sqlerr.New(sqlerr.FeatureNotSupported,
			"timestamps cannot be binned into intervals containing months or years")
	}
	const maxDays = 1 << 63 / (daySeconds * SecondMicros)
	width := int64(days)*daySeconds*SecondMicros + micros
	if days > maxDays || days < -maxDays || (width > micros) != (days > 0) && days != 0 {
		return overflow("interval out of range")
	}
	if width <= 0 {
		return overflow("stride must be greater than zero")
	}
	distance := source - origin
	if (distance < source) != (origin > 0) {
		return overflow("interval out of range")
	}
	rest := distance % width
	start := source - rest
	if rest < 0 {
		start -= width
	}
	if start < minTimestamp {
		return overflow("timestamp out of range")
	}
	return types.NewTimestamp(start), nil
}

// minTimestamp is the first timestamp, 4714-11-24 BC.
const minTimestamp = -211813488000 * SecondMicros

package datetime

import (
	"strings"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/number"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/calendar"
	"zproxy/types/numeric"
)

// extractClockFunctions take a field out of a time of day or an interval.
var extractClockFunctions = []*expr.Function{
	{Name: "extract", Args: pg.Sig{pg.Text, pg.Clock}, Result: pg.Numeric, Doc: "Field of a time of day.", Fn2: partOf(types.Time, timePart, numericPart)},
	{Name: "extract", Args: pg.Sig{pg.Text, pg.Clocktz}, Result: pg.Numeric, Doc: "Field of a time of day.", Fn2: partOf(types.Timetz, timetzPart, numericPart)},
	{Name: "extract", Args: pg.Sig{pg.Text, pg.Interval}, Result: pg.Numeric, Doc: "Field of an interval.", Fn2: partOf(types.Interval, intervalPart, numericPart)},
	{Name: "date_part", Args: pg.Sig{pg.Text, pg.Clock}, Result: pg.Float8, Doc: "Field of a time of day.", Fn2: partOf(types.Time, timePart, floatPart)},
	{Name: "date_part", Args: pg.Sig{pg.Text, pg.Clocktz}, Result: pg.Float8, Doc: "Field of a time of day.", Fn2: partOf(types.Timetz, timetzPart, floatPart)},
	{Name: "date_part", Args: pg.Sig{pg.Text, pg.Interval}, Result: pg.Float8, Doc: "Field of an interval.", Fn2: datePartOfInterval},
}

// part is a field's value: a whole number and millionths of one sign, and how many
// digits EXTRACT shows of these.
type part struct {
	whole, millionths int64
	scale             int32
}

// partOf finds a field of a value of a type, by its canonical name.
func partOf(
	t types.T, find func(unit string, v types.Value) (part, bool), result func(part) (types.Value, error),
) expr.Function2 {
	return func(_ *expr.Context, a, b types.Value) (types.Value, error) {
		unit := calendar.CanonicalUnit(a.Text())
		p, ok := find(unit, b)
		switch _, known := fields[unit]; {
		case ok:
			return result(p)
		case known || strings.HasPrefix(unit, "timezone"):
			return types.Null, unsupportedUnit(a.Text(), t)
		}
		return types.Null, unknownUnit(a.Text(), t)
	}
}

func numericPart(p part) (types.Value, error) {
	return number.NumericValue(numeric.Add(numeric.Round(apd.New(p.whole, 0), int(p.scale)),
		numeric.Round(apd.New(p.millionths, -6), int(p.scale))))
}

func floatPart(p part) (types.Value, error) {
	return types.NewFloat((float64(p.whole)*SecondMicros + float64(p.millionths)) / SecondMicros), nil
}

// datePartOfInterval adds up the epoch in floats, rounding as PostgreSQL does.
func datePartOfInterval(c *expr.Context, a, b types.Value) (types.Value, error) {
	if calendar.CanonicalUnit(a.Text()) != "epoch" {
		return partOf(types.Interval, intervalPart, floatPart)(c, a, b)
	}
	months, days, micros := b.Interval().Fields()
	seconds := float64(micros) / SecondMicros
	seconds += 365.25 * daySeconds * float64(months/12)
	seconds += 30.0 * daySeconds * float64(months%12)
	return types.NewFloat(seconds + daySeconds*float64(days)), nil
}

// clockPart is a field of a time, but for the hour, which has no bounds in an interval.
func clockPart(unit string, micros int64) (part, bool) {
	rest := micros % (60 * SecondMicros)
	switch unit {
	case "microsecond":
		return part{whole: rest}, true
	case "millisecond":
		return part{whole: rest / 1000, millionths: rest % 1000 * 1000, scale: 3}, true
	case "second":
		return part{whole: rest / SecondMicros, millionths: rest % SecondMicros, scale: 6}, true
	case "minute":
		return part{whole: micros / (60 * SecondMicros) % 60}, true
	case "hour":
		return part{whole: micros / (3600 * SecondMicros)}, true
	}
	return part{}, false
}

func timePart(unit string, v types.Value) (part, bool) {
	if unit == "epoch" {
		return part{whole: v.Micros() / SecondMicros, millionths: v.Micros() % SecondMicros, scale: 6}, true
	}
	return clockPart(unit, v.Micros())
}

func timetzPart(unit string, v types.Value) (part, bool) {
	east := -int64(v.West())
	switch unit {
	case "timezone":
		return part{whole: east}, true
	case "timezone_hour":
		return part{whole: east / 3600}, true
	case "timezone_minute":
		return part{whole: east / 60 % 60}, true
	case "epoch":
		return timePart(unit, types.NewTime(types.UTCOfTimetz(v)))
	}
	return clockPart(unit, v.Micros())
}

// quarterDay is the seconds in which a year of 365.25 days is a whole number.
const quarterDay = daySeconds / 4

func intervalPart(unit string, v types.Value) (part, bool) {
	p := v.Interval().Parts()
	switch unit {
	case "day":
		return part{whole: p.Days}, true
	case "month":
		return part{whole: p.Months}, true
	case "quarter":
		return part{whole: p.Months/3 + 1}, true
	case "year":
		return part{whole: p.Years}, true
	case "decade":
		return part{whole: p.Years / 10}, true
	case "century":
		return part{whole: p.Years / 100}, true
	case "millennium":
		return part{whole: p.Years / 1000}, true
	case "epoch":
		seconds := (1461*p.Years + 120*p.Months + 4*p.Days) * quarterDay
		return part{whole: seconds + v.Micros()/SecondMicros, millionths: v.Micros() % SecondMicros, scale: 6}, true
	}
	return clockPart(unit, v.Micros())
}

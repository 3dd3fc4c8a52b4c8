package plan

import (
	"math"
	"time"

	"github.com/cockroachdb/apd/v3"

	times "zproxy/expr/builtin/datetime"
	"zproxy/types"
	"zproxy/types/datetime"
)

const dayMicros = 24 * 3600 * 1_000_000

func infiniteDate(v types.Value) bool { return v.Days() == math.MaxInt32 || v.Days() == math.MinInt32 }

func infiniteTime(v types.Value) bool {
	return v.Micros() == math.MaxInt64 || v.Micros() == math.MinInt64
}

// farTime is so far from the end of all timestamps that steps do not come to it.
const farTime = 200_000 * 365 * dayMicros

// plain says whether steps may count from an end that is a timestamp.
func (e end) plain() bool { return e.Micros() > -farTime && e.Micros() < farTime }

// infinity is the step from an infinite timestamp, which all functions leave as it is.
func (e end) infinity() types.Value {
	if e.above || !infiniteTime(e.Value) {
		return types.Null
	}
	return e.Value
}

// firstOfDay is the step of the date of a timestamp.
func firstOfDay(e end) types.Value {
	days := int64(e.Days())
	switch {
	case !infiniteDate(e.Value):
	case e.above:
		return types.Null
	case days > 0:
		return types.NewTimestamp(math.MaxInt64)
	default:
		return types.NewTimestamp(math.MinInt64)
	}
	if e.above {
		days++
	}
	if days >= math.MaxInt64/dayMicros {
		return types.Null
	}
	return types.NewTimestamp(days * dayMicros)
}

// firstMidnight is the step of the first moment of a date.
func firstMidnight(e end) types.Value {
	date := types.NewDate(datetime.DateOf(e.Micros()))
	switch {
	case infiniteTime(e.Value) && e.above:
		return types.Null
	case infiniteTime(e.Value):
		return date
	case e.above || int64(date.Days())*dayMicros < e.Micros():
		return types.NewDate(date.Days() + 1)
	}
	return date
}

// firstMoment is the step of the moment of a time in the zone of the session.
func firstMoment(e end) types.Value {
	local, err := datetime.UTCToLocal(e.Micros(), zoneOf(e.env))
	return e.shifted(local, e.Micros(), err)
}

// firstLocal is the step of the time in the zone of the session at a moment.
func firstLocal(e end) types.Value {
	moment, err := datetime.LocalToUTC(e.Micros(), zoneOf(e.env))
	return e.shifted(moment, moment, err)
}

// shifted is the step from a time to the same one without or with its zone's offset, of which one is the moment.
// Where the offset changes near by, times may come twice or not at all, and the order of moments is not that
// of local times: then two days more are in. No zone is 16 hours from UTC.
func (e end) shifted(to, moment int64, err error) types.Value {
	switch {
	case err != nil || !e.plain():
		return e.infinity()
	case !steady(moment, zoneOf(e.env)) && e.high:
		to += 2 * dayMicros
	case !steady(moment, zoneOf(e.env)):
		to -= 2 * dayMicros
	}
	if e.above {
		to++
	}
	return types.NewTimestamp(to)
}

func zoneOf(env *types.Env) *time.Location {
	if env == nil || env.Location == nil {
		return time.UTC
	}
	return env.Location
}

// steady says whether a zone has one offset for four days before and after a moment.
func steady(moment int64, zone *time.Location) bool {
	const window = 4 * 24 * time.Hour
	t := times.TimeOf(moment).In(zone)
	from, to := t.ZoneBounds()
	return (from.IsZero() || t.Sub(from) > window) && (to.IsZero() || to.Sub(t) > window)
}

// longest is how long a unit of date_trunc can be, in microseconds: less than two of the shortest.
var longest = map[string]int64{
	"microsecond": 1, "millisecond": 1000, "second": 1_000_000, "minute": 60_000_000, "hour": dayMicros / 24,
	"day": dayMicros, "week": 7 * dayMicros, "month": 31 * dayMicros, "quarter": 92 * dayMicros,
	"year": 366 * dayMicros, "decade": 3653 * dayMicros, "century": 36525 * dayMicros, "millennium": 365243 * dayMicros,
}

// firstOfUnit is the step of a local time that is cut to a unit.
func firstOfUnit(unit string) step {
	return func(e end) types.Value {
		if !e.plain() {
			return e.infinity()
		}
		cut := times.CutTime(unit, e.Micros())
		if cut < e.Micros() || e.above {
			cut = times.CutTime(unit, cut+longest[unit])
		}
		return types.NewTimestamp(cut)
	}
}

// firstOfYear is the step of the year of a local time, a number.
func firstOfYear(e end) types.Value {
	year, ok := leastInt(e.Value, e.above)
	if !ok || year < 1 || year > 100_000 {
		return types.Null
	}
	return types.TimestampAt(time.Date(int(year), time.January, 1, 0, 0, 0, 0, time.UTC))
}

// firstWhole is the step of an integer as a number of another kind.
func firstWhole(e end) types.Value {
	// Greater integers may be one double-precision number with their neighbours.
	if n, ok := leastInt(e.Value, e.above); ok && n > -1<<52 && n < 1<<52 {
		return types.NewInt(n)
	}
	return types.Null
}

// leastInt is the least integer that is as great as a number, or greater than it. It says false where
// none is known: the number is no numeric or float, is none, or is greater than all of eight bytes.
func leastInt(v types.Value, above bool) (int64, bool) {
	switch v.Kind() {
	case types.KindFloat:
		least := math.Ceil(v.Float())
		if above {
			least = math.Floor(v.Float()) + 1
		}
		return int64(least), math.Abs(least) < 1<<62
	case types.KindNumeric:
		var whole, rest apd.Decimal
		if v.Numeric().Form != apd.Finite {
			return 0, false
		}
		v.Numeric().Modf(&whole, &rest)
		n, err := whole.Int64()
		if up := rest.Sign() > 0 || above && rest.Sign() == 0; up {
			n++
		}
		return n, err == nil && n > -1<<62 && n < 1<<62
	}
	return 0, false
}

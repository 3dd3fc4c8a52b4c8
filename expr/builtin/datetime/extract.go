package datetime

import (
	"math"
	"time"

	"github.com/cockroachdb/apd/v3"

	"zproxy/expr"
	"zproxy/expr/builtin/number"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
	"zproxy/types/calendar"
	"zproxy/types/datetime"
	"zproxy/types/numeric"
)

// extractFunctions take a field out of a date or a time, as a numeric for EXTRACT and as
// a float for date_part.
var extractFunctions = []*expr.Function{
	{Name: "extract", Args: pg.Sig{pg.Text, pg.Date}, Result: pg.Numeric, Doc: "Field of a date.", Fn2: extractOf(types.Date)},
	{Name: "extract", Args: pg.Sig{pg.Text, pg.Timestamp}, Result: pg.Numeric, Doc: "Field of a time.", Fn2: extractOf(types.Timestamp)},
	{Name: "extract", Args: pg.Sig{pg.Text, pg.Timestamptz}, Result: pg.Numeric, Volatility: expr.Stable, Doc: "Field of a time in the session's time zone.", Fn2: extractOf(types.Timestamptz)},
	{Name: "date_part", Args: pg.Sig{pg.Text, pg.Date}, Result: pg.Float8, Doc: "Field of a date at midnight.", Fn2: datePartOfDate},
	{Name: "date_part", Args: pg.Sig{pg.Text, pg.Timestamp}, Result: pg.Float8, Doc: "Field of a time.", Fn2: datePartOf(types.Timestamp)},
	{Name: "date_part", Args: pg.Sig{pg.Text, pg.Timestamptz}, Result: pg.Float8, Volatility: expr.Stable, Doc: "Field of a time in the session's time zone.", Fn2: datePartOf(types.Timestamptz)},
}

// moment is a time to take a field out of.
type moment struct {
	local  time.Time // the wall clock, as a time in UTC
	offset int       // of the wall clock from UTC, in seconds
}

// field is what EXTRACT knows. Its value is a whole number and millionths; the numeric
// shows as many digits as scale says.
type field struct {
	scale int32
	of    func(m moment) (whole, millionths int64)
	grows bool // an infinite time has an infinite one, else NULL
	clock bool // a date has none
	zoned bool // only a time with time zone has it
}

var fields = map[string]field{
	"microsecond":     {of: microsecondField, clock: true},
	"millisecond":     {of: millisecondField, scale: 3, clock: true},
	"second":          {of: secondField, scale: 6, clock: true},
	"minute":          {of: whole(time.Time.Minute), clock: true},
	"hour":            {of: whole(time.Time.Hour), clock: true},
	"day":             {of: whole(time.Time.Day)},
	"dow":             {of: whole(func(t time.Time) int { return int(t.Weekday()) })},
	"isodow":          {of: whole(func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 })},
	"doy":             {of: whole(time.Time.YearDay)},
	"week":            {of: whole(func(t time.Time) int { _, week := t.ISOWeek(); return week })},
	"month":           {of: whole(func(t time.Time) int { return int(t.Month()) })},
	"quarter":         {of: whole(func(t time.Time) int { return (int(t.Month())-1)/3 + 1 })},
	"year":            {of: whole(func(t time.Time) int { return withoutZero(t.Year()) }), grows: true},
	"isoyear":         {of: whole(func(t time.Time) int { year, _ := t.ISOWeek(); return withoutZero(year) }), grows: true},
	"decade":          {of: whole(func(t time.Time) int { return floorTo(t.Year(), 10) / 10 }), grows: true},
	"century":         {of: whole(func(t time.Time) int { return withoutZero(floorTo(t.Year()-1, 100)/100 + 1) }), grows: true},
	"millennium":      {of: whole(func(t time.Time) int { return withoutZero(floorTo(t.Year()-1, 1000)/1000 + 1) }), grows: true},
	"julian":          {of: julianField, grows: true},
	"epoch":           {of: epochField, scale: 6, grows: true},
	"timezone":        {of: func(m moment) (int64, int64) { return int64(m.offset), 0 }, clock: true, zoned: true},
	"timezone_hour":   {of: func(m moment) (int64, int64) { return int64(m.offset / 3600), 0 }, clock: true, zoned: true},
	"timezone_minute": {of: func(m moment) (int64, int64) { return int64(m.offset / 60 % 60), 0 }, clock: true, zoned: true},
}

func whole(f func(time.Time) int) func(moment) (int64, int64) {
	return func(m moment) (int64, int64) { return int64(f(m.local)), 0 }
}

// withoutZero counts as the calendar does: 1 BC is -1 and not 0.
func withoutZero(n int) int {
	if n <= 0 {
		return n - 1
	}
	return n
}

// MicrosOfSecond is the part of a second, in microseconds.
func MicrosOfSecond(t time.Time) int64 { return int64(t.Nanosecond() / 1000) }

func microsecondField(m moment) (int64, int64) {
	return int64(m.local.Second())*SecondMicros + MicrosOfSecond(m.local), 0
}

func millisecondField(m moment) (int64, int64) {
	micros, _ := microsecondField(m)
	return micros / 1000, micros % 1000 * 1000
}

func secondField(m moment) (int64, int64) { return int64(m.local.Second()), MicrosOfSecond(m.local) }

func epochField(m moment) (int64, int64) {
	return m.local.Unix() - int64(m.offset), MicrosOfSecond(m.local)
}

// julianField is the day alone; the numeric adds the part of the day that has passed.
func julianField(m moment) (int64, int64) {
	const julian1970 = 2440588
	seconds := m.local.Unix()
	day := seconds / daySeconds
	if seconds%daySeconds < 0 {
		day--
	}
	return day + julian1970, 0
}

// microsOfDay is the time of the day.
func microsOfDay(t time.Time) int64 {
	return int64(t.Hour()*3600+t.Minute()*60+t.Second())*SecondMicros + MicrosOfSecond(t)
}

// findField looks a field up for a type. An infinite time has every field.
func findField(unit string, t types.T, infinite bool) (field, error) {
	f, ok := fields[calendar.CanonicalUnit(unit)]
	switch {
	case !ok:
		return f, unknownUnit(unit, t)
	case f.clock && t.OID == types.OIDDate, f.zoned && t.OID == types.OIDTimestamp && !infinite:
		return f, unsupportedUnit(unit, t)
	}
	return f, nil
}

// momentOf takes a value of a type apart; +1 and -1 stand for infinity.
func momentOf(c *expr.Context, v types.Value, t types.T) (m moment, infinite int, err error) {
	micros := v.Micros()
	if t.OID == types.OIDDate {
		switch v.Days() {
		case math.MaxInt32:
			return m, 1, nil
		case math.MinInt32:
			return m, -1, nil
		}
		m.local = time.Unix(int64(v.Days())*daySeconds+Epoch2000, 0).UTC()
		return m, 0, nil
	}
	switch micros {
	case math.MaxInt64:
		return m, 1, nil
	case math.MinInt64:
		return m, -1, nil
	}
	if t.OID == types.OIDTimestamptz {
		local, err := datetime.UTCToLocal(micros, c.Zone())
		if err != nil {
			return m, 0, err
		}
		m.offset, micros = int((local-micros)/SecondMicros), local
	}
	m.local = TimeOf(micros)
	return m, 0, nil
}

func extractOf(t types.T) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		m, infinite, err := momentOf(c, b, t)
		if err != nil {
			return types.Null, err
		}
		f, err := findField(a.Text(), t, infinite != 0)
		switch {
		case err != nil:
			return types.Null, err
		case infinite != 0 && f.grows:
			return types.NewNumeric(&apd.Decimal{Form: apd.Infinite, Negative: infinite < 0}), nil
		case infinite != 0:
			return types.Null, nil
		}
		return extractNumeric(f, m, t, calendar.CanonicalUnit(a.Text()) == "julian")
	}
}

func extractNumeric(f field, m moment, t types.T, julian bool) (types.Value, error) {
	n, millionths := f.of(m)
	switch {
	case julian && t.OID != types.OIDDate:
		part, err := numeric.Div(apd.New(microsOfDay(m.local), 0), apd.New(daySeconds*SecondMicros, 0))
		if err != nil {
			return types.Null, err
		}
		return number.NumericValue(numeric.Add(apd.New(n, 0), part))
	case f.scale == 0 || t.OID == types.OIDDate:
		return types.NewNumeric(apd.New(n, 0)), nil
	}
	return number.NumericValue(numeric.Add(numeric.Round(apd.New(n, 0), int(f.scale)),
		numeric.Round(apd.New(millionths, -6), int(f.scale))))
}

func datePartOf(t types.T) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		m, infinite, err := momentOf(c, b, t)
		if err != nil {
			return types.Null, err
		}
		f, err := findField(a.Text(), t, infinite != 0)
		switch {
		case err != nil:
			return types.Null, err
		case infinite != 0 && f.grows:
			return types.NewFloat(math.Inf(infinite)), nil
		case infinite != 0:
			return types.Null, nil
		}
		n, millionths := f.of(m)
		value := (float64(n)*SecondMicros + float64(millionths)) / SecondMicros
		if calendar.CanonicalUnit(a.Text()) == "julian" {
			value += float64(microsOfDay(m.local)) / SecondMicros / daySeconds
		}
		return types.NewFloat(value), nil
	}
}

// datePartOfDate takes the date as a timestamp.
func datePartOfDate(c *expr.Context, a, b types.Value) (types.Value, error) {
	cast, _ := types.FindCast(types.OIDDate, types.OIDTimestamp)
	at, err := cast.Fn(b, types.Timestamp, c.Env)
	if err != nil {
		return types.Null, err
	}
	return datePartOf(types.Timestamp)(c, a, at)
}

package format

import (
	"zproxy/expr"
	times "zproxy/expr/builtin/datetime"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/calendar"
	"zproxy/types/datetime"
)

// readTimeFunctions are to_timestamp and to_date of a pattern.
var readTimeFunctions = []*expr.Function{
	{Name: "to_timestamp", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Timestamptz, Volatility: expr.Stable, Doc: "Moment that a text is by a pattern.", Fn2: readTimestamp},
	{Name: "to_date", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Date, Volatility: expr.Stable, Doc: "Date that a text is by a pattern.", Fn2: readDate},
}

func readTimestamp(c *expr.Context, a, b types.Value) (types.Value, error) {
	r, day, micros, err := readTime(c, a.Text(), b.Text())
	if err != nil {
		return types.Null, err
	}
	local, err := r.timestamp(day, micros)
	if err != nil {
		return types.Null, err
	}
	if r.sign != 0 {
		moment, err := datetime.FixedZone(r.east()).ToUTC(local)
		return types.NewTimestamp(moment), err
	}
	moment, err := datetime.LocalToUTC(local, c.Zone())
	return types.NewTimestamp(moment), err
}

// timestamp is a time of a day, to as many digits as were asked for.
func (r *timeReader) timestamp(day int, micros int64) (int64, error) {
	local, err := datetime.AddTimeToDate(int32(day), micros)
	if err != nil || day != int(int32(day)) {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range")
	}
	return r.rounds(local), nil
}

// rounds rounds to as many digits of a second as were asked for.
func (r *timeReader) rounds(micros int64) int64 {
	if r.rounded == 0 {
		return micros
	}
	return datetime.RoundTimestamp(micros, int32(r.rounded))
}

// east is the zone that was read, in seconds east of UTC.
func (r *timeReader) east() int { return r.sign * (r.values["tzh"]*3600 + r.values["tzm"]*60) }

func readDate(c *expr.Context, a, b types.Value) (types.Value, error) {
	_, day, _, err := readTime(c, a.Text(), b.Text())
	if err != nil {
		return types.Null, err
	}
	return dateOf(day, a.Text())
}

// dateOf is a day since 2000 that a text says, as a date.
func dateOf(day int, text string) (types.Value, error) {
	const firstDay, endDay = -julian2000, 2147483494 - julian2000
	if day < firstDay || day >= endDay {
		return types.Null, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range: \"%s\"", text)
	}
	return types.NewDate(int32(day)), nil
}

// julian2000 is the Julian day of 2000-01-01.
const julian2000 = 2451545

// readTime reads a text by a pattern: the day since 2000 and the time of it.
func readTime(c *expr.Context, s, format string) (r *timeReader, day int, micros int64, err error) {
	r = &timeReader{in: s, values: map[string]int{}}
	fields, err := timePatterns.parse(c, format)
	if err == nil {
		err = r.read(c, fields)
	}
	if err != nil {
		return nil, 0, 0, err
	}
	day, micros, err = r.moment()
	return r, day, micros, err
}

// moment is what the fields say that were read.
func (r *timeReader) moment() (day int, micros int64, err error) {
	if micros, err = r.clock(); err == nil {
		day, err = r.date()
	}
	if err == errTimeField {
		err = sqlerr.New(sqlerr.DatetimeFieldOverflow, "date/time field value out of range: \"%s\"", r.in)
	}
	if v := r.values; err == nil && r.sign != 0 && (v["tzh"] < 0 || v["tzh"] > 15 || v["tzm"] < 0 || v["tzm"] > 59) {
		err = sqlerr.New(sqlerr.InvalidTimeZoneDisplacement, "time zone displacement out of range: \"%s\"", r.in)
	}
	return day, micros, err
}

// errTimeField says that a field is out of its range.
var errTimeField = sqlerr.New(sqlerr.DatetimeFieldOverflow, "date/time field value out of range")

func (r *timeReader) clock() (int64, error) {
	v := r.values
	hour, minute, second := v["daysecond"]/3600, v["daysecond"]/60%60, v["daysecond"]%60
	if v["second"] != 0 {
		second = v["second"]
	}
	if v["minute"] != 0 {
		minute = v["minute"]
	}
	if v["hour"] != 0 {
		hour = v["hour"]
	}
	if r.twelve {
		if hour < 1 || hour > 12 {
			return 0, sqlerr.New(sqlerr.InvalidDatetimeFormat, "hour \"%d\" is invalid for the 12-hour clock", hour).
				WithHint("Use the 24-hour clock, or give an hour between 1 and 12.")
		}
		hour = hour%12 + 12*v["pm"]
	}
	micros := v["ms"]*1000 + v["us"]
	if hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || micros < 0 ||
		micros >= times.SecondMicros {
		return 0, errTimeField
	}
	return int64(hour*3600+minute*60+second)*times.SecondMicros + int64(micros), nil
}

// year is the year with 0 as 1 BC, and when there is none.
func (r *timeReader) year() (year int) {
	v, century := r.values, r.values["century"]
	if v["bc"] != 0 {
		century = -century
	}
	switch {
	case v["year"] == 0 && century == 0:
		return 0
	case v["year"] == 0 && century > 0:
		return (century-1)*100 + 1
	case v["year"] == 0:
		return century*100 + 1
	case century == 0 || r.digits > 2:
		if year = v["year"]; v["bc"] != 0 {
			year = -year
		}
		if year < 0 {
			year++
		}
		return year
	}
	switch year = v["year"] % 100; {
	case year == 0 && century > 0:
		return century * 100
	case year == 0:
		return century*100 + 1
	case century > 0:
		return year + (century-1)*100
	}
	return (century+1)*100 - year + 1
}

// date puts the fields of a date together: the day since 2000.
func (r *timeReader) date() (int, error) {
	v := r.values
	year := r.year()
	month, day, yearDay := 1, 1, v["yearday"]
	if v["julian"] != 0 {
		year, month, day = calendar.Civil(int64(v["julian"] - julian2000))
	}
	if week := v["week"]; week != 0 && r.iso == 'I' {
		weekday := 0
		if v["weekday"] != 0 {
			weekday = (v["weekday"] + 5) % 7
		}
		year, month, day = calendar.Civil(int64(isoYearStart(year) + (week-1)*7 + weekday - julian2000))
	} else if week != 0 {
		yearDay = (week-1)*7 + 1
	}
	if v["monthweek"] != 0 {
		v["day"] = (v["monthweek"]-1)*7 + 1
	}
	if v["day"] != 0 {
		day = v["day"]
	}
	if v["month"] != 0 {
		month = v["month"]
	}
	switch {
	case yearDay == 0 || month > 1 && day > 1:
	case year == 0 && v["bc"] == 0:
		return 0, sqlerr.New(sqlerr.InvalidDatetimeFormat, "cannot calculate day of year without year information")
	case r.iso == 'I':
		year, month, day = calendar.Civil(int64(isoYearStart(year) + yearDay - 1 - julian2000))
	default:
		y, m, d := calendar.Civil(int64(julianDay(year, 1, 1) + yearDay - 1 - julian2000))
		if y != year {
			return 0, errTimeField
		}
		if month <= 1 {
			month = m
		}
		if day <= 1 {
			day = d
		}
	}
	if month < 1 || month > 12 || day < 1 || day > calendar.DaysInMonth(year, month) {
		return 0, errTimeField
	}
	return julianDay(year, month, day) - julian2000, nil
}

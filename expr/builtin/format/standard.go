package format

import (
	"strings"

	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/datetime"
)

// standardSeparators may stand between the fields of a pattern of SQL/JSON.
const standardSeparators = "-./,':; "

var strictPatterns = &patternWords{words: timePatterns.words, longer: timePatterns.longer, time: true, strict: true}

// Moment is a value of the type that a pattern is for: date, time, timetz, timestamp or timestamptz.
type Moment struct {
	Value types.Value
	Type  types.T
	East  int // of timetz and timestamptz: the zone that the text names, in seconds east of UTC
}

// The parts of a moment that a pattern may ask for.
const (
	dated = 1 << iota
	timed
	zoned
)

// MomentPattern is a pattern of SQL/JSON's datetime().
type MomentPattern struct{ fields []pattern }

// NewMomentPattern takes a pattern apart.
func NewMomentPattern(c *expr.Context, format string) (MomentPattern, error) {
	fields, err := strictPatterns.parse(c, format)
	return MomentPattern{fields}, err
}

// Read reads a text by the pattern, which also decides the type: all of the text must be as all of the pattern says.
func (p MomentPattern) Read(c *expr.Context, text string) (m Moment, err error) {
	r := &timeReader{in: text, values: map[string]int{}, exact: true, strict: true}
	if len(p.fields) > 0 {
		err = r.read(c, p.fields)
	}
	if err != nil {
		return m, err
	}
	day, micros, err := r.moment()
	if err != nil {
		return m, err
	}
	m.East = r.east()
	switch partsOf(p.fields) {
	case dated | timed | zoned:
		return r.zonedMoment(m, day, micros)
	case dated | timed:
		m.Type = types.Timestamp
		local, err := r.timestamp(day, micros)
		m.Value = types.NewTimestamp(local)
		return m, err
	case dated | zoned:
		return m, sqlerr.New(sqlerr.InvalidDatetimeFormat, "datetime format is zoned but not timed")
	case dated:
		m.Type = types.Date
		m.Value, err = dateOf(day, text)
		return m, err
	case timed | zoned:
		m.Type, m.Value = types.Timetz, types.NewTimetz(r.rounds(micros), int32(-m.East))
		return m, nil
	case timed:
		m.Type, m.Value = types.Time, types.NewTime(r.rounds(micros))
		return m, nil
	}
	return m, sqlerr.New(sqlerr.InvalidDatetimeFormat, "datetime format is not dated and not timed")
}

func (r *timeReader) zonedMoment(m Moment, day int, micros int64) (Moment, error) {
	local, err := r.timestamp(day, micros)
	if err == nil {
		local, err = datetime.FixedZone(m.East).ToUTC(local)
	}
	if err != nil {
		return m, sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamptz out of range")
	}
	m.Type, m.Value = types.Timestamptz, types.NewTimestamp(local)
	return m, nil
}

// timedFields are the fields of the time of a day.
const timedFields = " A.M. AM P.M. PM HH HH12 HH24 MI SS MS US FF1 FF2 FF3 FF4 FF5 FF6 SSSS SSSSS "

// partsOf are the parts of a moment that some fields are about.
func partsOf(fields []pattern) (parts int) {
	for _, p := range fields {
		switch {
		case p.kind != patternField || p.key == "FX":
		case p.key == "TZH", p.key == "TZM":
			parts |= zoned
		case strings.Contains(timedFields, " "+p.key+" "):
			parts |= timed
		default:
			parts |= dated
		}
	}
	return parts
}

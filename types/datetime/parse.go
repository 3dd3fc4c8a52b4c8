package datetime

import (
	"errors"
	"strings"
	"time"

	"zproxy/sqlerr"
	"zproxy/types/calendar"
	"zproxy/types/form"
)

// What can be wrong with a date and time. Error turns them into SQL errors.
var (
	ErrFormat = errors.New("bad format")
	ErrField  = errors.New("field out of range")
	errOrder  = errors.New("month or day out of range") // maybe they changed places
	errOffset = errors.New("offset out of range")
)

// Error is the SQL error of what is wrong with the text of a type; any other error it leaves as it is.
func Error(err error, typ, s string) error {
	switch err {
	case ErrField, errOrder:
		e := sqlerr.New(sqlerr.DatetimeFieldOverflow, "date/time field value out of range: \"%s\"", s)
		if err == errOrder {
			return e.WithHint("Perhaps you need a different \"datestyle\" setting.")
		}
		return e
	case errOffset:
		return sqlerr.New(sqlerr.InvalidTimeZoneDisplacement, "time zone displacement out of range: \"%s\"", s)
	case ErrFormat:
		return sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid input syntax for type %s: \"%s\"", typ, s)
	}
	return err
}

// dateTime is a date and time as written, with the zone in which it is meant.
type dateTime struct {
	special              int
	year, month, day     int
	hour, minute, second int
	fraction             int64          // microseconds
	offset               int            // seconds east of UTC, when there is no location
	location             *time.Location // the zone, which may have to wait for the date
	abbreviation         string         // of an offset that the location had at some time
}

// days is the date's number.
func (d *dateTime) days() int64 { return calendar.Days(d.year, d.month, d.day) }

// local is the timestamp without its zone, or false when that is out of range by more
// than a zone could mend.
func (d *dateTime) local() (int64, bool) {
	days := d.days()
	if days < calendar.MinDays-1 || days > calendar.EndTimestamp/calendar.MicrosPerDay {
		return 0, false
	}
	seconds := int64(d.hour*3600 + d.minute*60 + d.second)
	return days*calendar.MicrosPerDay + seconds*calendar.MicrosPerSecond + d.fraction, true
}

// utc is the timestamp as a moment, or false when that is out of range.
func (d *dateTime) utc() (int64, bool) {
	local, ok := d.local()
	if !ok {
		return 0, false
	}
	offset := d.offsetOf(local)
	// calendar.EndTimestamp leaves room for any offset below the greatest int64.
	micros := local - offset*calendar.MicrosPerSecond
	return micros, calendar.Valid(micros)
}

// offsetOf is the seconds east of UTC at the local time.
func (d *dateTime) offsetOf(local int64) int64 {
	if d.location == nil {
		return int64(d.offset)
	}
	offset := OffsetOfLocal(local, d.location)
	if d.abbreviation == "" {
		return offset
	}
	at := time.Unix(unixSeconds(local)-offset, 0).In(d.location)
	return int64(offsetOfAbbreviation(at, d.abbreviation))
}

// offsetOfAbbreviation is the offset that an abbreviation last stood for in a time's
// zone, or else first will, or else the zone's own.
func offsetOfAbbreviation(at time.Time, name string) int {
	zone, own := at.Zone()
	for t := at; ; {
		if zone == name {
			_, offset := t.Zone()
			return offset
		}
		start, _ := t.ZoneBounds()
		if start.IsZero() {
			break
		}
		t = start.Add(-1)
		zone, _ = t.Zone()
	}
	for t := at; t.Year() < lastZoneYear; {
		_, end := t.ZoneBounds()
		if end.IsZero() {
			break
		}
		if zone, offset := end.Zone(); zone == name {
			return offset
		}
		t = end
	}
	return own
}

// lastZoneYear is after all changes that are not made by rule.
const lastZoneYear = 2038

// parseDateTime reads a date and time in any of PostgreSQL's formats.
func parseDateTime(s, typ string, session Session) (dateTime, error) {
	if d, ok := parseISO(s, session); ok {
		return d, nil
	}
	tokens, err := Scan(strings.ToLower(s))
	if err != nil {
		return dateTime{}, Error(err, typ, s)
	}
	d, err := decodeDateTime(tokens, session)
	if err != nil {
		return dateTime{}, Error(err, typ, s)
	}
	return d, nil
}

// parseISO reads the usual YYYY-MM-DD[ HH:MM[:SS[.ffffff]][Z|+HH[:MM]]] without a
// doubt in it, and leaves everything else to the general way.
func parseISO(s string, session Session) (d dateTime, ok bool) {
	if len(s) < 10 || s[4] != '-' || s[7] != '-' {
		return d, false
	}
	d.location = session.location()
	d.year, d.month, d.day = fixedDigits(s[:4]), fixedDigits(s[5:7]), fixedDigits(s[8:10])
	if d.year < 1 || d.month < 1 || d.month > 12 || d.day < 1 || d.day > calendar.DaysInMonth(d.year, d.month) {
		return d, false
	}
	if len(s) == 10 {
		return d, true
	}
	if len(s) < 16 || s[10] != ' ' && s[10] != 'T' || s[13] != ':' {
		return d, false
	}
	d.hour, d.minute = fixedDigits(s[11:13]), fixedDigits(s[14:16])
	rest := s[16:]
	if len(rest) >= 3 && rest[0] == ':' {
		d.second = fixedDigits(rest[1:3])
		d.fraction, rest = isoFraction(rest[3:])
	}
	if d.hour < 0 || d.hour > 23 || d.minute < 0 || d.minute > 59 || d.second < 0 || d.second > 59 {
		return d, false
	}
	return isoZone(d, rest)
}

// isoFraction reads up to six digits behind a point.
func isoFraction(s string) (micros int64, rest string) {
	if len(s) < 2 || s[0] != '.' {
		return 0, s
	}
	i, unit := 1, int64(100_000)
	for ; i < len(s) && unit > 0 && form.IsDigit(s[i]); i++ {
		micros += int64(s[i]-'0') * unit
		unit /= 10
	}
	return micros, s[i:]
}

func isoZone(d dateTime, s string) (dateTime, bool) {
	switch {
	case s == "":
		return d, true
	case s == "Z" || s == "+00":
		d.offset, d.location = 0, nil
		return d, true
	case len(s) != 3 && (len(s) != 6 || s[3] != ':') || s[0] != '+' && s[0] != '-':
		return d, false
	}
	hours, minutes := fixedDigits(s[1:3]), 0
	if len(s) == 6 {
		minutes = fixedDigits(s[4:6])
	}
	if hours < 0 || hours > 15 || minutes < 0 || minutes > 59 {
		return d, false
	}
	d.offset, d.location = hours*3600+minutes*60, nil
	if s[0] == '-' {
		d.offset = -d.offset
	}
	return d, true
}

// fixedDigits is the number that s is, or -1 when a character is not a digit.
func fixedDigits(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if !form.IsDigit(s[i]) {
			return -1
		}
		n = n*10 + int(s[i]-'0')
	}
	return n
}

// ParseDate reads a date, as days since 2000.
func ParseDate(s string, session Session) (int32, error) {
	d, err := parseDateTime(s, "date", session)
	if err != nil {
		return 0, err
	}
	switch d.special {
	case specialInfinity:
		return calendar.DateInfinity, nil
	case specialNegInfinity:
		return calendar.DateNegInfinity, nil
	}
	days := d.days()
	if !calendar.ValidDate(days) {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "date out of range: \"%s\"", s)
	}
	return int32(days), nil
}

// ParseTimestamp reads a timestamp without time zone.
func ParseTimestamp(s string, session Session) (int64, error) {
	d, err := parseDateTime(s, "timestamp", session)
	if err != nil {
		return 0, err
	}
	micros, ok := d.local()
	return timestampOrInfinity(d.special, micros, ok && calendar.Valid(micros), s)
}

// ParseTimestamptz reads a timestamp with time zone.
func ParseTimestamptz(s string, session Session) (int64, error) {
	d, err := parseDateTime(s, "timestamp with time zone", session)
	if err != nil {
		return 0, err
	}
	micros, ok := d.utc()
	return timestampOrInfinity(d.special, micros, ok, s)
}

func timestampOrInfinity(special int, micros int64, ok bool, s string) (int64, error) {
	switch {
	case special == specialInfinity:
		return calendar.Infinity, nil
	case special == specialNegInfinity:
		return calendar.NegInfinity, nil
	case !ok:
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamp out of range: \"%s\"", s)
	}
	return micros, nil
}

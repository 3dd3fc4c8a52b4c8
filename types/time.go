package types

import (
	"strings"
	"time"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

func appendTime(dst []byte, v Value, _ *Env) []byte { return appendClock(dst, v.Micros()) }

func appendTimetz(dst []byte, v Value, _ *Env) []byte {
	return appendOffset(appendClock(dst, v.Micros()), -int(v.West()))
}

// UTCOfTimetz is the microseconds of a timetz in UTC, by which it compares before its zone
// does.
func UTCOfTimetz(v Value) int64 { return v.Micros() + int64(v.West())*microsPerSecond }

func parseTime(s string, env *Env) (Value, error) {
	d, err := parseClock(s, "time", env)
	return NewTime(d.micros()), err
}

func parseTimetz(s string, env *Env) (Value, error) {
	d, err := parseClock(s, "time with time zone", env)
	return NewTimetz(d.micros(), int32(-d.offset)), err
}

// micros is the time of the day.
func (d *dateTime) micros() int64 {
	return int64(d.hour*3600+d.minute*60+d.second)*microsPerSecond + d.fraction
}

// parseClock reads a time without or with a date, which only counts for the zone.
func parseClock(s, typ string, env *Env) (dateTime, error) {
	tokens, err := scanDateTime(strings.ToLower(s))
	if err != nil {
		return dateTime{}, dateTimeError(err, typ, s)
	}
	d := clockDecoder{decoder{env: env}, tokens}
	if err := d.decode(); err != nil {
		return dateTime{}, dateTimeError(err, typ, s)
	}
	return d.dateTime, nil
}

// clockDecoder is a decoder for whom every number is a time.
type clockDecoder struct {
	decoder
	tokens []token
}

func (d *clockDecoder) decode() error {
	for i := range d.tokens {
		fields, err := d.clockToken(i)
		if err != nil {
			return err
		}
		if fields&d.known != 0 {
			return errDateFormat
		}
		d.known |= fields
	}
	if err := d.finishClock(); err != nil {
		return err
	}
	return d.resolveZone()
}

func (d *clockDecoder) clockToken(i int) (fieldSet, error) {
	t, last := d.tokens[i], d.tokens[len(d.tokens)-1]
	withDate := i == 0 && len(d.tokens) > 1
	switch t.kind {
	case tokenDate:
		if withDate && (last.kind == tokenDate || d.tokens[1].kind == tokenTime) {
			return d.date(t.text)
		}
		return d.zoneOrCompactTime(t.text, d.known|fieldsDate)
	case tokenTime:
		if d.prefix != prefixNone && d.prefix != prefixTime {
			return 0, errDateFormat
		}
		d.prefix = prefixNone
		return fieldClock, d.clock(t.text)
	case tokenOffset:
		return fieldZone, d.setOffset(t.text)
	case tokenNumber:
		point := strings.IndexByte(t.text, '.')
		switch {
		case d.prefix != prefixNone:
			return d.prefixed(t.text)
		case point >= 0 && withDate && last.kind == tokenDate:
			return d.date(t.text)
		case point >= 0 && point <= 2:
			return 0, errDateFormat
		}
		return d.runTogether(t.text, d.known|fieldsDate)
	}
	return d.clockWord(t.text, d.tokens[i+1:])
}

// clockWord knows only those words that say nothing of a date.
func (d *clockDecoder) clockWord(s string, rest []token) (fieldSet, error) {
	word, found := dateWords[s]
	switch {
	case !found || word.kind != wordSpecial:
	case word.value == specialNow:
		_, err := d.specialWord(specialNow)
		return fieldClock, err
	case word.value != specialZulu:
		return 0, errDateFormat
	}
	if found && (word.kind == wordMonth || word.kind == wordWeekday) {
		return 0, errDateFormat
	}
	if found && word.kind == wordPrefix && word.value == prefixTime {
		if len(rest) == 0 || !mayBeTime(rest[0].kind) {
			return 0, errDateFormat
		}
		d.prefix = prefixTime
		return 0, nil
	}
	return d.word(s, rest)
}

func (d *clockDecoder) finishClock() error {
	if err := d.finishDate(); err != nil {
		return err
	}
	if err := d.finishMeridian(); err != nil {
		return err
	}
	if err := d.checkClock(); err != nil {
		return err
	}
	if d.known&fieldClock == 0 {
		return errDateFormat
	}
	return nil
}

// resolveZone settles the offset: of a zone on the date that is given, of an
// abbreviation or the session's zone without one on the present day.
func (d *clockDecoder) resolveZone() error {
	noDate := d.known&fieldsDate == 0
	switch {
	case d.known&fieldZone == 0:
		if d.known&fieldDST != 0 {
			return errDateFormat
		}
		d.location = d.env.location()
	case d.location == nil:
		return nil
	case d.known&fieldDST != 0:
		return errDateFormat
	case noDate && d.abbreviation == "":
		offset, fixed := fixedOffset(d.location)
		if !fixed {
			return errDateFormat
		}
		d.offset = offset
		return nil
	}
	if !noDate && d.known&fieldsDate != fieldsDate {
		return errDateFormat
	}
	if noDate {
		year, month, day := d.env.now().In(d.env.location()).Date()
		d.year, d.month, d.day = year, int(month), day
	}
	if local, ok := d.local(); ok {
		d.offset = int(d.offsetOf(local))
	}
	return nil
}

// fixedOffset is the offset of a zone that never changes it.
func fixedOffset(loc *time.Location) (seconds int, fixed bool) {
	t := time.Unix(0, 0).In(loc)
	start, end := t.ZoneBounds()
	_, seconds = t.Zone()
	return seconds, start.IsZero() && end.IsZero()
}

func roundTime(v Value, mod int32, _ bool, _ *Env) (Value, error) {
	return NewTime(roundDigits(v.Micros(), min(mod, 6))), nil
}

func roundTimetz(v Value, mod int32, _ bool, _ *Env) (Value, error) {
	return NewTimetz(roundDigits(v.Micros(), min(mod, 6)), v.West()), nil
}

func appendBinaryTimetz(dst []byte, v Value) []byte {
	return appendBinaryInt4(appendBinaryInt8(dst, v), NewInt(int64(v.West())))
}

// maxWest is the first offset that no zone has.
const maxWest = 16 * 3600

func checkTime(micros int64) error {
	if micros < 0 || micros > microsPerDay {
		return sqlerr.New(sqlerr.DatetimeFieldOverflow, "time out of range")
	}
	return nil
}

func parseBinaryTime(p []byte) (Value, error) {
	v, err := parseBinaryInt8(p)
	if err != nil {
		return Null, err
	}
	return NewTime(v.Int()), checkTime(v.Int())
}

func parseBinaryTimetz(p []byte) (Value, error) {
	if err := form.CheckLength(p, 12); err != nil {
		return Null, err
	}
	micros, west := int64(bigEndian(p[:8])), int32(uint32(bigEndian(p[4:])))
	if err := checkTime(micros); err != nil {
		return Null, err
	}
	if west <= -maxWest || west >= maxWest {
		return Null, sqlerr.New(sqlerr.InvalidTimeZoneDisplacement, "time zone displacement out of range")
	}
	return NewTimetz(micros, west), nil
}

func appendBinaryInterval(dst []byte, v Value) []byte {
	months, days, micros := v.Interval()
	dst = appendBinaryInt8(dst, NewInt(micros))
	return appendBinaryInt4(appendBinaryInt4(dst, NewInt(int64(days))), NewInt(int64(months)))
}

func parseBinaryInterval(p []byte) (Value, error) {
	if err := form.CheckLength(p, 16); err != nil {
		return Null, err
	}
	low := bigEndian(p[8:])
	return NewInterval(int32(uint32(low)), int32(uint32(low>>32)), int64(bigEndian(p[:8]))), nil
}

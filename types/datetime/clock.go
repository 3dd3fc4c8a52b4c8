package datetime

import (
	"strings"
	"time"

	"zproxy/types/calendar"
)

// micros is the time of the day.
func (d *dateTime) micros() int64 {
	return int64(d.hour*3600+d.minute*60+d.second)*calendar.MicrosPerSecond + d.fraction
}

// parseClock reads a time without or with a date, which only counts for the zone.
func parseClock(s, typ string, session Session) (dateTime, error) {
	tokens, err := Scan(strings.ToLower(s))
	if err != nil {
		return dateTime{}, Error(err, typ, s)
	}
	d := clockDecoder{decoder{session: session}, tokens}
	if err := d.decode(); err != nil {
		return dateTime{}, Error(err, typ, s)
	}
	return d.dateTime, nil
}

// clockDecoder is a decoder for whom every number is a time.
type clockDecoder struct {
	decoder
	tokens []Token
}

func (d *clockDecoder) decode() error {
	for i := range d.tokens {
		fields, err := d.clockToken(i)
		if err != nil {
			return err
		}
		if fields&d.known != 0 {
			return ErrFormat
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
	switch t.Kind {
	case TokenDate:
		if withDate && (last.Kind == TokenDate || d.tokens[1].Kind == TokenTime) {
			return d.date(t.Text)
		}
		return d.zoneOrCompactTime(t.Text, d.known|fieldsDate)
	case TokenTime:
		if d.prefix != prefixNone && d.prefix != prefixTime {
			return 0, ErrFormat
		}
		d.prefix = prefixNone
		return fieldClock, d.clock(t.Text)
	case TokenOffset:
		return fieldZone, d.setOffset(t.Text)
	case TokenNumber:
		point := strings.IndexByte(t.Text, '.')
		switch {
		case d.prefix != prefixNone:
			return d.prefixed(t.Text)
		case point >= 0 && withDate && last.Kind == TokenDate:
			return d.date(t.Text)
		case point >= 0 && point <= 2:
			return 0, ErrFormat
		}
		return d.runTogether(t.Text, d.known|fieldsDate)
	}
	return d.clockWord(t.Text, d.tokens[i+1:])
}

// clockWord knows only those words that say nothing of a date.
func (d *clockDecoder) clockWord(s string, rest []Token) (fieldSet, error) {
	word, found := dateWords[s]
	switch {
	case !found || word.kind != wordSpecial:
	case word.value == specialNow:
		_, err := d.specialWord(specialNow)
		return fieldClock, err
	case word.value != specialZulu:
		return 0, ErrFormat
	}
	if found && (word.kind == wordMonth || word.kind == wordWeekday) {
		return 0, ErrFormat
	}
	if found && word.kind == wordPrefix && word.value == prefixTime {
		if len(rest) == 0 || !mayBeTime(rest[0].Kind) {
			return 0, ErrFormat
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
		return ErrFormat
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
			return ErrFormat
		}
		d.location = d.session.location()
	case d.location == nil:
		return nil
	case d.known&fieldDST != 0:
		return ErrFormat
	case noDate && d.abbreviation == "":
		offset, fixed := fixedOffset(d.location)
		if !fixed {
			return ErrFormat
		}
		d.offset = offset
		return nil
	}
	if !noDate && d.known&fieldsDate != fieldsDate {
		return ErrFormat
	}
	if noDate {
		year, month, day := d.session.now().In(d.session.location()).Date()
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

// ParseTime reads a time of day.
func ParseTime(s string, session Session) (int64, error) {
	d, err := parseClock(s, "time", session)
	return d.micros(), err
}

// ParseTimetz reads a time of day with a zone, in seconds west of UTC.
func ParseTimetz(s string, session Session) (micros int64, west int32, err error) {
	d, err := parseClock(s, "time with time zone", session)
	return d.micros(), int32(-d.offset), err
}

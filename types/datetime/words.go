package datetime

import "strings"

// wordKind says what a word in a date and time means.
type wordKind uint8

const (
	wordIgnored wordKind = iota
	wordMonth            // value: 1 to 12
	wordWeekday
	wordMeridian // value: am or pm
	wordEra      // value: 1 for BC
	wordSpecial  // value: one of the specials
	wordPrefix   // value: what the number behind it is
	wordDST      // shifts the zone before it by an hour
)

// The values of words.
const (
	meridianNone = iota
	meridianAM
	meridianPM
)

const (
	specialNone = iota
	specialEpoch
	specialInfinity
	specialNegInfinity
	specialNow
	specialToday
	specialTomorrow
	specialYesterday
	specialZulu
)

const (
	prefixNone = iota
	prefixJulian
	prefixTime
)

type dateWord struct {
	kind  wordKind
	value int
}

// dateWords are the words that are neither zones nor their abbreviations.
var dateWords = map[string]dateWord{
	"at": {wordIgnored, 0}, "on": {wordIgnored, 0},
	"jan": {wordMonth, 1}, "january": {wordMonth, 1},
	"feb": {wordMonth, 2}, "february": {wordMonth, 2},
	"mar": {wordMonth, 3}, "march": {wordMonth, 3},
	"apr": {wordMonth, 4}, "april": {wordMonth, 4},
	"may": {wordMonth, 5},
	"jun": {wordMonth, 6}, "june": {wordMonth, 6},
	"jul": {wordMonth, 7}, "july": {wordMonth, 7},
	"aug": {wordMonth, 8}, "august": {wordMonth, 8},
	"sep": {wordMonth, 9}, "sept": {wordMonth, 9}, "september": {wordMonth, 9},
	"oct": {wordMonth, 10}, "october": {wordMonth, 10},
	"nov": {wordMonth, 11}, "november": {wordMonth, 11},
	"dec": {wordMonth, 12}, "december": {wordMonth, 12},
	"sun": {wordWeekday, 0}, "sunday": {wordWeekday, 0},
	"mon": {wordWeekday, 1}, "monday": {wordWeekday, 1},
	"tue": {wordWeekday, 2}, "tues": {wordWeekday, 2}, "tuesday": {wordWeekday, 2},
	"wed": {wordWeekday, 3}, "weds": {wordWeekday, 3}, "wednesday": {wordWeekday, 3},
	"thu": {wordWeekday, 4}, "thur": {wordWeekday, 4}, "thurs": {wordWeekday, 4}, "thursday": {wordWeekday, 4},
	"fri": {wordWeekday, 5}, "friday": {wordWeekday, 5},
	"sat": {wordWeekday, 6}, "saturday": {wordWeekday, 6},
	"am": {wordMeridian, meridianAM}, "pm": {wordMeridian, meridianPM},
	"ad": {wordEra, 0}, "bc": {wordEra, 1},
	"epoch": {wordSpecial, specialEpoch}, "infinity": {wordSpecial, specialInfinity},
	"-infinity": {wordSpecial, specialNegInfinity}, "now": {wordSpecial, specialNow},
	"today": {wordSpecial, specialToday}, "tomorrow": {wordSpecial, specialTomorrow},
	"yesterday": {wordSpecial, specialYesterday}, "allballs": {wordSpecial, specialZulu},
	"j": {wordPrefix, prefixJulian}, "jd": {wordPrefix, prefixJulian}, "julian": {wordPrefix, prefixJulian},
	"t": {wordPrefix, prefixTime}, "dst": {wordDST, 0},
}

func (d *decoder) word(s string, rest []Token) (fieldSet, error) {
	word, found := dateWords[s]
	if !found {
		return d.zoneWord(s)
	}
	switch word.kind {
	case wordMonth:
		return d.monthWord(word.value), nil
	case wordWeekday:
		return fieldWeekday, nil
	case wordMeridian:
		d.meridian = word.value
		return fieldMeridian, nil
	case wordEra:
		d.bc = word.value == 1
		return fieldEra, nil
	case wordSpecial:
		return d.specialWord(word.value)
	case wordPrefix:
		if word.value == prefixTime && !(d.known&fieldsDate == fieldsDate && len(rest) > 0 && mayBeTime(rest[0].Kind)) {
			return 0, ErrFormat
		}
		d.prefix = word.value
		return 0, nil
	case wordDST:
		d.offset += 3600
		return fieldDST, nil
	}
	return 0, nil
}

func mayBeTime(kind TokenKind) bool {
	return kind == TokenNumber || kind == TokenTime || kind == TokenDate
}

// monthWord takes the name of a month; a number that passed for the month before it was
// the day.
func (d *decoder) monthWord(month int) fieldSet {
	fields := fieldMonth
	if d.known&fieldMonth != 0 && !d.textMonth && d.known&fieldDay == 0 && d.month >= 1 && d.month <= 31 {
		d.day = d.month
		fields = fieldDay
	}
	d.month, d.textMonth = month, true
	return fields
}

// specialWord takes a word that is a time of its own. The last one of such words counts.
func (d *decoder) specialWord(value int) (fieldSet, error) {
	d.special = specialNone
	switch value {
	case specialZulu:
		d.hour, d.minute, d.second, d.offset = 0, 0, 0, 0
		return fieldClock | fieldZone, nil
	case specialEpoch, specialInfinity, specialNegInfinity:
		d.special = value
		return fieldSpecial, nil
	}
	now := d.session.now().In(d.session.location())
	switch value {
	case specialNow:
		d.hour, d.minute, d.second = now.Clock()
		d.fraction = int64(now.Nanosecond() / 1000)
		_, d.offset = now.Zone()
	case specialTomorrow:
		now = now.AddDate(0, 0, 1)
	case specialYesterday:
		now = now.AddDate(0, 0, -1)
	}
	year, month, day := now.Date()
	d.year, d.month, d.day = year, int(month), day
	if value == specialNow {
		return fieldsDate | fieldClock | fieldZone, nil
	}
	return fieldsDate, nil
}

// zoneWord takes a word as the abbreviation of a time zone or as its name.
func (d *decoder) zoneWord(s string) (fieldSet, error) {
	if abbr, found := abbreviations()[s]; found {
		if abbr.location == "" {
			d.offset = abbr.offset
			if abbr.dst {
				return fieldZone | fieldDST, nil
			}
			return fieldZone, nil
		}
		s, d.abbreviation = abbr.location, strings.ToUpper(s)
	}
	loc, err := LoadLocation(s)
	if err != nil {
		return 0, ErrFormat
	}
	d.location = loc
	return fieldZone, nil
}

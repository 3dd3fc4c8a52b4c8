package datetime

import (
	"math"
	"strconv"
	"strings"

	"zproxy/types/calendar"
	"zproxy/types/datestyle"
	"zproxy/types/form"
)

// fieldSet is which fields of a date and time are known already; none may come twice.
type fieldSet uint16

const (
	fieldYear fieldSet = 1 << iota
	fieldMonth
	fieldDay
	fieldYearDay
	fieldClock
	fieldZone
	fieldDST
	fieldWeekday
	fieldMeridian
	fieldEra
	fieldSpecial

	fieldsDate = fieldYear | fieldMonth | fieldDay
)

// decoder gives tokens their meaning from left to right, each by what is known before.
type decoder struct {
	dateTime
	session   Session
	known     fieldSet
	textMonth bool // the month came as a word
	shortYear bool // the year has one or two digits
	julian    bool
	bc        bool
	meridian  int
	prefix    int // what the next number is
	yearDay   int
}

func decodeDateTime(tokens []Token, session Session) (dateTime, error) {
	d := decoder{session: session}
	for i, t := range tokens {
		fields, err := d.token(t, tokens[i+1:])
		if err != nil {
			return dateTime{}, err
		}
		if fields&d.known != 0 {
			return dateTime{}, ErrFormat
		}
		d.known |= fields
	}
	if d.prefix != prefixNone {
		return dateTime{}, ErrFormat
	}
	err := d.finish()
	return d.dateTime, err
}

func (d *decoder) token(t Token, rest []Token) (fieldSet, error) {
	switch t.Kind {
	case TokenDate:
		if d.prefix != prefixNone || d.known&(fieldMonth|fieldDay) == fieldMonth|fieldDay {
			return d.zoneOrCompactTime(t.Text, d.known)
		}
		return d.date(t.Text)
	case TokenTime:
		if d.prefix != prefixNone && d.prefix != prefixTime {
			return 0, ErrFormat
		}
		d.prefix = prefixNone
		return fieldClock, d.clock(t.Text)
	case TokenOffset:
		return fieldZone, d.setOffset(t.Text)
	case TokenNumber:
		if d.prefix != prefixNone {
			return d.prefixed(t.Text)
		}
		return d.number(t.Text)
	default:
		return d.word(t.Text, rest)
	}
}

// zoneOrCompactTime reads what looks like a date when there is a date already: the name
// of a time zone, or hhmmss with an offset behind it.
func (d *decoder) zoneOrCompactTime(s string, known fieldSet) (fieldSet, error) {
	if !form.IsDigit(s[0]) && d.prefix == prefixNone {
		loc, err := LoadLocation(s)
		d.location = loc
		return fieldZone, err
	}
	dash := strings.IndexByte(s, '-')
	if dash < 0 || d.prefix == prefixJulian || d.known&fieldClock != 0 {
		return 0, ErrFormat
	}
	d.prefix = prefixNone
	if err := d.setOffset(s[dash:]); err != nil {
		return 0, err
	}
	fields, err := d.runTogether(s[:dash], known)
	return fields | fieldZone, err
}

// date reads groups of digits and words that delimiters join.
func (d *decoder) date(s string) (fieldSet, error) {
	groups, err := splitDate(s)
	if err != nil {
		return 0, err
	}
	before, numbers := d.known, groups[:0]
	for _, group := range groups { // words first: they cannot be misunderstood
		if form.IsDigit(group[0]) {
			numbers = append(numbers, group)
			continue
		}
		word, found := dateWords[group]
		if found && word.kind == wordIgnored {
			continue
		}
		if !found || word.kind != wordMonth || d.known&fieldMonth != 0 {
			return 0, ErrFormat
		}
		d.month, d.textMonth = word.value, true
		d.known |= fieldMonth
	}
	for _, group := range numbers {
		fields, err := d.dateNumber(group)
		if err != nil {
			return 0, err
		}
		if fields&d.known != 0 {
			return 0, ErrFormat
		}
		d.known |= fields
	}
	if d.known&^(fieldYearDay|fieldZone) != fieldsDate {
		return 0, ErrFormat
	}
	fields := d.known &^ before
	d.known = before
	return fields, nil
}

// splitDate splits a date into its groups of digits and of letters.
func splitDate(s string) (groups []string, err error) {
	for s != "" {
		s = s[form.SpanWhile(s, isPunctuation):]
		if s == "" {
			return nil, ErrFormat
		}
		is := form.IsLetter
		if form.IsDigit(s[0]) {
			is = form.IsDigit
		}
		n := form.SpanWhile(s, is)
		groups = append(groups, s[:n])
		s = s[min(n+1, len(s)):]
	}
	return groups, nil
}

// number reads a number that stands alone.
func (d *decoder) number(s string) (fieldSet, error) {
	point := strings.IndexByte(s, '.')
	haveDate := d.known&fieldsDate != 0
	switch {
	case point >= 0 && !haveDate:
		return d.date(s)
	case point > 2, len(s) >= 6 && (!haveDate || d.known&fieldClock == 0):
		return d.runTogether(s, d.known)
	}
	return d.dateNumber(s)
}

// dateNumber takes a number as the field of a date that its length and the fields
// before it make likely, in the order of the session.
func (d *decoder) dateNumber(s string) (fieldSet, error) {
	whole := form.LeadingDigits(s)
	n, err := strconv.ParseInt(whole, 10, 32)
	switch {
	case whole == "":
		return 0, ErrFormat
	case err != nil:
		return 0, ErrField
	case len(whole) < len(s) && len(whole) > 2:
		return d.runTogether(s, d.known|fieldsDate)
	case len(whole) < len(s):
		if d.fraction, err = ParseFraction(s[len(whole):]); err != nil {
			return 0, err
		}
	}
	value := int(n)
	if len(s) == 3 && d.known&fieldsDate == fieldYear && 1 <= value && value <= 366 {
		d.yearDay = value
		return fieldYearDay | fieldMonth | fieldDay, nil
	}
	return d.assign(value, s)
}

// assign stores a number as year, month or day.
func (d *decoder) assign(value int, s string) (fieldSet, error) {
	long := len(s) >= 3
	yearFirst := long || d.session.Order == datestyle.YMD
	switch known := d.known & fieldsDate; {
	case known == fieldsDate:
		return d.runTogether(s, d.known)
	case known == fieldYear|fieldMonth && d.textMonth && long && d.shortYear:
		d.day, d.year, d.shortYear = d.year, value, false // the first number was the day
		return fieldDay, nil
	case known == 0 && !yearFirst && d.session.Order == datestyle.MDY, known == fieldYear, known == fieldDay:
		d.month = value
		return fieldMonth, nil
	case known == 0 && !yearFirst, known == fieldMonth && !(d.textMonth && yearFirst), known == fieldYear|fieldMonth:
		d.day = value
		return fieldDay, nil
	case known == fieldYear|fieldDay:
		return 0, ErrFormat
	}
	d.year, d.shortYear = value, len(s) <= 2
	return fieldYear, nil
}

// runTogether reads yymmdd, hhmmss or hhmm, maybe with a fraction of a second.
func (d *decoder) runTogether(s string, known fieldSet) (fieldSet, error) {
	if whole, fraction, found := strings.Cut(s, "."); found {
		var err error
		if d.fraction, err = ParseFraction("." + fraction); err != nil {
			return 0, err
		}
		s = whole
	} else if known&fieldsDate != fieldsDate && len(s) >= 6 {
		year, err := strconv.ParseInt(s[:len(s)-4], 10, 32)
		if err != nil {
			return 0, ErrField
		}
		d.year, d.month, d.day = int(year), fixedDigits(s[len(s)-4:len(s)-2]), fixedDigits(s[len(s)-2:])
		d.shortYear = len(s) == 6
		return fieldsDate, nil
	}
	if known&fieldClock != 0 || len(s) != 6 && len(s) != 4 {
		return 0, ErrFormat
	}
	d.hour, d.minute, d.second = fixedDigits(s[:2]), fixedDigits(s[2:4]), 0
	if len(s) == 6 {
		d.second = fixedDigits(s[4:])
	}
	return fieldClock, nil
}

// prefixed reads a number after J (a Julian day) or T (hhmmss).
func (d *decoder) prefixed(s string) (fieldSet, error) {
	prefix := d.prefix
	d.prefix = prefixNone
	whole := form.LeadingDigits(s)
	n, err := strconv.ParseInt(whole, 10, 32)
	if err != nil {
		return 0, ErrField
	}
	if prefix == prefixTime {
		fields, err := d.runTogether(s, d.known|fieldsDate)
		if err == nil && fields != fieldClock {
			err = ErrFormat
		}
		return fields, err
	}
	d.julian, d.special = true, specialNone
	d.year, d.month, d.day = calendar.Civil(n + calendar.MinDays)
	if whole == s {
		return fieldsDate, nil
	}
	part, err := strconv.ParseFloat(s[len(whole):], 64)
	if err != nil {
		return 0, ErrFormat
	}
	micros := int64(part * calendar.MicrosPerDay)
	d.hour, d.minute = int(micros/(3600*calendar.MicrosPerSecond)), int(micros/(60*calendar.MicrosPerSecond))%60
	d.second, d.fraction = int(micros/calendar.MicrosPerSecond)%60, micros%calendar.MicrosPerSecond
	return fieldsDate | fieldClock, nil
}

// clock reads HH:MM[:SS[.fff]] or MM:SS.fff.
func (d *decoder) clock(s string) error {
	var parts [3]int
	n := 0
	for ; n < 3; n++ {
		digits := form.LeadingDigits(s)
		value, err := strconv.ParseInt("0"+digits, 10, 32)
		if err != nil {
			return ErrField
		}
		parts[n], s = int(value), s[len(digits):]
		if !strings.HasPrefix(s, ":") {
			n++
			break
		}
		if n == 2 {
			return ErrFormat
		}
		s = s[1:]
	}
	d.fraction = 0
	if s != "" {
		var err error
		if d.fraction, err = ParseFraction(s); err != nil {
			return err
		}
		if n == 2 {
			parts = [3]int{0, parts[0], parts[1]}
		}
	}
	d.hour, d.minute, d.second = parts[0], parts[1], parts[2]
	return d.checkClock()
}

// checkClock accepts 24:00:00 and the leap second 60, but nothing beyond them.
func (d *decoder) checkClock() error {
	total := int64(d.hour*3600+d.minute*60+d.second)*calendar.MicrosPerSecond + d.fraction
	if d.hour > 24 || d.minute > 59 || d.second > 60 || total > calendar.MicrosPerDay {
		return ErrField
	}
	return nil
}

// ParseFraction rounds a fraction of a second to microseconds as C's rint does.
func ParseFraction(s string) (int64, error) {
	if s == "." {
		return 0, nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, ErrFormat
	}
	return int64(math.RoundToEven(f * calendar.MicrosPerSecond)), nil
}

// setOffset reads +HH, +HHMM, +HH:MM and +HH:MM:SS.
func (d *decoder) setOffset(s string) error {
	var parts [3]int
	rest := s[1:]
	for i := range parts {
		digits := form.LeadingDigits(rest)
		n, err := strconv.ParseInt("0"+digits, 10, 32)
		if err != nil {
			return errOffset
		}
		if rest = rest[len(digits):]; i == 0 && rest == "" && len(digits) > 2 {
			parts[0], parts[1] = int(n/100), int(n%100)
			break
		}
		parts[i] = int(n)
		if i == 2 || !strings.HasPrefix(rest, ":") {
			break
		}
		rest = rest[1:]
	}
	switch {
	case parts[0] > 15 || parts[1] > 59 || parts[2] > 59:
		return errOffset
	case rest != "":
		return ErrFormat
	}
	d.offset = parts[0]*3600 + parts[1]*60 + parts[2]
	if s[0] == '-' {
		d.offset = -d.offset
	}
	return nil
}

// finish checks the fields together and settles what depends on several of them.
func (d *decoder) finish() error {
	if err := d.finishDate(); err != nil {
		return err
	}
	if err := d.finishMeridian(); err != nil {
		return err
	}
	switch {
	case d.special != specialNone: // whatever else there is does not count
		d.dateTime = dateTime{special: d.special, year: 1970, month: 1, day: 1}
		return nil
	case d.known&fieldsDate != fieldsDate:
		return ErrFormat
	case d.known&fieldDST != 0 && (d.location != nil || d.known&fieldZone == 0):
		return ErrFormat
	}
	if d.known&fieldZone == 0 {
		d.location = d.session.location()
	}
	return nil
}

func (d *decoder) finishMeridian() error {
	if d.meridian == meridianNone {
		return nil
	}
	if d.hour > 12 {
		return ErrField
	}
	d.hour %= 12
	if d.meridian == meridianPM {
		d.hour += 12
	}
	return nil
}

func (d *decoder) finishDate() error {
	switch {
	case d.known&fieldYear == 0, d.julian:
	case d.bc:
		if d.year <= 0 {
			return ErrField
		}
		d.year = 1 - d.year
	case d.shortYear && d.year < 70:
		d.year += 2000
	case d.shortYear && d.year < 100:
		d.year += 1900
	case d.year <= 0:
		return ErrField
	}
	if d.known&fieldYearDay != 0 {
		d.year, d.month, d.day = calendar.Civil(calendar.Days(d.year, 1, 1) + int64(d.yearDay) - 1)
	}
	switch {
	case d.known&fieldMonth != 0 && (d.month < 1 || d.month > 12),
		d.known&fieldDay != 0 && (d.day < 1 || d.day > 31):
		return errOrder
	case d.known&fieldsDate == fieldsDate && d.day > calendar.DaysInMonth(d.year, d.month):
		return ErrField
	}
	return nil
}

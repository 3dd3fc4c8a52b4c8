package interval

import (
	"math"
	"strconv"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/calendar"
	"zproxy/types/datetime"
	"zproxy/types/form"
)

// errField says that a field of an interval is too large.
var errField = sqlerr.New(sqlerr.IntervalFieldOverflow, "interval field value out of range")

// unitSizes are the units that an interval may have, each in months, days or
// microseconds.
var unitSizes = map[string]unitSize{
	"microsecond": {micros: 1},
	"millisecond": {micros: 1000},
	"second":      {micros: calendar.MicrosPerSecond},
	"minute":      {micros: calendar.MicrosPerMinute},
	"hour":        {micros: calendar.MicrosPerHour},
	"day":         {days: 1},
	"week":        {days: 7},
	"month":       {months: 1},
	"year":        {months: 12},
	"decade":      {months: 120},
	"century":     {months: 1200},
	"millennium":  {months: 12000},
}

type unitSize struct{ months, days, micros int64 }

// span is an interval while it is read: years are apart from months, so that each may
// overflow for itself.
type span struct{ years, months, days, micros int64 }

// add adds a number of units. The fraction of a year goes to the months, that of a
// month, a week or a day to the days and the time.
func (s *span) add(whole int64, fraction float64, u unitSize) bool {
	switch {
	case u.micros != 0:
		product, ok := calendar.Mul(whole, u.micros)
		sum, ok2 := calendar.Add(s.micros, product)
		s.micros = sum
		return ok && ok2 && s.addFraction(fraction, u.micros)
	case u.days == 1:
		return addTo(&s.days, whole, 1) && s.addFraction(fraction, calendar.MicrosPerDay)
	case u.days != 0:
		return addTo(&s.days, whole, u.days) && s.addDays(fraction, u.days)
	case u.months == 1:
		return addTo(&s.months, whole, 1) && s.addDays(fraction, calendar.DaysPerMonth)
	default:
		return addTo(&s.years, whole, u.months/calendar.MonthsPerYear) &&
			addTo(&s.months, int64(math.RoundToEven(fraction*float64(u.months))), 1)
	}
}

// addTo adds to a field of 32 bits.
func addTo(field *int64, n, scale int64) bool {
	if !fitsInt32(n) || !fitsInt32(n*scale) {
		return false
	}
	*field += n * scale
	return fitsInt32(*field)
}

func (s *span) addDays(fraction float64, scale int64) bool {
	days := fraction * float64(scale)
	whole := math.Trunc(days)
	return addTo(&s.days, int64(whole), 1) && s.addFraction(days-whole, calendar.MicrosPerDay)
}

// addFraction rounds half a microsecond towards zero.
func (s *span) addFraction(fraction float64, scale int64) bool {
	micros := fraction * float64(scale)
	whole := math.Trunc(micros)
	switch rest := micros - whole; {
	case rest > 0.5:
		whole++
	case rest < -0.5:
		whole--
	}
	var ok bool
	s.micros, ok = calendar.Add(s.micros, int64(whole))
	return ok
}

func (s *span) value() (Interval, error) {
	return checked(s.years*calendar.MonthsPerYear+s.months, s.days, s.micros)
}

// Parse reads an interval in any of PostgreSQL's styles. The fields that a
// modifier names say what a number without a unit is.
func Parse(text string, mod int32, style Style) (Interval, error) {
	d := decoder{fields: modFields(mod), unit: modFields(mod).lastUnit()}
	tokens, err := datetime.Scan(strings.ToLower(text))
	if err == nil {
		d.negative = style == SQLStandard && onlyFirstIsSigned(tokens)
		err = d.decode(tokens)
	}
	if err == datetime.ErrFormat {
		d.span = span{}
		err = d.iso(text)
	}
	switch err {
	case nil:
		return d.span.value()
	case errField, datetime.ErrField:
		return Interval{}, sqlerr.New(sqlerr.IntervalFieldOverflow, "interval field value out of range: \"%s\"", text)
	}
	return Interval{}, datetime.Error(err, "interval", text)
}

// onlyFirstIsSigned says whether a minus at the start counts for all fields, as the SQL
// standard has it.
func onlyFirstIsSigned(tokens []datetime.Token) bool {
	for i, t := range tokens {
		if signed := t.Text[0] == '-' || t.Text[0] == '+'; signed != (i == 0) || i == 0 && t.Text[0] != '-' {
			return false
		}
	}
	return len(tokens) > 0
}

// decoder reads tokens from right to left, so that a unit is known before its
// number.
type decoder struct {
	span
	fields   fieldSet // of the modifier
	unit     string   // of the next number
	seen     seenSet
	negative bool
	ago      bool
}

// seenSet is which fields there were already; none may come twice.
type seenSet uint32

const (
	seenMicrosecond seenSet = 1 << iota
	seenMillisecond
	seenSecond
	seenMinute
	seenHour
	seenDay
	seenWeek
	seenMonth
	seenYear
	seenDecade
	seenCentury
	seenMillennium

	seenSeconds = seenMicrosecond | seenMillisecond | seenSecond
	seenClock   = seenSeconds | seenMinute | seenHour
)

var seenUnits = map[string]seenSet{
	"microsecond": seenMicrosecond, "millisecond": seenMillisecond, "second": seenSecond, "minute": seenMinute,
	"hour": seenHour, "day": seenDay, "week": seenWeek, "month": seenMonth, "year": seenYear,
	"decade": seenDecade, "century": seenCentury, "millennium": seenMillennium,
}

func (d *decoder) decode(tokens []datetime.Token) error {
	for i := len(tokens) - 1; i >= 0; i-- {
		seen, err := d.token(tokens[i])
		if err != nil {
			return err
		}
		if seen&d.seen != 0 {
			return datetime.ErrFormat
		}
		d.seen |= seen
	}
	switch {
	case d.seen == 0:
		return datetime.ErrFormat
	case d.ago:
		return d.negate()
	}
	return nil
}

func (d *decoder) negate() error {
	if d.micros == math.MinInt64 || d.days == math.MinInt32 || d.months == math.MinInt32 || d.years == math.MinInt32 {
		return errField
	}
	d.span = span{-d.years, -d.months, -d.days, -d.micros}
	return nil
}

func (d *decoder) token(t datetime.Token) (seenSet, error) {
	switch t.Kind {
	case datetime.TokenTime:
		return d.clock(t.Text, false)
	case datetime.TokenOffset:
		if strings.Contains(t.Text, ":") {
			if seen, err := d.clock(t.Text[1:], t.Text[0] == '-'); err == nil {
				return seen, nil
			}
		}
		return d.number(t.Text)
	case datetime.TokenDate, datetime.TokenNumber:
		return d.number(t.Text)
	}
	if t.Text == "ago" {
		d.ago = true
		return 0, nil
	}
	switch unit := calendar.CanonicalUnit(t.Text); {
	case unitSizes[unit] != unitSize{}, unit == "quarter", strings.HasPrefix(unit, "timezone"):
		d.unit = unit
		return 0, nil
	}
	return 0, datetime.ErrFormat
}

// clock reads hh:mm[:ss[.fff]]. What is left of it is days.
func (d *decoder) clock(s string, minus bool) (seenSet, error) {
	micros, err := readClock(s, d.fields == fieldMinuteToSecond)
	if err != nil {
		return 0, err
	}
	if minus || d.negative {
		micros = -micros
	}
	d.micros, d.unit = micros, "day"
	return seenClock, nil
}

func readClock(s string, minuteFirst bool) (int64, error) {
	var parts [3]int64
	n := 0
	for ; n < 3; n++ {
		digits := form.LeadingDigits(s)
		value, err := strconv.ParseInt("0"+digits, 10, 64)
		if err != nil || n > 0 && !fitsInt32(value) {
			return 0, errField
		}
		parts[n], s = value, s[len(digits):]
		if !strings.HasPrefix(s, ":") || n == 2 {
			n++
			break
		}
		s = s[1:]
	}
	fraction := int64(0)
	if s != "" {
		if s[0] != '.' || n < 2 {
			return 0, datetime.ErrFormat
		}
		var err error
		if fraction, err = datetime.ParseFraction(s); err != nil {
			return 0, err
		}
	}
	if n == 2 && (s != "" || minuteFirst) {
		if !fitsInt32(parts[0]) {
			return 0, errField
		}
		parts = [3]int64{0, parts[0], parts[1]}
	}
	if parts[1] > 59 || parts[2] > 60 {
		return 0, errField
	}
	hours, ok := calendar.Mul(parts[0], calendar.MicrosPerHour)
	micros, ok2 := calendar.Add(hours, parts[1]*calendar.MicrosPerMinute+parts[2]*calendar.MicrosPerSecond+fraction)
	if !ok || !ok2 {
		return 0, errField
	}
	return micros, nil
}

// number reads a number of the present unit, or years-months.
func (d *decoder) number(s string) (seenSet, error) {
	sign := form.SpanWhile(s, func(c byte) bool { return c == '-' || c == '+' })
	end := sign + form.SpanWhile(s[sign:], form.IsDigit)
	minus := strings.HasPrefix(s, "-")
	digits := s[:end]
	if sign == end {
		digits += "0" // .5
	}
	whole, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, errField
	}
	fraction := 0.0
	switch rest := s[end:]; {
	case rest == "":
	case rest[0] == '-':
		if whole, err = addMonths(whole, rest[1:], minus); err != nil {
			return 0, err
		}
		d.unit = "month"
	case rest == ".":
	case rest[0] == '.':
		if fraction, err = strconv.ParseFloat(rest, 64); err != nil {
			return 0, datetime.ErrFormat
		}
	default:
		return 0, datetime.ErrFormat
	}
	if minus || d.negative {
		fraction = -fraction
	}
	if d.negative && whole > 0 {
		whole = -whole
	}
	return d.addNumber(whole, fraction)
}

// addMonths reads the months of years-months.
func addMonths(years int64, s string, minus bool) (int64, error) {
	digits := form.LeadingDigits(s)
	months, err := strconv.ParseInt("0"+digits, 10, 32)
	switch {
	case err != nil || months >= calendar.MonthsPerYear:
		return 0, errField
	case digits != s:
		return 0, datetime.ErrFormat
	case minus:
		months = -months
	}
	product, ok := calendar.Mul(years, calendar.MonthsPerYear)
	total, ok2 := calendar.Add(product, months)
	if !ok || !ok2 {
		return 0, errField
	}
	return total, nil
}

func (d *decoder) addNumber(whole int64, fraction float64) (seenSet, error) {
	unit, ok := unitSizes[d.unit]
	if !ok {
		return 0, datetime.ErrFormat
	}
	if !d.add(whole, fraction, unit) {
		return 0, errField
	}
	seen := seenUnits[d.unit]
	switch {
	case d.unit == "second" && fraction != 0:
		seen = seenSeconds
	case d.unit == "hour":
		d.unit = "day"
	}
	return seen, nil
}

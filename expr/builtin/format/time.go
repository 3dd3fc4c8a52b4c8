package format

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"zproxy/expr"
	"zproxy/expr/builtin/datetime"
	"zproxy/expr/builtin/pg"
	"zproxy/sqlerr"
	"zproxy/types"
)

// toCharTimeFunctions are to_char of times.
var toCharTimeFunctions = []*expr.Function{
	{Name: "to_char", Args: pg.Sig{pg.Timestamp, pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Time by a pattern.", Fn2: timestampToChar},
	{Name: "to_char", Args: pg.Sig{pg.Timestamptz, pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Time by a pattern in the session's time zone.", Fn2: timestamptzToChar},
	{Name: "to_char", Args: pg.Sig{pg.Interval, pg.Text}, Result: pg.Text, Volatility: expr.Stable, Doc: "Interval by a pattern.", Fn2: intervalToChar},
}

// shownTime is the fields that a pattern shows.
type shownTime struct {
	year                 int // 0 is 1 BC
	month, day           int
	hour, minute, second int64
	micros               int64
	yearDay, weekday     int // from 1, from Sunday as 0
	zone                 string
	offset               int
	interval             bool
}

func timestampToChar(c *expr.Context, a, b types.Value) (types.Value, error) {
	if datetime.IsInfinite(a.Micros()) || b.Text() == "" {
		return types.Null, nil
	}
	s := shownAt(datetime.TimeOf(a.Micros()))
	return s.text(c, b.Text())
}

func timestamptzToChar(c *expr.Context, a, b types.Value) (types.Value, error) {
	if datetime.IsInfinite(a.Micros()) || b.Text() == "" {
		return types.Null, nil
	}
	s := shownAt(datetime.TimeOf(a.Micros()).In(c.Zone()))
	s.zone, s.offset = datetime.TimeOf(a.Micros()).In(c.Zone()).Zone()
	return s.text(c, b.Text())
}

func shownAt(t time.Time) *shownTime {
	hour, minute, second := t.Clock()
	year, month, day := t.Date()
	return &shownTime{
		year: year, month: int(month), day: day, hour: int64(hour), minute: int64(minute), second: int64(second),
		micros: datetime.MicrosOfSecond(t), yearDay: t.YearDay(), weekday: int(t.Weekday()),
	}
}

func intervalToChar(c *expr.Context, a, b types.Value) (types.Value, error) {
	if b.Text() == "" {
		return types.Null, nil
	}
	p := a.Interval().Parts()
	s := &shownTime{
		year: int(p.Years), month: int(p.Months), day: int(p.Days),
		hour: p.Hours, minute: p.Minutes, second: p.Seconds, micros: p.Micros, interval: true,
	}
	s.yearDay = (s.year*12+s.month)*30 + s.day
	return s.text(c, b.Text())
}

func (s *shownTime) text(c *expr.Context, format string) (types.Value, error) {
	pieces, err := timePatterns.parse(c, format)
	if err != nil {
		return types.Null, err
	}
	out := c.Text(0)
	for _, p := range pieces {
		if err := c.Tick(patternUnits); err != nil {
			return types.Null, err
		}
		if p.kind != patternField {
			out.Add(p.text)
			continue
		}
		if s.interval && strings.Contains(calendarOnly, " "+p.key+" ") {
			return types.Null, sqlerr.New(sqlerr.InvalidDatetimeFormat,
				"invalid format specification for an interval value").
				WithHint("Intervals are not tied to specific calendar dates.")
		}
		field := s.field(p)
		if p.th != "" && field != "" && isDigit(field[len(field)-1]) && !strings.Contains(noOrdinal, " "+p.key+" ") {
			field += ordinal(field, p.th)
		}
		out.Add(field)
	}
	return out.Value()
}

// calendarOnly are the fields that an interval does not have.
const calendarOnly = " TZ TZH TZM OF A.D. B.C. AD BC MONTH MON DAY DY D ID "

// noOrdinal are the fields of digits behind which TH means nothing.
const noOrdinal = " TZ TZH TZM OF RM "

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (s *shownTime) field(p pattern) string {
	switch p.key {
	case "A.M.", "P.M.", "AM", "PM", "A.D.", "B.C.", "AD", "BC":
		return s.half(p)
	case "MONTH", "MON", "DAY", "DY", "RM":
		return s.name(p)
	case "TZ", "TZH", "TZM", "OF":
		return s.zoneField(p)
	case "HH", "HH12", "HH24", "MI", "SS", "SSSS", "SSSSS", "MS", "US", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6":
		return s.clockField(p)
	case "Y,YYY", "YYYY", "YYY", "YY", "Y", "IYYY", "IYY", "IY", "I", "CC":
		return s.yearField(p)
	}
	return s.dayField(p)
}

// pairs are the numbers of two digits, one behind the other.
var pairs = func() string {
	var out []byte
	for n := range 100 {
		out = append(out, byte('0'+n/10), byte('0'+n%10))
	}
	return string(out)
}()

// zeros shows a number with zeros before it to a width, of which a minus is part.
func zeros(n int64, width int) string {
	if width == 2 && 0 <= n && n < 100 {
		return pairs[2*n : 2*n+2]
	}
	text := strconv.FormatInt(n, 10)
	missing := width - len(text)
	switch {
	case missing <= 0:
		return text
	case n < 0:
		return "-" + strings.Repeat("0", missing) + text[1:]
	}
	return strings.Repeat("0", missing) + text
}

// padded shows a number with zeros before it to a width, and a place more for a minus.
func padded(n int64, width int, p pattern) string {
	if p.fill {
		width = 0
	} else if n < 0 {
		width++
	}
	return zeros(n, width)
}

// half is one of two words, spelled as the pattern is.
func (s *shownTime) half(p pattern) string {
	word := p.key
	switch {
	case p.key[len(p.key)-1] == 'M' || strings.HasSuffix(p.key, "M."):
		word = strings.Replace(word, word[:1], "A", 1)
		if s.hour%24 >= 12 {
			word = "P" + word[1:]
		}
	case s.year <= 0:
		word = map[int]string{2: "BC", 4: "B.C."}[len(word)]
	default:
		word = map[int]string{2: "AD", 4: "A.D."}[len(word)]
	}
	if p.text != p.key {
		return strings.ToLower(word)
	}
	return word
}

var romanMonths = [...]string{"XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I"}

// name is a month or a weekday, in the case that the pattern has.
func (s *shownTime) name(p pattern) string {
	width, name := 9, ""
	switch p.key {
	case "RM":
		if s.month == 0 && s.year == 0 {
			return ""
		}
		width, name = 4, s.roman()
	case "MONTH":
		name = time.Month(s.month).String()
	case "MON":
		width, name = 0, time.Month(s.month).String()[:3]
	case "DAY":
		name = time.Weekday(s.weekday).String()
	case "DY":
		width, name = 0, time.Weekday(s.weekday).String()[:3]
	}
	switch p.text {
	case p.key:
		name = strings.ToUpper(name)
	case strings.ToLower(p.key):
		name = strings.ToLower(name)
	}
	if p.fill || p.tm && p.key != "RM" {
		return name
	}
	return fmt.Sprintf("%-*s", width, name)
}

// roman counts the months of a negative interval from the end of the year.
func (s *shownTime) roman() string {
	switch {
	case s.month == 0 && s.year >= 0:
		return romanMonths[0]
	case s.month == 0:
		return romanMonths[11]
	case s.month < 0:
		return romanMonths[-s.month-1]
	}
	return romanMonths[12-s.month]
}

func (s *shownTime) zoneField(p pattern) string {
	sign, seconds := "+", s.offset
	if seconds < 0 {
		sign, seconds = "-", -seconds
	}
	switch p.key {
	case "TZ":
		if p.text != p.key {
			return strings.ToLower(s.zone)
		}
		return s.zone
	case "TZH":
		return sign + zeros(int64(seconds/3600), 2)
	case "TZM":
		return zeros(int64(seconds/60%60), 2)
	}
	text := sign + padded(int64(seconds/3600), 2, p)
	if seconds%3600 != 0 {
		text += ":" + zeros(int64(seconds/60%60), 2)
	}
	return text
}

func (s *shownTime) clockField(p pattern) string {
	switch p.key {
	case "HH", "HH12":
		hour, width := s.hour%12, 2
		if hour == 0 {
			hour = 12
		}
		if s.hour < 0 {
			width = 3
		}
		if p.fill {
			width = 0
		}
		return zeros(hour, width)
	case "HH24":
		return padded(s.hour, 2, p)
	case "MI":
		return padded(s.minute, 2, p)
	case "SS":
		return padded(s.second, 2, p)
	case "SSSS", "SSSSS":
		return strconv.FormatInt(s.hour*3600+s.minute*60+s.second, 10)
	}
	digits := 6
	switch p.key[0] {
	case 'M':
		digits = 3
	case 'F':
		digits = int(p.key[2] - '0')
	}
	unit := int64(1)
	for range 6 - digits {
		unit *= 10
	}
	return zeros(s.micros/unit, digits)
}

func (s *shownTime) yearField(p pattern) string {
	year := s.year
	if p.key[0] == 'I' {
		year, _, _ = s.iso()
	}
	if year <= 0 && !s.interval {
		year = 1 - year
	}
	switch p.key {
	case "CC":
		return s.century(p)
	case "Y,YYY":
		return fmt.Sprintf("%d,%03d", year/1000, year%1000)
	case "Y", "I":
		return strconv.Itoa(year % 10)
	}
	width, unit := len(p.key), 1
	for range width {
		unit *= 10
	}
	shown := year % unit
	if width == 4 {
		shown = year
	}
	calendar := s.year // whose sign makes the place for the minus
	if calendar < 0 && s.interval {
		width++
	}
	if p.fill {
		width = 0
	}
	return zeros(int64(shown), width)
}

func (s *shownTime) century(p pattern) string {
	century := s.year / 100
	switch {
	case s.interval:
	case s.year > 0:
		century = (s.year-1)/100 + 1
	default:
		century--
	}
	return padded(int64(century), 2, p)
}

// dayField is a field of a whole date.
func (s *shownTime) dayField(p pattern) string {
	switch p.key {
	case "MM":
		return padded(int64(s.month), 2, p)
	case "DDD":
		return unsignedPadded(s.yearDay, 3, p)
	case "IDDD":
		_, _, day := s.iso()
		return unsignedPadded(day, 3, p)
	case "DD":
		return unsignedPadded(s.day, 2, p)
	case "D":
		return strconv.Itoa(s.weekday + 1)
	case "ID":
		return strconv.Itoa((s.weekday+6)%7 + 1)
	case "WW":
		return unsignedPadded((s.yearDay-1)/7+1, 2, p)
	case "IW":
		_, week, _ := s.iso()
		return unsignedPadded(week, 2, p)
	case "W":
		return strconv.Itoa((s.day-1)/7 + 1)
	case "Q":
		if s.month == 0 {
			return ""
		}
		return strconv.Itoa((s.month-1)/3 + 1)
	case "J":
		return strconv.Itoa(julianDay(s.year, s.month, s.day))
	}
	return "" // FX
}

func unsignedPadded(n, width int, p pattern) string {
	if p.fill {
		width = 0
	}
	return zeros(int64(n), width)
}

// iso is the year, the week and the day of the year of ISO 8601, whose year begins with the
// Monday of the week that has January 4.
func (s *shownTime) iso() (year, week, day int) {
	today, year := julianDay(s.year, s.month, s.day), s.year
	switch {
	case today < isoYearStart(year):
		year--
	case today >= isoYearStart(year+1):
		year++
	}
	day = today - isoYearStart(year)
	return year, day/7 + 1, day + 1
}

func isoYearStart(year int) int {
	day4 := julianDay(year, 1, 4)
	return day4 - (day4%7+7)%7
}

// julianDay counts days as the Julian period does (Fliegel and Van Flandern, "A Machine
// Algorithm for Processing Calendar Dates"), also for a month 0 of an interval.
func julianDay(year, month, day int) int {
	if month > 2 {
		month, year = month+1, year+4800
	} else {
		month, year = month+13, year+4799
	}
	century := year / 100
	return year*365 - 32167 + year/4 - century + century/4 + 7834*month/256 + day
}

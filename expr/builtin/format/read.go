package format

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/sqlerr"
)

// timeReader reads a text as the fields of a pattern ask for them. A field may come twice
// when it says the same.
type timeReader struct {
	in      string
	at      int
	values  map[string]int // by what the fields are about
	skipped int            // blanks that the pattern did not ask for
	exact   bool           // FX
	strict  bool           // what is between fields is the same in text and pattern, and nothing is left of either
	twelve  bool           // the hour is one of the 12-hour clock
	iso     byte           // 'I' for ISO weeks, 'G' for the calendar, 0 for neither yet
	digits  int            // of the year
	sign    int            // of the zone
	rounded int            // digits of the second to round to, by FF1 to FF6; 0 for all
}

func (r *timeReader) read(c *expr.Context, fields []pattern) error {
	for i, p := range fields {
		if err := c.Tick(patternUnits); err != nil {
			return err
		}
		if r.at >= len(r.in) {
			return r.ended(true)
		}
		if !r.exact && p.key != "FX" && (p.kind == patternField || i == 0) {
			r.skipSpaces()
		}
		if p.kind != patternField {
			if err := r.other(p); err != nil {
				return err
			}
			continue
		}
		if err := r.field(p, nextEndsNumber(fields[i:])); err != nil {
			return err
		}
		if !r.exact {
			r.skipped = 0
			r.skipSpaces()
		}
	}
	return r.ended(false)
}

// ended is the error of a strict reader about what is left of the pattern, or of the text.
func (r *timeReader) ended(fieldsLeft bool) error {
	switch {
	case !r.strict:
		return nil
	case fieldsLeft:
		return sqlerr.New(sqlerr.InvalidDatetimeFormat, "input string is too short for datetime format")
	case r.at+spaces(r.in[r.at:]) < len(r.in):
		return sqlerr.New(sqlerr.InvalidDatetimeFormat, "trailing characters remain in input string after datetime format")
	}
	return nil
}

func (r *timeReader) skipSpaces() {
	for r.at < len(r.in) && timePatterns.kindOf(r.in[r.at]) == patternSpace {
		r.at++
		r.skipped++
	}
}

func (r *timeReader) character() {
	_, n := utf8.DecodeRuneInString(r.in[r.at:])
	r.at += n
}

// other passes over the input for what is no field. It need not be the same, but for a strict reader.
func (r *timeReader) other(p pattern) error {
	switch {
	case r.strict && !strings.HasPrefix(r.in[r.at:], p.text):
		what := "separator"
		if p.kind == patternText {
			what = "character"
		}
		return sqlerr.New(sqlerr.InvalidDatetimeFormat, "unmatched format %s \"%s\"", what, p.text)
	case r.exact:
		r.character()
	case p.kind != patternText:
		if timePatterns.kindOf(r.in[r.at]) == patternText {
			r.skipped--
			return nil
		}
		r.at++
	case r.skipped > 0:
		r.skipped--
	default:
		r.character()
	}
	return nil
}

// wordFields are the fields that are words and not digits.
const wordFields = " A.D. A.M. AD AM B.C. BC P.M. PM DAY DY MONTH MON RM TZ TZH OF FX "

// nextEndsNumber says whether what follows the first field cannot be a digit, so that its
// number may have any length.
func nextEndsNumber(fields []pattern) bool {
	if fields[0].th != "" || fields[0].fill || len(fields) == 1 {
		return true
	}
	next := fields[1]
	if next.kind == patternField {
		return strings.Contains(wordFields, " "+next.key+" ")
	}
	return !isDigit(next.text[0])
}

func (r *timeReader) field(p pattern, free bool) error {
	if err := r.setConvention(p.key); err != nil {
		return err
	}
	switch p.key {
	case "FX":
		r.exact = true
		return nil
	case "TZ", "OF":
		return sqlerr.New(sqlerr.FeatureNotSupported, "formatting field \"%s\" is only supported in to_char", p.text)
	case "Y,YYY":
		return r.thousands(p)
	case "TZH":
		r.zoneSign()
	case "TZM":
		if r.sign == 0 {
			r.sign = 1
		}
	}
	if w, ok := timeWords[p.key]; ok {
		return r.word(p, w)
	}
	n := timeNumbers[p.key]
	length, err := r.number(p, n, free)
	if err != nil {
		return err
	}
	r.finish(p.key, n, length)
	r.skipOrdinal(p)
	return nil
}

// skipOrdinal passes over two characters for TH.
func (r *timeReader) skipOrdinal(p pattern) {
	for i := 0; p.th != "" && i < 2 && r.at < len(r.in); i++ {
		r.character()
	}
}

// setConvention refuses a mix of weeks and months.
func (r *timeReader) setConvention(key string) error {
	convention := byte('G')
	switch key {
	case "IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I":
		convention = 'I'
	case "DDD", "DD", "D", "MM", "MONTH", "MON", "RM", "WW", "W", "Y,YYY", "YYYY", "YYY", "YY", "Y":
	default:
		return nil
	}
	if r.iso != 0 && r.iso != convention {
		return sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid combination of date conventions").
			WithHint("Do not mix Gregorian and ISO week date conventions in a formatting template.")
	}
	r.iso = convention
	return nil
}

// timeNumber is what a field of digits is about, and how many it has.
type timeNumber struct {
	about  string
	length int
}

var timeNumbers = map[string]timeNumber{
	"HH": {"hour", 2}, "HH12": {"hour", 2}, "HH24": {"hour", 2}, "MI": {"minute", 2}, "SS": {"second", 2},
	"MS": {"ms", 3}, "US": {"us", 6}, "FF1": {"us", 1}, "FF2": {"us", 2}, "FF3": {"us", 3}, "FF4": {"us", 4},
	"FF5": {"us", 5}, "FF6": {"us", 6}, "SSSS": {"daysecond", 4}, "SSSSS": {"daysecond", 5},
	"TZH": {"tzh", 2}, "TZM": {"tzm", 2}, "MM": {"month", 2}, "DDD": {"yearday", 3}, "IDDD": {"yearday", 3},
	"DD": {"day", 2}, "D": {"weekday", 1}, "ID": {"weekday", 1}, "WW": {"week", 2}, "IW": {"week", 2},
	"Q": {"", 1}, "CC": {"century", 2}, "YYYY": {"year", 4}, "IYYY": {"year", 4}, "YYY": {"year", 3},
	"IYY": {"year", 3}, "YY": {"year", 2}, "IY": {"year", 2}, "Y": {"year", 1}, "I": {"year", 1},
	"W": {"monthweek", 1}, "J": {"julian", 1},
}

const fillHint = "If your source string is not fixed-width, try using the \"FM\" modifier."

// number reads a whole number of a field: as many digits as there are, or exactly its own.
func (r *timeReader) number(p pattern, n timeNumber, free bool) (length int, err error) {
	start := r.at
	r.at += spaces(r.in[r.at:])
	rest := r.in[r.at:]
	shown := rest[:min(len(rest), n.length)]
	invalid := func(detail, hint string) error {
		e := sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid value \"%s\" for \"%s\"", shown, p.text).WithDetail("%s",
			detail)
		if hint != "" {
			e = e.WithHint("%s", hint)
		}
		return e
	}
	digits := signedDigits(rest)
	if !free {
		if len(rest) < n.length {
			return 0, sqlerr.New(sqlerr.InvalidDatetimeFormat, "source string too short for \"%s\" formatting field",
				p.text).
				WithDetail("Field requires %d characters, but only %d remain.", n.length, len(rest)).WithHint(fillHint)
		}
		if digits = signedDigits(shown); digits != "" && len(digits) < n.length {
			return 0, invalid("Field requires "+strconv.Itoa(n.length)+" characters, but only "+strconv.Itoa(len(digits))+" could be parsed.", fillHint)
		}
	}
	if digits == "" {
		return 0, invalid("Value must be an integer.", "")
	}
	value, err := strconv.ParseInt(digits, 10, 32)
	if err != nil {
		return 0, sqlerr.New(sqlerr.DatetimeFieldOverflow, "value for \"%s\" in source string is out of range", p.text).
			WithDetail("Value must be in the range %d to %d.", math.MinInt32, math.MaxInt32)
	}
	r.at += len(digits)
	if n.about == "" {
		return r.at - start, nil
	}
	return r.at - start, r.set(p, n.about, int(value))
}

func spaces(s string) int {
	n := 0
	for n < len(s) && timePatterns.kindOf(s[n]) == patternSpace {
		n++
	}
	return n
}

// signedDigits is the number at the start of s, "" when there is none.
func signedDigits(s string) string {
	n := spaces(s)
	if n < len(s) && (s[n] == '-' || s[n] == '+') {
		n++
	}
	first := n
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	if n == first {
		return ""
	}
	return strings.TrimSpace(s[:n])
}

// set keeps a value, unless another one is there.
func (r *timeReader) set(p pattern, about string, value int) error {
	if old := r.values[about]; old != 0 && old != value {
		return sqlerr.New(sqlerr.InvalidDatetimeFormat, "conflicting values for \"%s\" field in formatting string",
			p.text).
			WithDetail("This value contradicts a previous setting for the same field type.")
	}
	r.values[about] = value
	return nil
}

// finish gives a number the meaning of its field.
func (r *timeReader) finish(key string, n timeNumber, length int) {
	switch key {
	case "HH", "HH12":
		r.twelve = true
	case "ID":
		r.values["weekday"] = r.values["weekday"]%7 + 1
	}
	if strings.HasPrefix(key, "FF") {
		r.rounded = n.length
	}
	switch n.about {
	case "ms", "us":
		scale := map[string]int{"ms": 3, "us": 6}[n.about]
		for ; length < scale; length++ {
			r.values[n.about] *= 10
		}
	case "year":
		r.digits = n.length
		if n.length < 4 && length < 4 {
			r.values["year"] = nearYear(r.values["year"])
		}
	}
}

// nearYear completes a year of up to three digits to one near 2020.
func nearYear(year int) int {
	switch {
	case year < 70:
		return year + 2000
	case year < 100:
		return year + 1900
	case year < 520:
		return year + 2000
	case year < 1000:
		return year + 1000
	}
	return year
}

// thousands reads Y,YYY.
func (r *timeReader) thousands(p pattern) error {
	first := signedDigits(r.in[r.at:])
	rest := strings.TrimPrefix(r.in[r.at:], first)
	last := ""
	if strings.HasPrefix(rest, ",") {
		last = signedDigits(rest[1:min(len(rest), 4)])
	}
	millennia, err1 := strconv.ParseInt(first, 10, 21)
	years, err2 := strconv.ParseInt(last, 10, 32)
	if err1 != nil || err2 != nil {
		return sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid input string for \"Y,YYY\"")
	}
	r.at += len(first) + 1 + len(last)
	r.digits = 4
	r.skipOrdinal(p)
	return r.set(p, "year", int(millennia*1000+years))
}

// zoneSign reads the sign of TZH, which may have been taken for a separator.
func (r *timeReader) zoneSign() {
	r.sign = 1
	switch c := r.in[r.at]; {
	case c == '-':
		r.sign = -1
		r.at++
	case c == '+', c == ' ':
		r.at++
	case r.skipped > 0 && r.in[r.at-1] == '-':
		r.sign = -1
	}
}

// timeWord is the words that a field may be, and the value of each from the first on.
type timeWord struct {
	about string
	words []string
	value func(i int) int
}

var timeWords = map[string]timeWord{
	"A.M.": {"pm", []string{"a.m.", "p.m."}, half}, "P.M.": {"pm", []string{"a.m.", "p.m."}, half},
	"AM": {"pm", []string{"am", "pm"}, half}, "PM": {"pm", []string{"am", "pm"}, half},
	"A.D.": {"bc", []string{"a.d.", "b.c."}, half}, "B.C.": {"bc", []string{"a.d.", "b.c."}, half},
	"AD": {"bc", []string{"ad", "bc"}, half}, "BC": {"bc", []string{"ad", "bc"}, half},
	"MONTH": {"month", monthNames, fromOne}, "MON": {"month", shortened(monthNames), fromOne},
	"DAY": {"weekday", dayNames, fromOne}, "DY": {"weekday", shortened(dayNames), fromOne},
	"RM": {"month", strings.Fields("xii xi x ix viii vii vi v iv iii ii i"), func(i int) int { return 12 - i }},
}

var (
	monthNames = strings.Fields("january february march april may june july august september october november december")
	dayNames   = strings.Fields("sunday monday tuesday wednesday thursday friday saturday")
)

func half(i int) int    { return i }
func fromOne(i int) int { return i + 1 }

func shortened(names []string) (short []string) {
	for _, name := range names {
		short = append(short, name[:3])
	}
	return short
}

func (r *timeReader) word(p pattern, w timeWord) error {
	rest := strings.ToLower(r.in[r.at:])
	for i, word := range w.words {
		if !strings.HasPrefix(rest, word) {
			continue
		}
		r.at += len(word)
		r.twelve = r.twelve || w.about == "pm"
		return r.set(p, w.about, w.value(i))
	}
	word := r.in[r.at:]
	if i := strings.IndexFunc(word, func(c rune) bool { return c == ' ' || '\t' <= c && c <= '\r' }); i >= 0 {
		word = word[:i]
	}
	return sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid value \"%s\" for \"%s\"", word, p.text).
		WithDetail("The given value did not match any of the allowed values for this field.")
}

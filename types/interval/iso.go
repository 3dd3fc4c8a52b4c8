package interval

import (
	"math"
	"strconv"
	"strings"

	"zproxy/types/calendar"
	"zproxy/types/datetime"
	"zproxy/types/form"
)

// isoUnits are the letters of ISO 8601 before and after the T.
var isoUnits = [2]map[byte]string{
	{'Y': "year", 'M': "month", 'W': "week", 'D': "day"},
	{'H': "hour", 'M': "minute", 'S': "second"},
}

// iso reads an interval as ISO 8601 writes it (4.4.3): with letters, P1Y2M3DT4H5M6S, or in
// the alternative format, P0001-02-03T04:05:06 and P00010203T040506.
func (s *span) iso(text string) error {
	if len(text) < 2 || text[0] != 'P' {
		return datetime.ErrFormat
	}
	part, first := 0, true
	for rest := text[1:]; rest != ""; {
		if rest[0] == 'T' {
			part, first, rest = 1, true, rest[1:]
			continue
		}
		n, after, err := isoNumber(rest)
		if err != nil {
			return err
		}
		if after != "" && isoUnits[part][after[0]] != "" {
			if !s.addUnit(n, isoUnits[part][after[0]]) {
				return errField
			}
			first, rest = false, after[1:]
			continue
		}
		if !first {
			return datetime.ErrFormat
		}
		if rest, err = s.isoAlternative(n, after, part); err != nil {
			return err
		}
	}
	return nil
}

// isoValue is a number of ISO 8601 with how many digits it began with.
type isoValue struct {
	whole    int64
	fraction float64
	digits   int
}

func (s *span) addUnit(n isoValue, unit string) bool {
	return s.add(n.whole, n.fraction, unitSizes[unit])
}

func isoNumber(s string) (n isoValue, rest string, err error) {
	i := 0
	if strings.HasPrefix(s, "-") {
		i++
	}
	n.digits = form.SpanWhile(s[i:], form.IsDigit)
	i += n.digits
	if i < len(s) && s[i] == '.' {
		i++
		i += form.SpanWhile(s[i:], form.IsDigit)
	}
	if e := exponentLen(s[i:]); e > 0 {
		i += e
	}
	f, err := strconv.ParseFloat(s[:i], 64)
	switch {
	case err != nil:
		return n, s, datetime.ErrFormat
	case math.Abs(f) > 1e15:
		return n, s, errField
	}
	n.whole = int64(f)
	n.fraction = f - float64(n.whole)
	return n, s[i:], nil
}

// exponentLen is the length of e+12 at the start of s, or 0.
func exponentLen(s string) int {
	if s == "" || s[0]|0x20 != 'e' {
		return 0
	}
	i := 1
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits := form.SpanWhile(s[i:], form.IsDigit)
	if digits == 0 {
		return 0
	}
	return i + digits
}

// isoAlternative reads on behind the first number of the alternative format, up to the T
// or the end.
func (s *span) isoAlternative(n isoValue, rest string, part int) (string, error) {
	delimiter, units := byte('-'), []string{"year", "month", "day"}
	if part == 1 {
		delimiter, units = ':', []string{"hour", "minute", "second"}
	}
	atEnd := func() bool { return rest == "" || part == 0 && rest[0] == 'T' }
	if atEnd() && n.digits == 8-2*part {
		return rest, s.isoBasic(n, units, part)
	}
	for i, unit := range units {
		if i > 0 {
			var err error
			if n, rest, err = isoNumber(rest[1:]); err != nil {
				return "", err
			}
		}
		switch {
		case !s.addUnit(n, unit):
			return "", errField
		case atEnd():
			return rest, nil
		case rest[0] != delimiter:
			return "", datetime.ErrFormat
		}
	}
	return "", datetime.ErrFormat
}

// isoBasic takes yyyymmdd or hhmmss apart. A fraction of a second is taken as one of a
// microsecond, as PostgreSQL does.
func (s *span) isoBasic(n isoValue, units []string, part int) error {
	unit := int64(calendar.MicrosPerDay)
	if part == 1 {
		unit = 1
	}
	for i, value := range []int64{n.whole / 10000, n.whole / 100 % 100, n.whole % 100} {
		if !s.add(value, 0, unitSizes[units[i]]) {
			return errField
		}
	}
	if !s.addFraction(n.fraction, unit) {
		return errField
	}
	return nil
}

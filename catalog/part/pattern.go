package part

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"zproxy/types"
)

// Pattern is how a text key writes a date or a time: some of the patterns of to_char, and
// text between them. Every field has a width of its own, as long as the year has four
// digits: only values of the years 1 to 9999 may be written.
type Pattern []patternItem

// patternItem is a field, or where that is empty, a text that is written as it is.
type patternItem struct {
	Literal string
	Field   dateField
}

// dateField is what a pattern of to_char writes, by to_char's name.
type dateField string

// The fields that text keys may have. All others vary in width, or do so with the
// language, or are finer than the shortest bucket.
const (
	year4        dateField = "YYYY" // four digits
	month2       dateField = "MM"   // 01 to 12
	monthUpper   dateField = "MON"  // JAN
	monthTitle   dateField = "Mon"  // Jan
	monthLower   dateField = "mon"  // jan
	day2         dateField = "DD"   // 01 to 31
	dayOfYear    dateField = "DDD"  // 001 to 366
	dayOfWeek    dateField = "D"    // 1, which is Sunday, to 7
	weekdayUpper dateField = "DY"   // SUN
	weekdayTitle dateField = "Dy"   // Sun
	weekdayLower dateField = "dy"   // sun
	isoYear      dateField = "IYYY" // the year that the week belongs to
	isoWeek      dateField = "IW"   // 01 to 53
	quarter      dateField = "Q"    // 1 to 4
	hour24       dateField = "HH24" // 00 to 23
	minute2      dateField = "MI"   // 00 to 59
)

// dateFields are the fields, each with the longest unit throughout which it stays the same.
// One that begins as another one does stands before it.
var dateFields = []struct {
	field dateField
	unit  Unit
}{
	{year4, Year},
	{isoYear, Week}, {isoWeek, Week},
	{monthUpper, Month}, {monthTitle, Month}, {monthLower, Month}, {month2, Month}, {minute2, Minute},
	{dayOfYear, Day}, {day2, Day}, {weekdayUpper, Day}, {weekdayTitle, Day}, {weekdayLower, Day}, {dayOfWeek, Day},
	{quarter, Month},
	{hour24, Hour},
}

// names says whether a field is a name, of which the case of the letters is part.
func (f dateField) names() bool {
	switch dateField(strings.ToUpper(string(f))) {
	case monthUpper, weekdayUpper:
		return true
	}
	return false
}

// parsePattern reads a pattern such as DDMONYYYY. Fields of digits may be in small letters.
func parsePattern(text string) (Pattern, error) {
	var out Pattern
	for rest := text; rest != ""; {
		if field, ok := firstField(rest); ok {
			out, rest = append(out, patternItem{Field: field}), rest[len(field):]
			continue
		}
		letter, size := utf8.DecodeRuneInString(rest)
		if letter < unicode.MaxASCII && (unicode.IsLetter(letter) || unicode.IsDigit(letter)) ||
			strings.ContainsRune(`"\`, letter) || unicode.IsControl(letter) {
			return nil, fmt.Errorf("date pattern %q has %q, which is not one of %s", text, letter, dateFieldNames())
		}
		literal := rest[:size]
		rest = rest[size:]
		if n := len(out); n > 0 && out[n-1].Field == "" {
			out[n-1].Literal += literal
			continue
		}
		out = append(out, patternItem{Literal: literal})
	}
	if !slices.ContainsFunc(out, func(item patternItem) bool { return item.Field != "" }) {
		return nil, fmt.Errorf("date pattern %q has none of %s", text, dateFieldNames())
	}
	return out, nil
}

// firstField is the field that a text begins with.
func firstField(text string) (dateField, bool) {
	for _, f := range dateFields {
		name := string(f.field)
		if strings.HasPrefix(text, name) || !f.field.names() && strings.HasPrefix(text, strings.ToLower(name)) {
			return f.field, true
		}
	}
	return "", false
}

// dateFieldNames lists the fields.
func dateFieldNames() string {
	var out []string
	for _, f := range dateFields {
		out = append(out, string(f.field))
	}
	return strings.Join(out, ", ")
}

// Has says whether a pattern has one of some fields.
func (p Pattern) Has(fields ...dateField) bool {
	return slices.ContainsFunc(p, func(item patternItem) bool {
		return item.Field != "" &&
			slices.Contains(fields, item.Field)
	})
}

// HasClock says whether a pattern has hours or minutes, which a date has not.
func (p Pattern) HasClock() bool { return p.Has(hour24, minute2) }

// Finest is the longest unit throughout which what is written stays the same. Weeks cross
// the ends of months and years, so the two together only stay the same for a day.
func (p Pattern) Finest() Unit {
	finest, weeks, months := Year, false, false
	for _, f := range dateFields {
		if !p.Has(f.field) {
			continue
		}
		weeks = weeks || f.unit == Week
		months = months || f.unit == Month || f.unit == Year
		if f.unit.shorterThan(finest) {
			finest = f.unit
		}
	}
	if finest == Week && weeks && months {
		return Day
	}
	return finest
}

// Determines says whether the year, the month and the day can all be read back from what
// is written, so that a date can.
func (p Pattern) Determines() bool {
	return p.Has(year4) && (p.Has(dayOfYear) || p.Has(day2) && p.month())
}

func (p Pattern) month() bool { return p.Has(month2, monthUpper, monthTitle, monthLower) }

// Tells says whether no two units, of those that Finest names, are written alike, as the Mondays of
// all weeks are by DY.
func (p Pattern) Tells() bool {
	switch p.Finest() {
	case Year:
		return true
	case Month:
		return p.Has(year4) && p.month()
	case Week:
		return p.Has(isoYear) && p.Has(isoWeek)
	case Day:
		return p.Determines()
	case Hour:
		return p.Determines() && p.Has(hour24)
	}
	return p.Determines() && p.Has(hour24) && p.Has(minute2)
}

// appendPattern writes the date or the time of a value. One that has none, which
// Misfit refuses, is infinite for the purpose.
func appendPattern(dst []byte, p Pattern, v types.Value) []byte {
	micros, finite := momentOf(v)
	if !finite {
		return append(dst, "infinity"...)
	}
	t := civil(micros)
	for _, item := range p {
		if item.Field == "" {
			dst = append(dst, item.Literal...)
			continue
		}
		dst = appendField(dst, item.Field, t)
	}
	return dst
}

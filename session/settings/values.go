package settings

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"zproxy/catalog/advice"
	"zproxy/catalog/names"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/charset"
	"zproxy/types/datetime"
	"zproxy/types/interval"
	"zproxy/types/textsearch/config"
)

func invalid(name, value string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, value)
}

// oneOf takes one of some words.
func oneOf(words ...string) func(*Settings, string, string) (string, error) {
	return func(_ *Settings, name, value string) (string, error) {
		for _, w := range words {
			if strings.EqualFold(w, value) {
				return w, nil
			}
		}
		return "", invalid(name, value).WithHint("Available values: %s.", strings.Join(words, ", "))
	}
}

// orBoolean takes the words of a setting, or another way to write on and off.
func orBoolean(take func(*Settings, string, string) (string, error)) func(*Settings, string, string) (string, error) {
	return func(s *Settings, name, value string) (string, error) {
		out, err := take(s, name, value)
		if shown, e := boolean(s, name, value); err != nil && e == nil {
			return take(s, name, shown)
		}
		return out, err
	}
}

// choice takes one of some words that the session keeps.
func choice(keep func(*Settings, string), words ...string) func(*Settings, string, string) (string, error) {
	take := oneOf(words...)
	return func(s *Settings, name, value string) (string, error) {
		shown, err := take(s, name, value)
		if err == nil {
			keep(s, shown)
		}
		return shown, err
	}
}

// messageLevel takes the least severity of messages that the client wants.
func messageLevel(s *Settings, name, value string) (string, error) {
	switch strings.ToLower(value) { // two more, which no list tells of
	case "debug":
		value = "debug2"
	case "info":
		s.Unwanted = nil
		return "info", nil
	}
	level, err := oneOf("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error")(s, name,
		value)
	if err != nil {
		return "", err
	}
	switch s.Unwanted = nil; level {
	case "warning":
		s.Unwanted = []string{"NOTICE"}
	case "error":
		s.Unwanted = []string{"NOTICE", "WARNING"}
	}
	return level, nil
}

func boolean(_ *Settings, name, value string) (string, error) {
	v, err := types.ParseText(value, types.Bool, nil)
	if err != nil {
		return "", sqlerr.New(sqlerr.InvalidParameterValue, "parameter %q requires a Boolean value", name)
	}
	return map[bool]string{true: "on", false: "off"}[v.Bool()], nil
}

// withoutOIDs takes the one value that PostgreSQL has left, too.
func withoutOIDs(s *Settings, name, value string) (string, error) {
	shown, err := boolean(s, name, value)
	if err == nil && shown == "on" {
		err = sqlerr.New(sqlerr.FeatureNotSupported, "tables declared WITH OIDS are not supported")
	}
	return shown, err
}

// tableAccessMethod takes the only one there is.
func tableAccessMethod(_ *Settings, name, value string) (string, error) {
	switch value {
	case "heap":
		return value, nil
	case "":
		return "", invalid(name, value).WithDetail("default_table_access_method cannot be empty.")
	}
	return "", invalid(name, value).WithDetail("Table access method \"%s\" does not exist.", value)
}

// tablespace takes the name of the only one there is, or none.
func tablespace(_ *Settings, name, value string) (string, error) {
	if value != "" && value != "pg_default" {
		return "", invalid(name, value).WithDetail("Tablespace \"%s\" does not exist.", value)
	}
	return value, nil
}

// searchConfig takes the name of a configuration of text search, and shows it with its schema.
func searchConfig(_ *Settings, name, value string) (string, error) {
	of := config.ByName(strings.TrimPrefix(value, "pg_catalog."))
	if of == nil {
		return "", invalid(name, value)
	}
	return "pg_catalog." + of.Name, nil
}

// toggle takes a Boolean value that the session keeps.
func toggle(keep func(*Settings, bool)) func(*Settings, string, string) (string, error) {
	return func(s *Settings, name, value string) (string, error) {
		shown, err := boolean(s, name, value)
		if err == nil {
			keep(s, shown == "on")
		}
		return shown, err
	}
}

// adviceLevel takes a Boolean value, or portable.
func adviceLevel(s *Settings, name, value string) (string, error) {
	if strings.EqualFold(value, string(advice.Portable)) {
		s.Advice = advice.Portable
		return string(s.Advice), nil
	}
	shown, err := boolean(s, name, value)
	if err == nil {
		s.Advice = advice.Level(shown)
	}
	return shown, err
}

// outside is the error about a number that is too small or too large.
func outside(value, name string, low, high any) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "%s is outside the valid range for parameter %q (%v .. %v)", value,
		name, low, high)
}

// integer takes a whole number.
func integer(low, high int64) func(*Settings, string, string) (string, error) {
	return number(low, high, func(*Settings, int64) {})
}

// number takes a whole number that the session keeps.
func number(low, high int64, keep func(*Settings, int64)) func(*Settings, string, string) (string, error) {
	return func(s *Settings, name, value string) (string, error) {
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil:
			return "", invalid(name, value)
		case n < low || n > high:
			return "", outside(value, name, low, high)
		}
		keep(s, n)
		return value, nil
	}
}

// real takes the costs and fractions that PostgreSQL's planner weighs with.
func real(s *Settings, name, value string) (string, error) {
	return factor(func(*Settings, float64) {})(s, name, value)
}

// within takes a number between bounds.
func within(low, high float64) func(*Settings, string, string) (string, error) {
	return func(_ *Settings, name, value string) (string, error) {
		f, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || math.IsNaN(f):
			return "", invalid(name, value)
		case f < low || f > high:
			return "", outside(value, name, number6(low), number6(high))
		}
		return number6(f), nil
	}
}

func number6(f float64) string { return strconv.FormatFloat(f, 'g', 6, 64) }

// factor takes a number that is not below zero.
func factor(keep func(*Settings, float64)) func(*Settings, string, string) (string, error) {
	return func(s *Settings, name, value string) (string, error) {
		f, err := strconv.ParseFloat(value, 64)
		switch {
		case err != nil || math.IsNaN(f):
			return "", invalid(name, value)
		case f < 0:
			return "", outside(value, name, 0, "1.79769e+308")
		}
		keep(s, f)
		return number6(f), nil
	}
}

// unit is one of the units of a quantity, the larger ones first.
type unit struct {
	name string
	size int64
}

var (
	timeUnits = []unit{{"d", 86_400_000_000}, {"h", 3_600_000_000}, {"min", 60_000_000}, {"s", 1_000_000},
		{"ms", 1000}, {"us", 1}}
	memoryUnits = []unit{{"TB", 1 << 40}, {"GB", 1 << 30}, {"MB", 1 << 20}, {"kB", 1 << 10}, {"B", 1}}
)

// quantity takes a number with a unit, or in the base unit without one; low and the
// largest integer bound it in base units. It is shown in the largest unit that it is a
// whole number of.
func quantity(units []unit, base string, low int64, keep func(*Settings, int64)) func(*Settings, string,
	string) (string, error) {
	return func(s *Settings, name, value string) (string, error) {
		f, err := measured(units, base, name, value)
		if err != nil {
			return "", err
		}
		one := units[slices.IndexFunc(units, func(u unit) bool { return u.name == base })].size
		n := math.RoundToEven(f / float64(one))
		if n > math.MaxInt32 {
			return "", invalid(name, value).WithHint("Value exceeds integer range.")
		}
		if n < float64(low) {
			return "", outside(fmt.Sprintf("%.0f %s", n, base), name, low, math.MaxInt32)
		}
		size := int64(n) * one
		if keep != nil {
			keep(s, size)
		}
		return showQuantity(size, units), nil
	}
}

// measured reads a number with a unit, or in the base unit without one.
func measured(units []unit, base, name, value string) (float64, error) {
	number := strings.TrimRight(strings.TrimSpace(value), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	suffix := strings.TrimSpace(value)[len(number):]
	f, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	at := slices.IndexFunc(units, func(u unit) bool { return u.name == cmp.Or(suffix, base) })
	switch {
	case err != nil:
		return 0, invalid(name, value)
	case at < 0:
		return 0, invalid(name, value).WithHint("Valid units for this parameter are %s.", unitNames(units))
	}
	return f * float64(units[at].size), nil
}

// delay takes a time of up to 100 ms, in ms without a unit, of which it keeps fractions.
func delay(_ *Settings, name, value string) (string, error) {
	micros, err := measured(timeUnits, "ms", name, value)
	if err != nil {
		return "", err
	}
	if ms := micros / 1000; ms < 0 || ms > 100 {
		return "", outside(number6(ms)+" ms", name, "0 ms", "100 ms")
	}
	return showQuantity(int64(micros), timeUnits), nil
}

func showQuantity(size int64, units []unit) string {
	if size < 0 {
		return "-1"
	}
	if size == 0 {
		return "0"
	}
	for _, u := range units {
		if size%u.size == 0 {
			return strconv.FormatInt(size/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(size, 10)
}

// unitNames lists units as an error does, the smaller ones first.
func unitNames(units []unit) string {
	var names []string
	for _, u := range slices.Backward(units) {
		if u == page {
			continue
		}
		names = append(names, strconv.Quote(u.name))
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + ", and " + names[last]
}

// milliseconds takes a duration, 0 for none.
func milliseconds(keep func(s *Settings, d time.Duration)) func(*Settings, string, string) (string, error) {
	return quantity(timeUnits, "ms", 0, func(s *Settings, micros int64) {
		if keep != nil {
			keep(s, time.Duration(micros)*time.Microsecond)
		}
	})
}

// applicationName takes what a client calls itself. What is not ASCII becomes question
// marks, as in PostgreSQL, since logs and other sessions show it.
func applicationName(s *Settings, _, value string) (string, error) {
	name := []byte(value)
	for i, c := range name {
		if c < ' ' || c > '~' {
			name[i] = '?'
		}
	}
	s.ApplicationName = string(name)
	return s.ApplicationName, nil
}

// memoryAmount takes a size, in kB without a unit.
func memoryAmount(low int64, keep func(s *Settings, bytes int64)) func(*Settings, string, string) (string, error) {
	return quantity(memoryUnits, "kB", low, keep)
}

// page is a unit that is never written.
var page = unit{"8kB", 8 << 10}

// pages takes a size, in pages without a unit.
func pages(s *Settings, name, value string) (string, error) { return pagesOf(nil)(s, name, value) }

// pagesOf is pages of which the session keeps how many bytes they are; nil: it does not.
func pagesOf(keep func(*Settings, int64)) func(*Settings, string, string) (string, error) {
	return quantity(append(slices.Clip(memoryUnits), page), page.name, 0, keep)
}

// sessionUser takes the name of a role, or none for who connected.
func sessionUser(s *Settings, _, value string) (string, error) { return cmp.Or(value, s.user), nil }

// encoding takes the name of an encoding that texts are converted from and to.
func encoding(s *Settings, name, value string) (string, error) {
	set := charset.Find(strings.Trim(value, `'"`))
	switch {
	case set == nil:
		return "", invalid(name, value)
	case !set.Converts():
		e := invalid(name, value).WithDetail("Conversion between %s and UTF8 is not supported.", set.Name)
		e.Code = sqlerr.FeatureNotSupported
		return "", e
	}
	if s.Charset = set; set.SameAsUTF8() {
		s.Charset = nil
	}
	if value == "UNICODE" { // which old drivers ask for
		return value, nil
	}
	return set.Name, nil
}

// intervalStyle is one of the names of interval.Style, in the order of its values.
func intervalStyle(s *Settings, name, value string) (string, error) {
	names := []string{"postgres", "postgres_verbose", "sql_standard", "iso_8601"}
	shown, err := oneOf(names...)(s, name, value)
	if err == nil {
		s.Env.IntervalStyle = interval.Style(slices.Index(names, shown))
	}
	return shown, err
}

// floatDigits keeps by how much a number of digits is below 1, from which on floats are printed
// with all that they need.
func floatDigits(s *Settings, n int64) { s.Env.ShortFloats = int(max(1-n, 0)) }

func searchPath(s *Settings, name, value string) (string, error) {
	path, ok := names.SplitList(value)
	if !ok {
		return "", invalid(name, value).WithDetail("List syntax is invalid.")
	}
	s.Path = slices.DeleteFunc(path, func(name string) bool { return name == "" })
	return value, nil
}

func timeZone(s *Settings, name, value string) (string, error) {
	text := strings.Trim(value, `'"`)
	hours, notHours := strconv.ParseFloat(text, 64)
	if written, ok := strings.CutPrefix(value, "INTERVAL '"); ok {
		written, _, _ = strings.Cut(written, "'")
		hours, notHours = intervalHours(written)
	}
	if notHours == nil && math.Abs(hours) < 168 { // east of UTC, unlike in names
		text = datetime.OffsetName(int(hours * 3600))
	}
	loc, err := datetime.LoadLocation(text)
	if err != nil {
		return "", invalid(name, value)
	}
	s.Env.Location = loc
	if notHours == nil {
		return text, nil
	}
	return cmp.Or(loc.String(), "UTC"), nil
}

// intervalHours reads an offset that is written as an interval.
func intervalHours(text string) (float64, error) {
	v, err := types.ParseText(text, types.Of(types.OIDInterval), nil)
	if err != nil {
		return 0, err
	}
	_, _, micros := v.Interval().Fields()
	return float64(micros) / float64(time.Hour/time.Microsecond), nil
}

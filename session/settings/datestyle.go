package settings

import (
	"strings"

	"zproxy/types/datestyle"
)

// dateStyle takes the words of DateStyle: a form, an order, or both in a list. What is not named stays, but for the
// order of German dates.
func dateStyle(s *Settings, name, value string) (string, error) {
	l := dateStyleList{Style: s.Env.DateStyle}
	if strings.TrimSpace(value) == "" {
		return l.String(), nil
	}
	for word := range strings.SplitSeq(value, ",") {
		if detail := l.add(s, strings.ToLower(strings.Trim(word, " \t\n\r\"'"))); detail != "" {
			return "", invalid(name, value).WithDetail("%s", detail)
		}
	}
	s.Env.DateStyle = l.Style
	return l.String(), nil
}

// dateStyleList is what the words of a list have made of a style so far.
type dateStyleList struct {
	datestyle.Style
	hasForm, hasOrder bool
}

// add takes one more word, or says what is wrong with it.
func (l *dateStyleList) add(s *Settings, word string) (detail string) {
	switch {
	case word == "iso":
		return l.form(datestyle.ISO)
	case word == "sql":
		return l.form(datestyle.SQL)
	case strings.HasPrefix(word, "postgres"):
		return l.form(datestyle.Postgres)
	case word == "german":
		if !l.hasOrder {
			l.Order = datestyle.DMY
		}
		return l.form(datestyle.German)
	case word == "ymd":
		return l.order(datestyle.YMD)
	case word == "dmy", strings.HasPrefix(word, "euro"):
		return l.order(datestyle.DMY)
	case word == "mdy", word == "us", strings.HasPrefix(word, "noneuro"):
		return l.order(datestyle.MDY)
	case word == "default":
		return l.initial(s)
	}
	return "Unrecognized key word: \"" + word + "\"."
}

func (l *dateStyleList) form(f datestyle.Form) (detail string) {
	if l.hasForm && l.Form != f {
		return "Conflicting \"datestyle\" specifications."
	}
	l.Form, l.hasForm = f, true
	return ""
}

func (l *dateStyleList) order(o datestyle.Order) (detail string) {
	if l.hasOrder && l.Order != o {
		return "Conflicting \"datestyle\" specifications."
	}
	l.Order, l.hasOrder = o, true
	return ""
}

// initial takes for what no word has said the value that the session began with.
func (l *dateStyleList) initial(s *Settings) (detail string) {
	var first dateStyleList
	for word := range strings.SplitSeq(s.Defaults["datestyle"], ",") {
		if detail := first.add(s, strings.ToLower(strings.TrimSpace(word))); detail != "" {
			return detail
		}
	}
	if !l.hasForm {
		l.Form = first.Form
	}
	if !l.hasOrder {
		l.Order = first.Order
	}
	return ""
}

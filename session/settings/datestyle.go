package settings

import (
	"strings"

	"zproxy/sqlerr"
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
		if err := l.add(s, strings.ToLower(strings.Trim(word, " \t\n\r\"'"))); err != nil {
			return "", invalid(name, value).WithDetail("%s", err.Message)
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

// add takes one more word. The message of an error is the detail of another.
func (l *dateStyleList) add(s *Settings, word string) *sqlerr.Error {
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
	return sqlerr.New(sqlerr.InvalidParameterValue, "Unrecognized key word: \"%s\".", word)
}

func (l *dateStyleList) form(f datestyle.Form) *sqlerr.Error {
	if l.hasForm && l.Form != f {
		return sqlerr.New(sqlerr.InvalidParameterValue, "Conflicting \"datestyle\" specifications.")
	}
	l.Form, l.hasForm = f, true
	return nil
}

func (l *dateStyleList) order(o datestyle.Order) *sqlerr.Error {
	if l.hasOrder && l.Order != o {
		return sqlerr.New(sqlerr.InvalidParameterValue, "Conflicting \"datestyle\" specifications.")
	}
	l.Order, l.hasOrder = o, true
	return nil
}

// initial takes for what no word has said the value that the session began with.
func (l *dateStyleList) initial(s *Settings) *sqlerr.Error {
	var first dateStyleList
	for word := range strings.SplitSeq(s.Defaults["datestyle"], ",") {
		if err := first.add(s, strings.ToLower(strings.TrimSpace(word))); err != nil {
			return err
		}
	}
	if !l.hasForm {
		l.Form = first.Form
	}
	if !l.hasOrder {
		l.Order = first.Order
	}
	return nil
}

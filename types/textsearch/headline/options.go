package headline

import (
	"math"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/integer"
)

// Options say how a headline looks.
type Options struct {
	MaxWords, MinWords, ShortWord int
	Fragments                     int // how many parts are shown at most; 0: one
	All                           bool
	Start, Stop, Delimiter        string
}

func defaults() Options {
	return Options{MaxWords: 35, MinWords: 15, ShortWord: 3, Start: "<b>", Stop: "</b>", Delimiter: " ... "}
}

// ParseOptions reads options as ts_headline has them: name=value, ...
func ParseOptions(text string) (Options, error) {
	o := defaults()
	l := list{text: text}
	for {
		name, value, ok := l.next()
		if l.bad {
			return o, sqlerr.New(sqlerr.SyntaxError, "invalid parameter list format: \"%s\"", text)
		}
		if !ok {
			return o, o.check()
		}
		if err := o.set(name, value); err != nil {
			return o, err
		}
	}
}

func (o *Options) set(name, value string) error {
	numbers := map[string]*int{
		"maxwords": &o.MaxWords, "minwords": &o.MinWords, "shortword": &o.ShortWord, "maxfragments": &o.Fragments,
	}
	texts := map[string]*string{"startsel": &o.Start, "stopsel": &o.Stop, "fragmentdelimiter": &o.Delimiter}
	key := strings.ToLower(name)
	if number := numbers[key]; number != nil {
		n, err := integer.Parse(value, math.MinInt32, math.MaxInt32, "integer")
		*number = int(n)
		return err
	}
	if text := texts[key]; text != nil {
		*text = value
		return nil
	}
	if key != "highlightall" {
		return sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized headline parameter: \"%s\"", name)
	}
	switch strings.ToLower(value) {
	case "1", "on", "true", "t", "y", "yes":
		o.All = true
	default:
		o.All = false
	}
	return nil
}

func (o *Options) check() error {
	wrong := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.InvalidParameterValue, format, args...)
	}
	switch {
	case o.All:
	case o.MinWords >= o.MaxWords:
		return wrong("MinWords should be less than MaxWords")
	case o.MinWords <= 0:
		return wrong("MinWords should be positive")
	case o.ShortWord < 0:
		return wrong("ShortWord should be >= 0")
	case o.Fragments < 0:
		return wrong("MaxFragments should be >= 0")
	}
	for _, s := range []struct{ name, value string }{
		{"StartSel", o.Start}, {"StopSel", o.Stop}, {"FragmentDelimiter", o.Delimiter},
	} {
		if len(s.value) > math.MaxInt16 {
			return wrong("value for \"%s\" is too long", s.name)
		}
	}
	return nil
}

// list reads names and values, which may be quoted; a quote within quotes is written twice.
type list struct {
	text string
	at   int
	bad  bool
}

func (l *list) skip(more string) {
	for l.at < len(l.text) && (form.IsSpace(l.text[l.at]) || strings.IndexByte(more, l.text[l.at]) >= 0) {
		l.at++
	}
}

// next reads a name and its value; false: there is none.
func (l *list) next() (name, value string, ok bool) {
	l.skip(",")
	if l.at == len(l.text) {
		return "", "", false
	}
	if l.text[l.at] == '"' {
		name = l.quoted('"')
	} else {
		from := l.at
		l.at++
		for l.at < len(l.text) && l.text[l.at] != '=' && !form.IsSpace(l.text[l.at]) {
			l.at++
		}
		name = l.text[from:l.at]
	}
	l.skip("")
	if l.at == len(l.text) || l.text[l.at] != '=' {
		l.bad = true
		return "", "", false
	}
	l.at++
	l.skip("")
	return name, l.value(), !l.bad
}

func (l *list) value() string {
	rest := l.text[l.at:]
	switch {
	case rest == "":
		l.bad = true
		return ""
	case strings.HasPrefix(rest, "E'"):
		l.at++
		return strings.ReplaceAll(l.quoted('\''), `\\`, `\`)
	case rest[0] == '\'':
		return strings.ReplaceAll(l.quoted('\''), `\\`, `\`)
	case rest[0] == '"':
		return l.quoted('"')
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r == ',' || r < 128 && form.IsSpace(byte(r)) })
	if end < 0 {
		end = len(rest)
	}
	l.at += end
	return rest[:end]
}

func (l *list) quoted(quote byte) string {
	var out strings.Builder
	for l.at++; l.at < len(l.text); l.at++ {
		c := l.text[l.at]
		if c == quote {
			l.at++
			if l.at == len(l.text) || l.text[l.at] != quote {
				return out.String()
			}
		}
		out.WriteByte(c)
	}
	l.bad = true
	return ""
}

package format

import (
	"strings"
	"unicode/utf8"
	"unsafe"

	"zproxy/expr"
	"zproxy/expr/work"
	"zproxy/sqlerr"
)

// patternKind says what a piece of a pattern of to_char and its like is.
type patternKind uint8

const (
	patternField     patternKind = iota
	patternSeparator             // punctuation outside of quotes, in patterns of times
	patternSpace
	patternText
)

// pattern is one piece: a field, or one character.
type pattern struct {
	kind patternKind
	key  string // of a field, in capitals
	text string // as it was written
	fill bool   // FM: no padding
	tm   bool   // TM: no padding, in the language of the locale
	th   string // TH or th
}

// patternWords are the fields of a kind of pattern, by their spelling.
type patternWords struct {
	words  map[string]string // to the key
	longer int
	time   bool // has FM, TM and TH around a field, and separators
	strict bool // nothing stands between fields but standardSeparators and what is in quotes
}

func newPatternWords(time bool, list string, mixed ...string) *patternWords {
	w := &patternWords{words: map[string]string{}, time: time}
	for _, word := range append(strings.Fields(list), mixed...) {
		key := strings.ToUpper(word)
		w.words[word] = key
		if len(mixed) == 0 || word == key {
			w.words[strings.ToLower(word)] = key
		}
		w.longer = max(w.longer, len(word))
	}
	return w
}

var timePatterns = newPatternWords(true,
	"A.D. A.M. AD AM B.C. BC CC DAY DDD DD DY D FF1 FF2 FF3 FF4 FF5 FF6 FX HH24 HH12 HH IDDD ID IW IYYY IYY IY I J "+
		"MI MM MONTH MON MS OF P.M. PM Q RM SSSSS SSSS SS TZH TZM TZ US WW W Y,YYY YYYY YYY YY Y",
	"Day", "Dy", "Month", "Mon")

var numberPatterns = newPatternWords(false, ", . 0 9 B C D EEEE FM G L MI PL PR RN SG SP S TH V")

// find is the longest field at the start of s.
func (w *patternWords) find(s string) (word string) {
	for n := min(len(s), w.longer); n > 0; n-- {
		if w.words[s[:n]] != "" {
			return s[:n]
		}
	}
	return ""
}

// patternUnits is the work of reading one piece of a pattern, and of using it.
const patternUnits = 256

// parse takes a pattern to pieces, or remembers them from another row.
func (w *patternWords) parse(c *expr.Context, s string) ([]pattern, error) {
	key := work.Pattern{By: w, Text: s}
	if known, ok := c.Patterns.Get(key).([]pattern); ok {
		return known, nil
	}
	key.Text = strings.Clone(s) // which may be part of a batch
	all, err := w.read(c, key.Text)
	if err == nil {
		c.Patterns.Put(key, all, len(all))
	}
	return all, err
}

// read takes a pattern to pieces. What is between double quotes is text, and a backslash there takes the next character
// as it is.
func (w *patternWords) read(c *expr.Context, s string) (all []pattern, err error) {
	counted := 0
	for s != "" {
		if err := pieced(c, len(all)-counted); err != nil {
			return nil, err
		}
		counted = len(all)
		var p pattern
		if w.time {
			p, s = patternPrefix(s)
		}
		if word := w.find(s); word != "" {
			p.key, p.text = w.words[word], word
			s = s[len(word):]
			if w.time {
				p.th, s = patternSuffix(s)
			}
			all = append(all, p)
			continue
		}
		if s == "" {
			break
		}
		if w.strict && s[0] != '"' && !strings.Contains(standardSeparators, s[:1]) {
			_, n := utf8.DecodeRuneInString(s)
			return nil, sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid datetime format separator: \"%s\"", s[:n])
		}
		if s[0] == '"' {
			if all, s, err = appendQuoted(c, all, s[1:]); err != nil {
				return nil, err
			}
			counted = len(all)
			continue
		}
		if strings.HasPrefix(s, `\"`) {
			s = s[1:]
		}
		_, n := utf8.DecodeRuneInString(s)
		all = append(all, pattern{kind: w.kindOf(s[0]), text: s[:n]})
		s = s[n:]
	}
	return all, nil
}

// pieced charges pieces of a pattern, and their work.
func pieced(c *expr.Context, n int) error {
	if err := c.Tick(n * patternUnits); err != nil {
		return err
	}
	return c.Grow(n * int(unsafe.Sizeof(pattern{})))
}

func (w *patternWords) kindOf(c byte) patternKind {
	switch {
	case w.time && ('!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'):
		return patternSeparator
	case c == ' ' || '\t' <= c && c <= '\r':
		return patternSpace
	}
	return patternText
}

func patternPrefix(s string) (p pattern, rest string) {
	if len(s) >= 2 {
		switch s[:2] {
		case "FM", "fm":
			return pattern{fill: true}, s[2:]
		case "TM", "tm":
			return pattern{tm: true}, s[2:]
		}
	}
	return pattern{}, s
}

func patternSuffix(s string) (th, rest string) {
	if len(s) >= 2 {
		switch s[:2] {
		case "TH", "th":
			return s[:2], s[2:]
		case "SP":
			return "", s[2:]
		}
	}
	return "", s
}

func appendQuoted(c *expr.Context, all []pattern, s string) ([]pattern, string, error) {
	for s != "" {
		if s[0] == '"' {
			return all, s[1:], nil
		}
		if err := pieced(c, 1); err != nil {
			return nil, "", err
		}
		if s[0] == '\\' && len(s) > 1 {
			s = s[1:]
		}
		_, n := utf8.DecodeRuneInString(s)
		all = append(all, pattern{kind: patternText, text: s[:n]})
		s = s[n:]
	}
	return all, s, nil
}

// ordinal is the English ending behind a number: st, nd, rd or th.
func ordinal(number string, th string) string {
	ending := "th"
	if n := len(number); n == 1 || n > 1 && number[n-2] != '1' {
		switch number[n-1] {
		case '1':
			ending = "st"
		case '2':
			ending = "nd"
		case '3':
			ending = "rd"
		}
	}
	if th == "TH" {
		return strings.ToUpper(ending)
	}
	return ending
}

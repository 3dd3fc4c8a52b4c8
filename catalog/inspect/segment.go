package inspect

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"zproxy/types"
)

// segment is a piece of the text of a key: a literal, or a value that items of the kind have.
type segment struct {
	literal string // a literal; where values is nil
	values  map[int]string
	label   string // the word before a value
	nth     int    // which value behind the label, from 0
	typ     types.T
	width   int    // of a number: digits, padded with zeros; 0: not padded
	name    string // of the attribute with the same value, empty if there is none
	column  int    // in builder.columns
	key     string // the attribute that it is a piece of
}

func (s *segment) isLiteral() bool { return s.values == nil }

// keyText is the text of a key attribute in pieces.
type keyText struct {
	attribute string
	index     bool // it is the key of an index only
	segments  []segment
}

// plain says whether the text of a key is one value and nothing else.
func (k *keyText) plain() bool { return len(k.segments) == 1 && !k.segments[0].isLiteral() }

// What a share of the values must be like, so that others are mistakes.
const (
	leastTyped = 0.9  // have the type of the piece
	leastEqual = 0.98 // are equal to an attribute, or among themselves
	leastThere = 0.95 // have the attribute at all
)

var (
	uuidText  = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
	numeral   = regexp.MustCompile(`^[0-9]{1,19}$`)
	timestamp = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}T`)
)

// A text piece is read back as the same text only if it is written just so.
func isUUID(text string) bool { return uuidText.MatchString(text) }

func isDate(text string) bool {
	at, err := time.Parse("2006-01-02", text)
	return err == nil && at.Year() > 0
}

func isInteger(text string) bool {
	if !numeral.MatchString(text) || len(text) > 1 && text[0] == '0' {
		return false
	}
	_, err := strconv.ParseInt(text, 10, 64)
	return err == nil
}

// isPadded says whether a text is a number of so many digits.
func isPadded(text string, width int) bool {
	_, err := strconv.ParseInt(text, 10, 64)
	return len(text) == width && numeral.MatchString(text) && err == nil
}

// mostDigits is how many digits a number has at most that becomes an integer. A longer one may grow out of it.
const mostDigits = 9

// infer finds the type that most of the values have, and how numbers are padded. Otherwise it is text.
func (s *segment) infer() {
	s.typ, s.width = types.Text, 0
	if len(s.values) == 0 {
		return
	}
	for _, t := range []types.T{types.Of(types.OIDUUID), types.Of(types.OIDDate), types.Of(types.OIDInt4)} {
		if s.share(func(text string) bool { return fits(text, t, 0) }) >= leastTyped {
			s.typ = t
			s.enlarge()
			return
		}
	}
	var lengths []int
	for _, text := range s.values {
		if numeral.MatchString(text) {
			lengths = append(lengths, len(text))
		}
	}
	if width, n := most(lengths); float64(n) >= leastTyped*float64(len(s.values)) &&
		s.share(func(text string) bool { return isPadded(text, width) }) >= leastTyped {
		s.typ, s.width = types.Of(types.OIDInt4), width
		s.enlarge()
	}
}

// enlarge makes a bigint of an integer whose values have many digits.
func (s *segment) enlarge() {
	if s.typ.OID == types.OIDInt4 && s.share(func(text string) bool { return len(text) <= mostDigits }) < 1 {
		s.typ = types.Of(types.OIDInt8)
	}
}

// share is how many of the values meet a condition.
func (s *segment) share(ok func(text string) bool) float64 {
	n := 0
	for _, text := range s.values {
		if ok(text) {
			n++
		}
	}
	return float64(n) / float64(len(s.values))
}

// fits says whether a value of a type is written as a text.
func fits(text string, t types.T, width int) bool {
	switch t.OID {
	case types.OIDUUID:
		return isUUID(text)
	case types.OIDDate:
		return isDate(text)
	case types.OIDInt4, types.OIDInt8:
		return width > 0 && isPadded(text, width) || width == 0 && isInteger(text)
	}
	return true
}

// number is the digits of a number without the zeros before it.
func number(text string) string {
	if digits := strings.TrimLeft(text, "0"); digits != "" {
		return digits
	}
	return "0"
}

// distinct says whether there are at least two different values.
func (s *segment) distinct() bool {
	first, some := "", false
	for _, text := range s.values {
		if some && text != first {
			return true
		}
		first, some = text, true
	}
	return false
}

// same is whether two pieces always have the same value, in the items that have both.
func (s *segment) same(t *segment) bool {
	numbers := s.typ.Kind() == types.KindInt && t.typ.Kind() == types.KindInt
	both, equal := 0, 0
	for i, a := range s.values {
		b, ok := t.values[i]
		if !ok {
			continue
		}
		both++
		if a == b || numbers && number(a) == number(b) {
			equal++
		}
	}
	return both >= min(fewestItems, len(s.values), len(t.values)) && both > 0 &&
		float64(equal) >= leastEqual*float64(both) &&
		(s.distinct() && t.distinct() || s.label != "" && plain(s.label) == plain(t.label))
}

// joinLiterals makes one of literals that follow each other.
func joinLiterals(list []segment) (out []segment) {
	for _, s := range list {
		if n := len(out); s.isLiteral() && n > 0 && out[n-1].isLiteral() {
			out[n-1].literal += s.literal
			continue
		}
		if s.isLiteral() && s.literal == "" {
			continue
		}
		out = append(out, s)
	}
	return out
}

// labelValues notes for each value the word before it.
func labelValues(list []segment, sep string) {
	word, nth := "", 0
	for i := range list {
		s := &list[i]
		if !s.isLiteral() {
			s.label, s.nth = word, nth
			nth++
			continue
		}
		found := strings.FieldsFunc(s.literal, func(r rune) bool { return string(r) == sep })
		slices.Reverse(found)
		for _, text := range found {
			if text = strings.Trim(text, separators); text != "" {
				word, nth = text, 0
				break
			}
		}
	}
}

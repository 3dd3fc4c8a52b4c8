package ranges

import (
	"strings"

	"zproxy/sqlerr"
)

// space is what C's isspace takes.
const space = " \t\n\v\f\r"

// AppendText appends the text form, in which value writes values.
func AppendText[V Value[V]](dst []byte, r Range[V], value func(dst []byte, v V) []byte) []byte {
	if r.Empty {
		return append(dst, "empty"...)
	}
	if r.Lower.Inclusive {
		dst = append(dst, '[')
	} else {
		dst = append(dst, '(')
	}
	dst = appendBound(dst, r.Lower, value)
	dst = appendBound(append(dst, ','), r.Upper, value)
	if r.Upper.Inclusive {
		return append(dst, ']')
	}
	return append(dst, ')')
}

func appendBound[V Value[V]](dst []byte, b Bound[V], value func(dst []byte, v V) []byte) []byte {
	if b.Infinite {
		return dst
	}
	start := len(dst)
	dst = value(dst, b.Value)
	text := string(dst[start:])
	if text != "" && !strings.ContainsAny(text, `"\()[],`+space) {
		return dst
	}
	dst = append(dst[:start], '"')
	for i := range len(text) {
		if text[i] == '"' || text[i] == '\\' {
			dst = append(dst, text[i])
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}

func malformed(kind, text, detail string) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, "malformed %s literal: \"%s\"", kind, text).
		WithDetail("%s", detail)
}

// reader reads a text form. What it is of is in errors.
type reader struct {
	text string
	at   int
}

func (r *reader) fail(detail string) error { return malformed("range", r.text, detail) }

func (r *reader) skip() {
	for r.at < len(r.text) && strings.IndexByte(space, r.text[r.at]) >= 0 {
		r.at++
	}
}

// next is the byte to come, 0 at the end.
func (r *reader) next() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

// Parse reads the text form, in which value reads values.
func (s *Subtype[V]) Parse(text string, value func(text string) (V, error)) (Range[V], error) {
	r := &reader{text: text}
	r.skip()
	const empty = "empty"
	if word := r.text[r.at:]; len(word) >= len(empty) && strings.EqualFold(word[:len(empty)], empty) {
		r.at += len(empty)
		if r.skip(); r.at < len(text) {
			return Range[V]{}, r.fail(`Junk after "empty" key word.`)
		}
		return Range[V]{Empty: true}, nil
	}
	lower, upper, err := r.ends()
	if err != nil {
		return Range[V]{}, err
	}
	bounds := [2]Bound[V]{}
	for i, e := range []end{lower, upper} {
		bounds[i] = Bound[V]{Infinite: !e.given}
		if e.given {
			if bounds[i].Value, err = value(e.text); err != nil {
				return Range[V]{}, err
			}
		}
		bounds[i].Inclusive = e.inclusive
	}
	return s.Make(bounds[0], bounds[1])
}

// end is a bound as it is written.
type end struct {
	text             string
	given, inclusive bool
}

// ends reads a range that is not empty.
func (r *reader) ends() (lower, upper end, err error) {
	switch r.next() {
	case '[':
		lower.inclusive = true
	case '(':
	default:
		return lower, upper, r.fail("Missing left parenthesis or bracket.")
	}
	r.at++
	if r.next() != ',' {
		if err = r.end(&lower); err != nil {
			return lower, upper, err
		}
	}
	if r.next() != ',' {
		return lower, upper, r.fail("Missing comma after lower bound.")
	}
	r.at++
	if c := r.next(); c != ')' && c != ']' {
		if err = r.end(&upper); err != nil {
			return lower, upper, err
		}
	}
	switch r.next() {
	case ']':
		upper.inclusive = true
	case ')':
	default:
		return lower, upper, r.fail("Too many commas.")
	}
	r.at++
	if r.skip(); r.at < len(r.text) {
		return lower, upper, r.fail("Junk after right parenthesis or bracket.")
	}
	return lower, upper, nil
}

// end reads the text of a bound, up to what ends it outside of quotes.
func (r *reader) end(into *end) error {
	var b strings.Builder
	quoted := false
	for into.given = true; ; r.at++ {
		c := r.next()
		switch {
		case !quoted && (c == ',' || c == ')' || c == ']'):
			into.text = b.String()
			return nil
		case r.at >= len(r.text):
			return r.fail("Unexpected end of input.")
		case c == '\\':
			if r.at++; r.at >= len(r.text) {
				return r.fail("Unexpected end of input.")
			}
			b.WriteByte(r.text[r.at])
		case c == '"' && !quoted:
			quoted = true
		case c == '"' && r.at+1 < len(r.text) && r.text[r.at+1] == '"':
			r.at++
			b.WriteByte('"')
		case c == '"':
			quoted = false
		default:
			b.WriteByte(c)
		}
	}
}

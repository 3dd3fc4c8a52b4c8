package hstore

import (
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// AppendText prints pairs as they are read again.
func (s Set) AppendText(dst []byte) []byte {
	for i, p := range s.Pairs() {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = append(appendQuoted(dst, p.Key), "=>"...)
		if p.Null {
			dst = append(dst, null...)
		} else {
			dst = appendQuoted(dst, p.Value)
		}
	}
	return dst
}

// null is the word of a value that is NULL, in any case.
const null = "NULL"

func appendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, s[i])
	}
	return append(dst, '"')
}

// Parse reads pairs: key => value, ... Each may be quoted, and a backslash takes the character behind it as it is.
func Parse(s string, work form.Work) ([]byte, error) {
	if err := form.Make(work, int64(strings.Count(s, "=>"))*pairBytes); err != nil {
		return nil, err
	}
	if err := form.Pieces(work, s, func(string) {}); err != nil {
		return nil, err
	}
	r := reader{text: s}
	var pairs []Pair
	for {
		p, ok, err := r.pair()
		switch {
		case err != nil:
			return nil, err
		case !ok:
			return Encode(Unique(pairs)), nil
		}
		pairs = append(pairs, p)
	}
}

// reader reads pairs from a position of a text on.
type reader struct {
	text string
	at   int
}

// pair reads a pair and the comma behind it; it says false at the end of the text.
func (r *reader) pair() (p Pair, ok bool, err error) {
	if r.space(); r.at == len(r.text) {
		return p, false, nil
	}
	if p.Key, _, err = r.word('='); err != nil {
		return p, false, err
	}
	r.space()
	for _, c := range []byte("=>") {
		if err := r.want(c); err != nil {
			return p, false, err
		}
	}
	if r.space(); r.at == len(r.text) {
		return p, false, cutOff()
	}
	value, quoted, err := r.word(',')
	if err != nil {
		return p, false, err
	}
	if p.Null = !quoted && strings.EqualFold(value, null); !p.Null {
		p.Value = value
	}
	if r.space(); r.at < len(r.text) {
		err = r.want(',')
	}
	return p, true, err
}

// word reads a key or a value, which ends at a space or before a character, unless it begins with it as a value may.
func (r *reader) word(end byte) (word string, quoted bool, err error) {
	if r.text[r.at] == '"' {
		r.at++
		word, err = r.quoted()
		return word, true, err
	}
	var out []byte
	for first := true; r.at < len(r.text); first = false {
		c := r.text[r.at]
		switch {
		case c == '=' && end == '=' && first:
			return "", false, r.unexpected()
		case c == end && !first || isSpace(c):
			return string(out), false, nil
		case c == '\\':
			if r.at++; r.at == len(r.text) {
				return "", false, cutOff()
			}
			c = r.text[r.at]
		}
		out = append(out, c)
		r.at++
	}
	return string(out), false, nil
}

// quoted reads to the quote that ends a word, and past it.
func (r *reader) quoted() (string, error) {
	var out []byte
	for ; r.at < len(r.text); r.at++ {
		c := r.text[r.at]
		if c == '"' {
			r.at++
			return string(out), nil
		}
		if c == '\\' {
			if r.at++; r.at == len(r.text) {
				break
			}
			c = r.text[r.at]
		}
		out = append(out, c)
	}
	return "", cutOff()
}

func (r *reader) space() { r.at += form.SpanWhile(r.text[r.at:], isSpace) }

// isSpace is that of PostgreSQL's own grammar.
func isSpace(c byte) bool { return form.IsSpace(c) && c != '\v' }

// want reads one character.
func (r *reader) want(c byte) error {
	switch {
	case r.at == len(r.text):
		return cutOff()
	case r.text[r.at] != c:
		return r.unexpected()
	}
	r.at++
	return nil
}

// unexpected is PostgreSQL's error of a character, which it reports as one of its own.
func (r *reader) unexpected() error {
	c := r.text[r.at:]
	c = c[:form.CharacterLength(c)]
	return sqlerr.New(sqlerr.InternalError, "Syntax error near %q at position %d", c, r.at)
}

func cutOff() error { return sqlerr.New(sqlerr.InternalError, "Unexpected end of string") }

package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"zproxy/types/textsearch/vector"
)

// web reads a query as search engines do: words, phrases in quotes, "or", and a minus for what must not match. No text
// is wrong.
type web struct {
	vector.Scanner
	operand Operand
}

// ReadWeb reads a query as websearch_to_tsquery has it. nil: there is none in the text.
func ReadWeb(text string, operand Operand) (*Node, error) {
	w := &web{operand: operand}
	w.Scanner = vector.Scanner{Text: text, Kind: "tsquery", Whole: text, Query: true, Web: true}
	var b builder
	for first := true; ; first = false {
		n, err := w.next(&b, first)
		if err != nil {
			return nil, err
		}
		if n == nil {
			return nil, nil // of an empty text
		}
		b.push(n)
		op := w.operator()
		if op == Word {
			all := b.all()
			return all, all.check()
		}
		if err := b.operator(op, 0); err != nil {
			return nil, err
		}
	}
}

// next reads an operand. Where there is none, nothing has to match.
func (w *web) next(b *builder, first bool) (*Node, error) {
	for {
		w.Space()
		if w.At == len(w.Text) {
			if first {
				return nil, nil
			}
			return NewStop(), nil
		}
		switch c := w.Text[w.At]; {
		case c == '-':
			w.At++
			if err := b.operator(Not, 0); err != nil {
				return nil, err
			}
		case c == '"':
			phrase, rest, _ := strings.Cut(w.Text[w.At+1:], `"`)
			w.At = len(w.Text) - len(rest)
			return w.operand(phrase, 0, false)
		case strings.IndexByte("!&|()<", c) >= 0:
			w.At++
		default:
			word, _, err := w.Word()
			if err != nil {
				return nil, err
			}
			return w.operand(word, 0, false)
		}
		first = false
	}
}

// operator is the operator behind an operand: Or, or And without a word; Word: the text ends.
func (w *web) operator() Op {
	w.Space()
	switch {
	case w.At == len(w.Text):
		return Word
	case w.or():
		return Or
	}
	return And
}

// or steps over the word "or", if something follows it.
func (w *web) or() bool {
	s := w.Text[w.At:]
	if len(s) < 3 || !strings.EqualFold(s[:2], "or") {
		return false
	}
	r, n := utf8.DecodeRuneInString(s[2:])
	if r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) {
		return false
	}
	if strings.TrimFunc(s[2+n:], unicode.IsSpace) == "" {
		return false
	}
	w.At += 2
	return true
}

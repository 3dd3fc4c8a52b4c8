// Package expression reads DynamoDB's expressions: conditions of keys, writes and filters,
// projections and updates. It finds the same faults in them as DynamoDB does. Where they stand in a request is not
// known here. Read ParseCondition first.
package expression

import (
	"fmt"
	"strings"
)

// Error is what is wrong with an expression, in DynamoDB's words.
type Error struct{ Message string }

// Error implements error.
func (e *Error) Error() string { return e.Message }

func invalid(format string, args ...any) error { return &Error{Message: fmt.Sprintf(format, args...)} }

// shape is what a token looks like.
type shape uint8

const (
	end shape = iota
	word
	name   // #name
	value  // :value
	number // of an element of a list
	mark   // an operator or a bracket
	broken // a character that begins no token
)

// token is a piece of an expression and where it is.
type token struct {
	shape    shape
	text     string
	from, to int
}

// is says whether a token is a word of the language, in any case, or a mark.
func (t *token) is(text string) bool {
	return (t.shape == word || t.shape == mark) && strings.EqualFold(t.text, text)
}

// lex takes an expression apart. The last token is the end.
func lex(text string) []token {
	var tokens []token
	for i := 0; ; {
		for i < len(text) && strings.IndexByte(" \t\r\n", text[i]) >= 0 {
			i++
		}
		if i == len(text) {
			return append(tokens, token{shape: end, text: "<EOF>", from: i, to: i})
		}
		t := token{from: i}
		t.shape, t.to = next(text, i)
		t.text, i = text[t.from:t.to], t.to
		tokens = append(tokens, t)
	}
}

// next finds the end of the token at a place that is not blank.
func next(text string, from int) (shape, int) {
	c := text[from]
	switch {
	case letter(c):
		return word, run(text, from)
	case c == '#' || c == ':':
		to := run(text, from+1)
		switch {
		case to == from+1:
			return broken, to
		case c == '#':
			return name, to
		}
		return value, to
	case digit(c):
		to := from
		for to < len(text) && digit(text[to]) {
			to++
		}
		return number, to
	case strings.IndexByte("=().,[]+-", c) >= 0:
		return mark, from + 1
	case c == '<' || c == '>':
		if to := from + 2; to <= len(text) && (text[from+1] == '=' || c == '<' && text[from+1] == '>') {
			return mark, to
		}
		return mark, from + 1
	}
	return broken, from + 1
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

// run is the end of letters and digits.
func run(text string, from int) int {
	for from < len(text) && (letter(text[from]) || digit(text[from]) || text[from] == '_') {
		from++
	}
	return from
}

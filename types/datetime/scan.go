package datetime

import (
	"strings"

	"zproxy/types/form"
)

// TokenKind is what a run of characters of a date and time looks like before anything is
// known about the others (PostgreSQL's manual, appendix B.1).
type TokenKind uint8

const (
	TokenNumber TokenKind = iota // digits, maybe with a point
	TokenDate                    // digits or words joined by - / or .
	TokenTime                    // digits joined by : and .
	TokenOffset                  // a sign and digits
	TokenWord                    // letters, maybe after a sign
)

// Token is a run of characters of a text.
type Token struct {
	Kind TokenKind
	Text string // in lower case
}

// maxTokens bounds the work on one string.
const maxTokens = 25

// Scan splits a date and time into tokens. s is in lower case.
func Scan(s string) ([]Token, error) {
	tokens := make([]Token, 0, 8)
	for s != "" {
		c := s[0]
		if form.IsSpace(c) || isPunctuation(c) && c != '+' && c != '-' && c != '.' {
			s = s[1:]
			continue
		}
		var t Token
		switch {
		case form.IsDigit(c) || c == '.':
			t = scanNumeric(s)
			s = s[len(t.Text):]
		case form.IsLetter(c):
			t = scanWord(s)
			s = s[len(t.Text):]
		case c == '+' || c == '-':
			rest := skipSpaces(s[1:])
			t = scanSigned(rest)
			s = rest[len(t.Text):]
			t.Text = string(c) + t.Text
		}
		if len(t.Text) < 1 || t.Text == "+" || t.Text == "-" || len(tokens) == maxTokens {
			return nil, ErrFormat
		}
		tokens = append(tokens, t)
	}
	return tokens, nil
}

// scanNumeric scans what begins with a digit or a point: a time, a date or a number.
func scanNumeric(s string) Token {
	if s[0] == '.' {
		return Token{TokenNumber, s[:1+form.SpanWhile(s[1:], form.IsDigit)]}
	}
	n := form.SpanWhile(s, form.IsDigit)
	if n == len(s) {
		return Token{TokenNumber, s}
	}
	switch c := s[n]; {
	case c == ':':
		n += form.SpanWhile(s[n:], func(c byte) bool { return form.IsDigit(c) || c == ':' || c == '.' })
		return Token{TokenTime, s[:n]}
	case c == '-' || c == '/' || c == '.':
		return scanDateToken(s, n)
	}
	return Token{TokenNumber, s[:n]}
}

// scanDateToken scans digits that a delimiter follows at n. Two groups around a point
// are a number still.
func scanDateToken(s string, n int) Token {
	delimiter := s[n]
	n++
	if n == len(s) || !form.IsDigit(s[n]) {
		n += form.SpanWhile(s[n:], func(c byte) bool { return form.IsDigit(c) || form.IsLetter(c) || c == delimiter })
		return Token{TokenDate, s[:n]}
	}
	n += form.SpanWhile(s[n:], form.IsDigit)
	if n == len(s) || s[n] != delimiter {
		if delimiter == '.' {
			return Token{TokenNumber, s[:n]}
		}
		return Token{TokenDate, s[:n]}
	}
	n += form.SpanWhile(s[n:], func(c byte) bool { return form.IsDigit(c) || c == delimiter })
	return Token{TokenDate, s[:n]}
}

// scanWord scans letters. When punctuation or digits follow that do not start another
// token, it is a date with the name of a month, or the name of a time zone.
func scanWord(s string) Token {
	n := form.SpanWhile(s, form.IsLetter)
	if n == len(s) {
		return Token{TokenWord, s}
	}
	joined := s[n] == '-' || s[n] == '/' || s[n] == '.'
	if s[n] == '+' || form.IsDigit(s[n]) {
		_, known := dateWords[s[:n]]
		joined = !known
	}
	if !joined {
		return Token{TokenWord, s[:n]}
	}
	n += form.SpanWhile(s[n:], func(c byte) bool {
		return form.IsDigit(c) || form.IsLetter(c) || strings.IndexByte("+-/_.:", c) >= 0
	})
	return Token{TokenDate, s[:n]}
}

// scanSigned scans what follows a sign: the digits of an offset from UTC or a word.
func scanSigned(s string) Token {
	switch {
	case s == "":
	case form.IsDigit(s[0]):
		n := form.SpanWhile(s, func(c byte) bool { return form.IsDigit(c) || c == ':' || c == '.' || c == '-' })
		return Token{TokenOffset, s[:n]}
	case form.IsLetter(s[0]):
		return Token{TokenWord, s[:form.SpanWhile(s, form.IsLetter)]}
	}
	return Token{}
}

func skipSpaces(s string) string { return s[form.SpanWhile(s, form.IsSpace):] }

func isPunctuation(c byte) bool {
	return '!' <= c && c <= '~' && !form.IsDigit(c) && !form.IsLetter(c)
}

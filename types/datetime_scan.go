package types

import "zproxy/types/form"

// tokenKind is what a run of characters of a date and time looks like before anything is
// known about the others (PostgreSQL's manual, appendix B.1).
type tokenKind uint8

const (
	tokenNumber tokenKind = iota // digits, maybe with a point
	tokenDate                    // digits or words joined by - / or .
	tokenTime                    // digits joined by : and .
	tokenOffset                  // a sign and digits
	tokenWord                    // letters, maybe after a sign
)

type token struct {
	kind tokenKind
	text string // in lower case
}

// maxTokens bounds the work on one string.
const maxTokens = 25

// scanDateTime splits a date and time into tokens. s is in lower case.
func scanDateTime(s string) ([]token, error) {
	tokens := make([]token, 0, 8)
	for s != "" {
		c := s[0]
		if form.IsSpace(c) || isPunctuation(c) && c != '+' && c != '-' && c != '.' {
			s = s[1:]
			continue
		}
		var t token
		switch {
		case form.IsDigit(c) || c == '.':
			t = scanNumeric(s)
			s = s[len(t.text):]
		case form.IsLetter(c):
			t = scanWord(s)
			s = s[len(t.text):]
		case c == '+' || c == '-':
			rest := skipSpaces(s[1:])
			t = scanSigned(rest)
			s = rest[len(t.text):]
			t.text = string(c) + t.text
		}
		if len(t.text) < 1 || t.text == "+" || t.text == "-" || len(tokens) == maxTokens {
			return nil, errDateFormat
		}
		tokens = append(tokens, t)
	}
	return tokens, nil
}

// scanNumeric scans what begins with a digit or a point: a time, a date or a number.
func scanNumeric(s string) token {
	if s[0] == '.' {
		return token{tokenNumber, s[:1+form.SpanWhile(s[1:], form.IsDigit)]}
	}
	n := form.SpanWhile(s, form.IsDigit)
	if n == len(s) {
		return token{tokenNumber, s}
	}
	switch c := s[n]; {
	case c == ':':
		n += form.SpanWhile(s[n:], func(c byte) bool { return form.IsDigit(c) || c == ':' || c == '.' })
		return token{tokenTime, s[:n]}
	case c == '-' || c == '/' || c == '.':
		return scanDateToken(s, n)
	}
	return token{tokenNumber, s[:n]}
}

// scanDateToken scans digits that a delimiter follows at n. Two groups around a point
// are a number still.
func scanDateToken(s string, n int) token {
	delimiter := s[n]
	n++
	if n == len(s) || !form.IsDigit(s[n]) {
		n += form.SpanWhile(s[n:], func(c byte) bool { return form.IsDigit(c) || form.IsLetter(c) || c == delimiter })
		return token{tokenDate, s[:n]}
	}
	n += form.SpanWhile(s[n:], form.IsDigit)
	if n == len(s) || s[n] != delimiter {
		if delimiter == '.' {
			return token{tokenNumber, s[:n]}
		}
		return token{tokenDate, s[:n]}
	}
	n += form.SpanWhile(s[n:], func(c byte) bool { return form.IsDigit(c) || c == delimiter })
	return token{tokenDate, s[:n]}
}

// scanWord scans letters. When punctuation or digits follow that do not start another
// token, it is a date with the name of a month, or the name of a time zone.
func scanWord(s string) token {
	n := form.SpanWhile(s, form.IsLetter)
	if n == len(s) {
		return token{tokenWord, s}
	}
	joined := s[n] == '-' || s[n] == '/' || s[n] == '.'
	if s[n] == '+' || form.IsDigit(s[n]) {
		_, known := dateWords[s[:n]]
		joined = !known
	}
	if !joined {
		return token{tokenWord, s[:n]}
	}
	n += form.SpanWhile(s[n:], func(c byte) bool {
		return form.IsDigit(c) || form.IsLetter(c) || c == '+' || c == '-' || c == '/' || c == '_' || c == '.' || c == ':'
	})
	return token{tokenDate, s[:n]}
}

// scanSigned scans what follows a sign: the digits of an offset from UTC or a word.
func scanSigned(s string) token {
	switch {
	case s == "":
	case form.IsDigit(s[0]):
		n := form.SpanWhile(s, func(c byte) bool { return form.IsDigit(c) || c == ':' || c == '.' || c == '-' })
		return token{tokenOffset, s[:n]}
	case form.IsLetter(s[0]):
		return token{tokenWord, s[:form.SpanWhile(s, form.IsLetter)]}
	}
	return token{}
}

func skipSpaces(s string) string { return s[form.SpanWhile(s, form.IsSpace):] }

func isPunctuation(c byte) bool {
	return '!' <= c && c <= '~' && !form.IsDigit(c) && !form.IsLetter(c)
}

package vector

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// Scanner reads lexemes of texts: those of tsvectors, and the operands of tsqueries, which have the same quotes.
type Scanner struct {
	Text string
	At   int
	// Kind is the type that errors name.
	Kind string
	// Whole is the text that errors show.
	Whole string
	// Query says that operators of queries end a lexeme.
	Query bool
	// Web says that quotes and backslashes mean nothing, as in the queries of search engines.
	Web bool
}

func (s *Scanner) failure() error {
	return sqlerr.New(sqlerr.SyntaxError, "syntax error in %s: \"%s\"", s.Kind, s.Whole)
}

// Space steps over spaces.
func (s *Scanner) Space() {
	for s.At < len(s.Text) {
		r, n := utf8.DecodeRuneInString(s.Text[s.At:])
		if !unicode.IsSpace(r) {
			return
		}
		s.At += n
	}
}

// ends says whether a word without quotes ends here.
func (s *Scanner) ends() bool {
	if s.At == len(s.Text) {
		return true
	}
	switch c := s.Text[s.At]; {
	case c < utf8.RuneSelf:
		return form.IsSpace(c) || s.Query && strings.IndexByte("!&|()<", c) >= 0 || s.Web && c == '"'
	}
	r, _ := utf8.DecodeRuneInString(s.Text[s.At:])
	return unicode.IsSpace(r)
}

// Word reads the next lexeme; false: there is none. It is at the position behind it, which for vectors may be a colon.
func (s *Scanner) Word() (word string, ok bool, err error) {
	s.Space()
	switch {
	case s.At == len(s.Text):
		return "", false, nil
	case s.Text[s.At] == '\'' && !s.Web:
		s.At++
		word, err = s.quoted()
		return word, true, err
	case s.ends():
		return "", false, s.failure()
	}
	word, err = s.plain()
	return word, true, err
}

// escaped reads the character behind a backslash.
func (s *Scanner) escaped() (string, error) {
	s.At++
	if s.At == len(s.Text) {
		return "", sqlerr.New(sqlerr.SyntaxError, "there is no escaped character: \"%s\"", s.Whole)
	}
	_, n := utf8.DecodeRuneInString(s.Text[s.At:])
	s.At += n
	return s.Text[s.At-n : s.At], nil
}

// plain reads a word without quotes. The first character may be a colon.
func (s *Scanner) plain() (string, error) {
	var out strings.Builder
	for first := true; first || !s.ends() && s.Text[s.At] != ':'; first = false {
		if s.Text[s.At] == '\\' && !s.Web {
			c, err := s.escaped()
			if err != nil {
				return "", err
			}
			out.WriteString(c)
			continue
		}
		_, n := utf8.DecodeRuneInString(s.Text[s.At:])
		out.WriteString(s.Text[s.At : s.At+n])
		s.At += n
	}
	return out.String(), nil
}

// quoted reads a word behind its first quote. Two quotes stand for one.
func (s *Scanner) quoted() (string, error) {
	var out strings.Builder
	for s.At < len(s.Text) {
		switch s.Text[s.At] {
		case '\'':
			s.At++
			if s.At == len(s.Text) || s.Text[s.At] != '\'' {
				if out.Len() == 0 {
					return "", s.failure()
				}
				return out.String(), nil
			}
			out.WriteByte('\'')
			s.At++
		case '\\':
			c, err := s.escaped()
			if err != nil {
				return "", err
			}
			out.WriteString(c)
		default:
			_, n := utf8.DecodeRuneInString(s.Text[s.At:])
			out.WriteString(s.Text[s.At : s.At+n])
			s.At += n
		}
	}
	return "", s.failure()
}

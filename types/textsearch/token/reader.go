package token

import (
	"unicode"
	"unicode/utf8"

	"zproxy/types/form"
)

// reader looks at the characters of a text.
type reader struct {
	text    string
	visited int
}

// look is the character at an offset; at the end it is -1.
func (s *reader) look(at int) (c rune, size int) {
	s.visited++
	if at >= len(s.text) {
		return -1, 0
	}
	if c := s.text[at]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s.text[at:])
}

// span is the offset behind all characters of a class.
func (s *reader) span(at int, is func(rune) bool) int {
	for {
		c, n := s.look(at)
		if n == 0 || !is(c) {
			return at
		}
		at += n
	}
}

func isASCIILetter(c rune) bool { return 0 <= c && c < utf8.RuneSelf && form.IsLetter(byte(c)) }

func isDigit(c rune) bool { return '0' <= c && c <= '9' }

func isASCIIAlnum(c rune) bool { return isASCIILetter(c) || isDigit(c) }

// isAlpha says whether C's library takes a character for a letter, such as digits of other scripts.
func isAlpha(c rune) bool {
	return isASCIILetter(c) || c >= utf8.RuneSelf && (unicode.IsLetter(c) || unicode.In(c, unicode.Nd, unicode.Nl,
		unicode.Other_Alphabetic))
}

func isAlnum(c rune) bool { return isAlpha(c) || isDigit(c) }

// isMark says whether a character joins the letters around it without being one.
func isMark(c rune) bool { return c >= utf8.RuneSelf && unicode.In(c, unicode.M) }

// in says whether a character is one of a few.
func in(c rune, of string) bool {
	for _, o := range of {
		if c == o {
			return true
		}
	}
	return false
}

package charset

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// single is an alphabet whose characters have one byte each.
type single struct {
	table *charmap.Charmap
	// controls says that the bytes 0x80 to 0x9f are the control characters of these numbers.
	controls bool
	other    map[byte]rune // what PostgreSQL has otherwise; 0: no character
}

func (s *single) length([]byte) int { return 1 }

func (s *single) longest(byte) int { return 1 }

func (s *single) char(b byte) rune {
	if r, ok := s.other[b]; ok {
		return r
	}
	if s.controls && b >= 0x80 && b < 0xa0 {
		return rune(b)
	}
	r := s.table.DecodeByte(b)
	if r == utf8.RuneError {
		return 0
	}
	return r
}

func (s *single) decode(dst, char []byte) ([]byte, bool) {
	r := s.char(char[0])
	if r == 0 {
		return dst, false
	}
	return utf8.AppendRune(dst, r), true
}

func (s *single) encode(dst []byte, r rune) ([]byte, bool) {
	for b, other := range s.other {
		if r == other {
			return append(dst, b), true
		}
	}
	if s.controls && r >= 0x80 && r < 0xa0 {
		return append(dst, byte(r)), true
	}
	b, ok := s.table.EncodeRune(r)
	if !ok || s.char(b) != r {
		return dst, false
	}
	return append(dst, b), true
}

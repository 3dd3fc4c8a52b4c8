package vector

import (
	"math"
	"strconv"
	"strings"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// Parse reads the text of a tsvector.
func Parse(text string) ([]byte, error) {
	s := &Scanner{Text: text, Kind: "tsvector", Whole: text}
	var entries []Entry
	size := 0
	for {
		word, ok, err := s.Word()
		switch {
		case err != nil:
			return nil, err
		case !ok:
			v, err := Make(entries)
			return Encode(v), err
		case len(word) > MaxLexeme:
			return nil, sqlerr.New(sqlerr.ProgramLimitExceeded,
				"word is too long (%d bytes, max %d bytes)", len(word), MaxLexeme)
		case size > maxText:
			return nil, tooLong(size)
		}
		size += len(word)
		e := Entry{Lexeme: word}
		if s.At < len(text) && text[s.At] == ':' {
			if e.Positions, err = s.positions(); err != nil {
				return nil, err
			}
		}
		entries = append(entries, e)
	}
}

// positions reads a list of positions from its colon on, up to a space.
func (s *Scanner) positions() (out []Position, err error) {
	for {
		s.At++ // the colon, or a comma
		digits := form.LeadingDigits(s.Text[s.At:])
		if digits == "" {
			return nil, s.failure()
		}
		n, err := strconv.Atoi(digits)
		if err != nil {
			n = math.MaxInt32
		}
		if int32(n) == 0 {
			return nil, sqlerr.New(sqlerr.SyntaxError, "wrong position info in tsvector: \"%s\"", s.Whole)
		}
		s.At += len(digits)
		weight, err := s.weight()
		if err != nil {
			return nil, err
		}
		out = append(out, At(n, weight))
		if s.At == len(s.Text) || s.Text[s.At] != ',' {
			return out, nil
		}
	}
}

// weight reads what stands between a number and the comma or space behind it: one letter but for D, and digits,
// which mean nothing.
func (s *Scanner) weight() (weight int, err error) {
	for s.At < len(s.Text) {
		c := s.Text[s.At]
		found := 0
		switch {
		case c == ',' || s.ends():
			return weight, nil
		case c == '*':
			found = 3
		case 'a' <= c|0x20 && c|0x20 <= 'd':
			found = 3 - int(c|0x20-'a')
		case !form.IsDigit(c):
			return 0, s.failure()
		}
		if !form.IsDigit(c) {
			if weight > 0 {
				return 0, s.failure()
			}
			weight = found
		}
		s.At++
	}
	return weight, nil
}

// AppendText appends the text of a tsvector.
func AppendText(dst, held []byte) []byte {
	for i, e := range Decode(held) {
		if i > 0 {
			dst = append(dst, ' ')
		}
		dst = AppendQuoted(dst, e.Lexeme)
		for k, p := range e.Positions {
			dst = append(dst, ":,"[min(k, 1)])
			dst = strconv.AppendInt(dst, int64(p.Number()), 10)
			if w := p.Weight(); w > 0 {
				dst = append(dst, "DCBA"[w])
			}
		}
	}
	return dst
}

var quoter = strings.NewReplacer("'", "''", `\`, `\\`)

// AppendQuoted appends a lexeme in quotes.
func AppendQuoted(dst []byte, lexeme string) []byte {
	return append(append(append(dst, '\''), quoter.Replace(lexeme)...), '\'')
}

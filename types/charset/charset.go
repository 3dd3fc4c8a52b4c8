// Package charset is the encodings of texts that clients may have: their numbers and names as PostgreSQL has them, and
// what takes their bytes to UTF-8 and back. Tables of characters are those of golang.org/x/text, but for what
// PostgreSQL has otherwise. Which bytes are a character at all is PostgreSQL's too. Read Find and Charset first; the
// list of all is in list.go.
package charset

import (
	"slices"
	"strings"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// Charset is an encoding.
type Charset struct {
	Number int // PostgreSQL's
	Name   string
	Client bool // no database has it

	aliases  string // other names, without punctuation
	alphabet alphabet
}

// alphabet is the characters of an encoding that texts are converted from and to.
type alphabet interface {
	// length is the bytes of the character that a text begins with, 0 for bytes that are none.
	length(p []byte) int
	// decode appends the character as UTF-8, or says that UTF-8 has none.
	decode(dst, char []byte) ([]byte, bool)
	// encode appends a character, or says that the encoding has none.
	encode(dst []byte, r rune) ([]byte, bool)
	// longest is the bytes that a character may have that begins with a byte, for errors.
	longest(c byte) int
}

// Find finds an encoding by a name of which only letters and digits count.
func Find(name string) *Charset {
	plain := plainName(name)
	for i := range all {
		c := &all[i]
		if plain == plainName(c.Name) {
			return c
		}
		for alias := range strings.FieldsSeq(c.aliases) {
			if plain == alias {
				return c
			}
		}
	}
	return nil
}

func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, name)
}

// ByNumber is the encoding of a number; nil: there is none.
func ByNumber(n int64) *Charset {
	if n < 0 || n >= int64(len(all)) {
		return nil
	}
	return &all[n]
}

// SameAsUTF8 says that texts go as they are: UTF-8 itself, and SQL_ASCII, which says nothing of bytes.
func (c *Charset) SameAsUTF8() bool { return c.Number == utf8Number || c.Number == 0 }

// Converts says whether texts are converted from and to the encoding.
func (c *Charset) Converts() bool { return c.SameAsUTF8() || c.alphabet != nil }

// direct are the encodings between which PostgreSQL converts: those of one list, and each from and to UTF-8.
var direct = [][]string{{"KOI8R", "WIN1251", "WIN866", "ISO_8859_5"}, {"LATIN2", "WIN1250"}, {"EUC_JP", "SJIS"}}

// ConvertsTo says whether there is a conversion from one encoding to another.
func (c *Charset) ConvertsTo(to *Charset) bool {
	if c == to || c.SameAsUTF8() && to.Converts() || to.SameAsUTF8() && c.Converts() {
		return true
	}
	return slices.ContainsFunc(direct, func(list []string) bool {
		return slices.Contains(list, c.Name) && slices.Contains(list, to.Name)
	})
}

// AppendUTF8 appends a text of the encoding as UTF-8.
func (c *Charset) AppendUTF8(dst, p []byte) ([]byte, error) {
	if c.SameAsUTF8() {
		return append(dst, p...), form.CheckUTF8(string(p))
	}
	for len(p) > 0 {
		if b := p[0]; b < utf8.RuneSelf && b != 0 {
			dst, p = append(dst, b), p[1:]
			continue
		}
		n := c.alphabet.length(p)
		if n == 0 || p[0] == 0 {
			return dst, sqlerr.New(sqlerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"%s\": % #x",
				c.Name, p[:min(len(p), c.alphabet.longest(p[0]))])
		}
		var ok bool
		if dst, ok = c.alphabet.decode(dst, p[:n]); !ok {
			return dst, untranslatable(p[:n], c.Name, "UTF8")
		}
		p = p[n:]
	}
	return dst, nil
}

// AppendFrom appends a text that is in UTF-8 in the encoding.
func (c *Charset) AppendFrom(dst, text []byte) ([]byte, error) {
	if c.SameAsUTF8() {
		return append(dst, text...), nil
	}
	for len(text) > 0 {
		if b := text[0]; b < utf8.RuneSelf {
			dst, text = append(dst, b), text[1:]
			continue
		}
		r, n := utf8.DecodeRune(text)
		var ok bool
		if dst, ok = c.alphabet.encode(dst, r); !ok {
			return dst, untranslatable(text[:n], "UTF8", c.Name)
		}
		text = text[n:]
	}
	return dst, nil
}

func untranslatable(char []byte, from, to string) error {
	return sqlerr.New(sqlerr.UntranslatableCharacter,
		"character with byte sequence % #x in encoding \"%s\" has no equivalent in encoding \"%s\"", char, from, to)
}

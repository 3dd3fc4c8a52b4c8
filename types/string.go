package types

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"zproxy/sqlerr"
)

func appendString(dst []byte, v Value, _ *Env) []byte { return append(dst, v.Text()...) }

func parseString(s string, _ *Env) (Value, error) {
	if err := CheckUTF8(s); err != nil {
		return Null, err
	}
	return NewText(s), nil
}

// CheckUTF8 refuses what a text in UTF-8 cannot hold: wrong bytes and the zero byte.
func CheckUTF8(s string) error {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return nil
	}
	at := 0
	for at < len(s) && s[at] != 0 {
		r, size := utf8.DecodeRuneInString(s[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	shown := fmt.Sprintf("% #x", s[at:min(len(s), at+sequenceLength(s[at]))])
	return sqlerr.New(sqlerr.CharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": %s", shown)
}

// sequenceLength is the bytes of a UTF-8 character that begins with c.
func sequenceLength(c byte) int {
	switch {
	case c&0xe0 == 0xc0:
		return 2
	case c&0xf0 == 0xe0:
		return 3
	case c&0xf8 == 0xf0:
		return 4
	}
	return 1
}

func appendBool(dst []byte, v Value, _ *Env) []byte {
	if v.Bool() {
		return append(dst, 't')
	}
	return append(dst, 'f')
}

// parseBool accepts any prefix of true, false, yes, no, on and off that is not
// ambiguous, and 1 and 0.
func parseBool(s string, _ *Env) (Value, error) {
	t := strings.ToLower(trimSpace(s))
	prefixOf := func(word string, least int) bool {
		return len(t) >= least && strings.HasPrefix(word, t)
	}
	switch {
	case prefixOf("true", 1), prefixOf("yes", 1), t == "on", t == "1":
		return NewBool(true), nil
	case prefixOf("false", 1), prefixOf("no", 1), prefixOf("off", 2), t == "0":
		return NewBool(false), nil
	}
	return Null, invalidSyntax("boolean", s)
}

// lengthModText prints varchar's modifier.
func lengthModText(mod int32) string { return fmt.Sprintf("(%d)", mod-4) }

// limitLength makes a text varchar(n).
func limitLength(v Value, mod int32, explicit bool, _ *Env) (Value, error) {
	limit, s := int(mod)-4, v.Text()
	if limit < 0 || len(s) <= limit {
		return v, nil
	}
	s, ok := cutLength(s, limit, explicit)
	if !ok {
		return Null, tooLong("character varying", limit)
	}
	return NewText(s), nil
}

// cutLength cuts a text to a number of characters: an explicit cast cuts anything,
// everything else only spaces.
func cutLength(s string, limit int, explicit bool) (string, bool) {
	end := 0
	for range limit {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
		if end == len(s) {
			return s, true
		}
	}
	return s[:end], explicit || strings.Trim(s[end:], " ") == ""
}

func tooLong(typ string, limit int) error {
	return sqlerr.New(sqlerr.StringDataRightTruncation, "value too long for type %s(%d)", typ, limit)
}

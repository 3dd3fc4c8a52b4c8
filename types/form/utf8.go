package form

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"zproxy/sqlerr"
)

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

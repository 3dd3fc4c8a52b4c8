package types

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

func appendString(dst []byte, v Value, _ *Env) []byte { return append(dst, v.Text()...) }

func parseString(s string, _ *Env) (Value, error) {
	if err := form.CheckUTF8(s); err != nil {
		return Null, err
	}
	return NewText(s), nil
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
	t := strings.ToLower(form.TrimSpace(s))
	prefixOf := func(word string, least int) bool {
		return len(t) >= least && strings.HasPrefix(word, t)
	}
	switch {
	case prefixOf("true", 1), prefixOf("yes", 1), t == "on", t == "1":
		return NewBool(true), nil
	case prefixOf("false", 1), prefixOf("no", 1), prefixOf("off", 2), t == "0":
		return NewBool(false), nil
	}
	return Null, form.InvalidText("boolean", s)
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

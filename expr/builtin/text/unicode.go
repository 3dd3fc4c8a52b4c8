package text

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/sqlerr"
	"zproxy/types"
)

// unicodeEscape reads the escape at the start of s, which begins with a backslash: its
// number, and how long it is.
func unicodeEscape(s string) (code rune, length int, err error) {
	skip, digits := 1, 4
	switch {
	case strings.HasPrefix(s, `\u`):
		skip = 2
	case strings.HasPrefix(s, `\U`):
		skip, digits = 2, 8
	case strings.HasPrefix(s, `\+`):
		skip, digits = 2, 6
	}
	if len(s) < skip+digits || !isHex(s[skip:skip+digits]) {
		return 0, 0, sqlerr.New(sqlerr.SyntaxError, "invalid Unicode escape").
			WithHint(`Unicode escapes must be \XXXX, \+XXXXXX, \uXXXX, or \UXXXXXXXX.`)
	}
	n, err := strconv.ParseUint(s[skip:skip+digits], 16, 32)
	if err != nil || n == 0 || n > utf8.MaxRune {
		return 0, 0, sqlerr.New(sqlerr.InvalidParameterValue, "invalid Unicode code point: %04X", n)
	}
	return rune(n), skip + digits, nil
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

// Unistr replaces escapes; two of them may be a pair of surrogates.
func Unistr(c *expr.Context, a types.Value) (types.Value, error) {
	out := c.Text(len(a.Text()))
	high := rune(0) // the first of a pair
	badPair := func() (types.Value, error) {
		return types.Null, sqlerr.New(sqlerr.SyntaxError, "invalid Unicode surrogate pair")
	}
	for s := a.Text(); s != "" && out.Err == nil; {
		if !strings.HasPrefix(s, `\`) || strings.HasPrefix(s, `\\`) {
			if high != 0 {
				return badPair()
			}
			s = strings.TrimPrefix(s, `\`)
			_, size := utf8.DecodeRuneInString(s)
			out.Add(s[:size])
			s = s[size:]
			continue
		}
		code, length, err := unicodeEscape(s)
		if err != nil {
			return types.Null, err
		}
		s = s[length:]
		isLow := 0xdc00 <= code && code < 0xe000
		if (high != 0) != isLow {
			return badPair()
		}
		switch {
		case isLow:
			code, high = utf16.DecodeRune(high, code), 0
		case utf16.IsSurrogate(code):
			high = code
			continue
		}
		out.Add(string(code))
	}
	if high != 0 {
		return badPair()
	}
	return out.Value()
}

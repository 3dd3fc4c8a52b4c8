package types

import (
	"strings"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types/form"
	"zproxy/types/integer"
)

// characterTypes are the types of texts that have rules of their own.
var characterTypes = []Info{
	{
		OID: OIDBpchar, Name: "bpchar", SQL: "character", Array: 1014,
		Kind: KindBpchar, Category: CategoryString, Size: -1,
		forms: forms{
			appendText: appendString, parseText: parseBpchar,
			appendBinary: appendBinaryBytes, parseBinary: parseBinaryBpchar,
			modText: lengthModText, applyMod: padBlanks,
		},
	},
	{
		OID: OIDName, Name: "name", SQL: "name", Array: 1003,
		Kind: KindText, Category: CategoryString, Size: 64,
		forms: forms{
			appendText: appendString, parseText: parseName,
			appendBinary: appendBinaryBytes, parseBinary: parseBinaryName,
		},
	},
	{
		OID: OIDChar, Name: "char", SQL: `"char"`, Array: 1002,
		Kind: KindText, Category: CategoryInternal, Size: 1,
		forms: forms{
			appendText: appendChar, parseText: parseChar,
			appendBinary: appendBinaryChar, parseBinary: parseBinaryChar,
		},
	},
	{
		OID: 1790, Name: "refcursor", SQL: "refcursor", Array: 2201,
		Kind: KindText, Category: CategoryUser, Size: -1,
		forms: forms{
			appendText: appendString, parseText: parseString,
			appendBinary: appendBinaryBytes, parseBinary: parseBinaryString,
		},
	},
}

func parseBpchar(s string, env *Env) (Value, error) { return asBpchar(parseString(s, env)) }

func parseBinaryBpchar(p []byte) (Value, error) { return asBpchar(parseBinaryString(p)) }

func asBpchar(v Value, err error) (Value, error) {
	if err != nil {
		return Null, err
	}
	return NewBpchar(v.Text()), nil
}

// TrimBlanks is a char(n) without the blanks at its end, which mean nothing.
func TrimBlanks(s string) string {
	const eight = "        " // as many at once as one word has
	for len(s) >= len(eight) && s[len(s)-len(eight):] == eight {
		s = s[:len(s)-len(eight)]
	}
	return strings.TrimRight(s, " ")
}

// padBlanks makes a text char(n): exactly n characters long.
func padBlanks(v Value, mod int32, explicit bool, env *Env) (Value, error) {
	limit, s := int(mod)-4, v.Text()
	if limit < 0 {
		return v, nil
	}
	if missing := limit - utf8.RuneCountInString(s); missing >= 0 {
		if err := env.Make(int64(len(s) + missing)); err != nil {
			return Null, err
		}
		return NewBpchar(s + strings.Repeat(" ", missing)), nil
	}
	s, ok := cutLength(s, limit, explicit)
	if !ok {
		return Null, tooLong("character", limit)
	}
	return NewBpchar(s), nil
}

func bpcharToText(v Value, _ T, _ *Env) (Value, error) { return NewText(TrimBlanks(v.Text())), nil }

func textToBpchar(v Value, _ T, _ *Env) (Value, error) { return NewBpchar(v.Text()), nil }

// maxName is the bytes that an identifier has at most.
const maxName = 63

// CutName cuts an identifier to its greatest length, at the border of a character.
func CutName(s string) string { return form.CutBytes(s, maxName) }

func parseName(s string, env *Env) (Value, error) {
	v, err := parseString(s, env)
	if err != nil {
		return Null, err
	}
	return NewText(CutName(v.Text())), nil
}

func parseBinaryName(p []byte) (Value, error) {
	if len(p) > maxName {
		return Null, sqlerr.New(sqlerr.NameTooLong, "identifier too long").
			WithDetail("Identifier must be less than %d characters.", maxName+1)
	}
	return parseBinaryString(p)
}

func textToName(v Value, _ T, _ *Env) (Value, error) { return NewText(CutName(v.Text())), nil }

func bpcharToName(v Value, _ T, _ *Env) (Value, error) {
	return NewText(CutName(TrimBlanks(v.Text()))), nil
}

// A "char" is held as a text of its byte, which need not be UTF-8; the zero byte is the
// empty text, as which it is printed.

func charOf(c byte) Value {
	if c == 0 {
		return NewText("")
	}
	return NewText(string([]byte{c}))
}

func charByte(v Value) byte {
	if v.a == 0 {
		return 0
	}
	return v.Text()[0]
}

// appendChar prints a byte that is no ASCII in octal.
func appendChar(dst []byte, v Value, _ *Env) []byte {
	c := charByte(v)
	switch {
	case c >= utf8.RuneSelf:
		return append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
	case c == 0:
		return dst
	}
	return append(dst, c)
}

// parseChar takes the first byte, or one in octal.
func parseChar(s string, env *Env) (Value, error) {
	if err := form.CheckUTF8(s); err != nil {
		return Null, err
	}
	switch {
	case len(s) == 4 && s[0] == '\\' && form.IsOctal(s[1], '7') && form.IsOctal(s[2], '7') && form.IsOctal(s[3], '7'):
		return charOf((s[1]-'0')<<6 | (s[2]-'0')<<3 | (s[3] - '0')), nil
	case s == "":
		return charOf(0), nil
	}
	return charOf(s[0]), nil
}

func appendBinaryChar(dst []byte, v Value) []byte { return append(dst, charByte(v)) }

func parseBinaryChar(p []byte) (Value, error) {
	if err := form.CheckBytes(p, 1); err != nil {
		return Null, err
	}
	return charOf(p[0]), nil
}

func charToText(v Value, _ T, env *Env) (Value, error) {
	return NewText(string(appendChar(nil, v, env))), nil
}

func charToBpchar(v Value, to T, env *Env) (Value, error) { return asBpchar(charToText(v, to, env)) }

func textToChar(v Value, _ T, env *Env) (Value, error) { return parseChar(v.Text(), env) }

func charToInt(v Value, _ T, _ *Env) (Value, error) { return NewInt(int64(int8(charByte(v)))), nil }

func intToChar(v Value, _ T, _ *Env) (Value, error) {
	if v.Int() != int64(int8(v.Int())) {
		return Null, integer.OutOfRange(`"char"`)
	}
	return charOf(byte(v.Int())), nil
}

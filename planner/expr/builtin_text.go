package expr

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types"
)

// textFunctions are the functions that cut, search and change texts. Positions and
// lengths count characters from 1.
var textFunctions = []*Function{
	{Name: "length", Args: sig{text}, Result: int4, Doc: "Number of characters.", Fn1: textLength},
	{Name: "char_length", Args: sig{text}, Result: int4, Doc: "Number of characters.", Fn1: textLength},
	{Name: "character_length", Args: sig{text}, Result: int4, Doc: "Number of characters.", Fn1: textLength},
	{Name: "octet_length", Args: sig{text}, Result: int4, Doc: "Number of bytes.", Fn1: octetLength},
	{Name: "bit_length", Args: sig{text}, Result: int4, Doc: "Number of bits.", Fn1: bitLength},
	{Name: "lower", Args: sig{text}, Result: text, Doc: "Text in lower case.", Fn1: mapPieces(strings.ToLower)},
	{Name: "upper", Args: sig{text}, Result: text, Doc: "Text in upper case.", Fn1: mapPieces(strings.ToUpper)},
	{Name: "initcap", Args: sig{text}, Result: text, Doc: "Text with each word's first letter in upper case and the rest in lower case.", Fn1: initcap},
	{Name: "reverse", Args: sig{text}, Result: text, Doc: "Characters in reverse order.", Fn1: reverse},
	{Name: "substring", Args: sig{text, int4}, Result: text, Doc: "Part of a text from a position.", Fn2: substringFrom},
	{Name: "substring", Args: sig{text, int4, int4}, Result: text, Doc: "Part of a text from a position with a length.", FnN: substringFor},
	{Name: "substr", Args: sig{text, int4}, Result: text, Doc: "Part of a text from a position.", Fn2: substringFrom},
	{Name: "substr", Args: sig{text, int4, int4}, Result: text, Doc: "Part of a text from a position with a length.", FnN: substringFor},
	{Name: "left", Args: sig{text, int4}, Result: text, Doc: "First characters, or all but the last when negative.", Fn2: left},
	{Name: "right", Args: sig{text, int4}, Result: text, Doc: "Last characters, or all but the first when negative.", Fn2: right},
	{Name: "btrim", Args: sig{text}, Result: text, Doc: "Text without spaces at both ends.", Fn1: mapText(trimSpaces)},
	{Name: "ltrim", Args: sig{text}, Result: text, Doc: "Text without spaces at its start.", Fn1: mapText(trimLeftSpaces)},
	{Name: "rtrim", Args: sig{text}, Result: text, Doc: "Text without spaces at its end.", Fn1: mapText(trimRightSpaces)},
	{Name: "btrim", Args: sig{text, text}, Result: text, Doc: "Text without any of the characters at both ends.", Fn2: trimText(strings.Trim)},
	{Name: "ltrim", Args: sig{text, text}, Result: text, Doc: "Text without any of the characters at its start.", Fn2: trimText(strings.TrimLeft)},
	{Name: "rtrim", Args: sig{text, text}, Result: text, Doc: "Text without any of the characters at its end.", Fn2: trimText(strings.TrimRight)},
	{Name: "replace", Args: sig{text, text, text}, Result: text, Doc: "Text with each occurrence of the second replaced by the third.", FnN: replace},
	{Name: "translate", Args: sig{text, text, text}, Result: text, Doc: "Text with each character of the second replaced by its counterpart in the third.", FnN: translate},
	{Name: "overlay", Args: sig{text, text, int4}, Result: text, Doc: "Text with a part from a position replaced.", FnN: overlay},
	{Name: "overlay", Args: sig{text, text, int4, int4}, Result: text, Doc: "Text with a part from a position and of a length replaced.", FnN: overlay},
	{Name: "position", Args: sig{text, text}, Result: int4, Doc: "Position of the second text in the first, 0 when it is not there.", Fn2: position},
	{Name: "strpos", Args: sig{text, text}, Result: int4, Doc: "Position of the second text in the first, 0 when it is not there.", Fn2: position},
	{Name: "starts_with", Operator: "^@", Args: sig{text, text}, Result: boolean, Doc: "Whether the first text starts with the second.", Fn2: startsWith},
	{Name: "split_part", Args: sig{text, text, int4}, Result: text, Doc: "Field of a text split at a delimiter, counted from the end when negative.", FnN: splitPart},
	{Name: "repeat", Args: sig{text, int4}, Result: text, Doc: "Text repeated.", Fn2: repeat},
	{Name: "lpad", Args: sig{text, int4}, Result: text, Doc: "Text filled up with spaces on the left, or cut, to a length.", FnN: lpad},
	{Name: "lpad", Args: sig{text, int4, text}, Result: text, Doc: "Text filled up on the left, or cut, to a length.", FnN: lpad},
	{Name: "rpad", Args: sig{text, int4}, Result: text, Doc: "Text filled up with spaces on the right, or cut, to a length.", FnN: rpad},
	{Name: "rpad", Args: sig{text, int4, text}, Result: text, Doc: "Text filled up on the right, or cut, to a length.", FnN: rpad},
	{Name: "ascii", Args: sig{text}, Result: int4, Doc: "Code of the first character.", Fn1: ascii},
	{Name: "chr", Args: sig{int4}, Result: text, Doc: "Character of a code.", Fn1: chr},
	{Name: "to_hex", Args: sig{int4}, Result: text, Doc: "Number in hexadecimal, its two's complement when negative.", Fn1: toHex32},
	{Name: "to_hex", Args: sig{int8}, Result: text, Doc: "Number in hexadecimal, its two's complement when negative.", Fn1: toHex64},
}

// maxTextBytes is the longest text that a function makes: PostgreSQL's limit of one
// allocation.
const maxTextBytes = 1<<30 - 5

func mapText(f func(string) string) func(*Context, types.Value) (types.Value, error) {
	return func(_ *Context, a types.Value) (types.Value, error) {
		return types.NewText(f(a.Text())), nil
	}
}

// caseUnits is the work of looking at one byte as a part of a character.
const caseUnits = 8

// mapPieces makes a function of one that may be called for the parts of a text.
func mapPieces(f func(string) string) function1 {
	return func(c *Context, a types.Value) (types.Value, error) { return c.mapPieces(a.Text(), caseUnits, f) }
}

func textLength(_ *Context, a types.Value) (types.Value, error) {
	return types.NewInt(int64(utf8.RuneCountInString(a.Text()))), nil
}

func octetLength(_ *Context, a types.Value) (types.Value, error) {
	return types.NewInt(int64(len(a.Text()))), nil
}

func bitLength(_ *Context, a types.Value) (types.Value, error) {
	return types.NewInt(8 * int64(len(a.Text()))), nil
}

// initcap takes a run of letters and digits as a word.
func initcap(c *Context, a types.Value) (types.Value, error) {
	inWord := false
	return c.mapPieces(a.Text(), caseUnits, func(piece string) string {
		return strings.Map(func(r rune) rune {
			first := !inWord
			inWord = unicode.IsLetter(r) || unicode.IsDigit(r)
			if first {
				return unicode.ToUpper(r)
			}
			return unicode.ToLower(r)
		}, piece)
	})
}

func reverse(c *Context, a types.Value) (types.Value, error) {
	s := a.Text()
	if err := c.Make(int64(len(s))); err != nil {
		return types.Null, err
	}
	out := make([]byte, len(s))
	end := len(s)
	err := c.pieces(s, caseUnits, func(piece string) {
		for _, r := range piece {
			end -= utf8.RuneLen(r)
			utf8.EncodeRune(out[end:], r)
		}
	})
	return types.NewText(string(out)), err
}

// cut is the characters of s from number from (0 is the first) and before number to.
func cut(s string, from, to int64) string {
	if from >= to {
		return ""
	}
	start, n := len(s), int64(0)
	for at := range s {
		if n == from {
			start = at
		}
		if n == to {
			return s[start:at]
		}
		n++
	}
	return s[start:]
}

func substringFrom(_ *Context, a, from types.Value) (types.Value, error) {
	start := max(from.Int()-1, 0)
	return types.NewText(cut(a.Text(), start, maxTextBytes)), nil
}

func substringFor(_ *Context, args []types.Value) (types.Value, error) {
	from, length := args[1].Int()-1, args[2].Int()
	if length < 0 {
		return types.Null, negativeLength()
	}
	return types.NewText(cut(args[0].Text(), max(from, 0), from+length)), nil
}

func negativeLength() error {
	return sqlerr.New(sqlerr.SubstringError, "negative substring length not allowed")
}

func left(_ *Context, a, count types.Value) (types.Value, error) {
	s, n := a.Text(), count.Int()
	if n < 0 {
		n += int64(utf8.RuneCountInString(s))
	}
	return types.NewText(cut(s, 0, n)), nil
}

func right(_ *Context, a, count types.Value) (types.Value, error) {
	s, from := a.Text(), -count.Int()
	if from <= 0 {
		from = max(from+int64(utf8.RuneCountInString(s)), 0)
		if count.Int() == 0 {
			return types.NewText(""), nil
		}
	}
	return types.NewText(cut(s, from, maxTextBytes)), nil
}

func trimSpaces(s string) string      { return strings.Trim(s, " ") }
func trimLeftSpaces(s string) string  { return strings.TrimLeft(s, " ") }
func trimRightSpaces(s string) string { return strings.TrimRight(s, " ") }

func trimText(f func(s, cutset string) string) func(*Context, types.Value, types.Value) (types.Value, error) {
	return func(_ *Context, a, b types.Value) (types.Value, error) {
		return types.NewText(f(a.Text(), b.Text())), nil
	}
}

func replace(c *Context, args []types.Value) (types.Value, error) {
	s, from, to := args[0].Text(), args[1].Text(), args[2].Text()
	if from == "" || len(from) > len(s) {
		return args[0], nil
	}
	out := c.text(len(s))
	for out.err == nil {
		before, rest, found := c.cut(out, s, from)
		out.add(before)
		if s = rest; !found {
			return out.value()
		}
		out.add(to)
	}
	return types.Null, out.err
}

// cut is strings.Cut, a piece after the other. An error is the maker's.
func (c *Context) cut(out *textMaker, s, separator string) (before, rest string, found bool) {
	at, err := c.indexIn(s, separator)
	switch {
	case err != nil:
		out.err = err
		return "", "", false
	case at < 0:
		return s, "", false
	}
	return s[:at], s[at+len(separator):], true
}

// indexIn is strings.Index in a text that may be long.
func (c *Context) indexIn(s, part string) (int, error) {
	const step = 1 << 20
	for at := 0; ; at += step {
		n := min(step+len(part)-1, len(s)-at)
		if err := c.Tick(max(min(n, step), 1)); err != nil {
			return 0, err
		}
		if found := strings.Index(s[at:at+n], part); found >= 0 {
			return at + found, nil
		}
		if at+n == len(s) {
			return -1, nil
		}
	}
}

// translate drops the characters that have no counterpart; the first of two equal ones
// in from counts.
func translate(c *Context, args []types.Value) (types.Value, error) {
	to, swap := args[2].Text(), map[rune]rune{}
	err := c.pieces(args[1].Text(), mapUnits, func(piece string) {
		for _, r := range piece {
			other, size := utf8.DecodeRuneInString(to)
			if to = to[size:]; size == 0 {
				other = -1
			}
			if _, known := swap[r]; !known {
				swap[r] = other
			}
		}
	})
	if err != nil {
		return types.Null, err
	}
	return c.mapPieces(args[0].Text(), mapUnits, func(piece string) string {
		return strings.Map(func(r rune) rune {
			if other, ok := swap[r]; ok {
				return other
			}
			return r
		}, piece)
	})
}

// mapUnits is the work of looking up one character.
const mapUnits = 32

// overlay takes the length of the replacement when it is given none.
func overlay(c *Context, args []types.Value) (types.Value, error) {
	s, insert, from := args[0].Text(), args[1].Text(), args[2].Int()
	length := int64(utf8.RuneCountInString(insert))
	if len(args) == 4 {
		length = args[3].Int()
	}
	if from <= 0 {
		return types.Null, negativeLength()
	}
	if from+length > math.MaxInt32 {
		return types.Null, sqlerr.New(sqlerr.NumericValueOutOfRange, "integer out of range")
	}
	out := c.text(len(s) + len(insert))
	for _, part := range []string{cut(s, 0, from-1), insert, cut(s, max(from-1+length, 0), maxTextBytes)} {
		out.add(part)
	}
	return out.value()
}

func position(c *Context, a, b types.Value) (types.Value, error) {
	s := a.Text()
	at, err := c.indexIn(s, b.Text())
	if at < 0 || err != nil {
		return types.NewInt(0), err
	}
	return types.NewInt(int64(utf8.RuneCountInString(s[:at]) + 1)), nil
}

func startsWith(_ *Context, a, b types.Value) (types.Value, error) {
	return types.NewBool(strings.HasPrefix(a.Text(), b.Text())), nil
}

func splitPart(_ *Context, args []types.Value) (types.Value, error) {
	s, sep, n := args[0].Text(), args[1].Text(), args[2].Int()
	if n == 0 {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "field position must not be zero")
	}
	if sep == "" {
		if n == 1 || n == -1 {
			return args[0], nil
		}
		return types.NewText(""), nil
	}
	if n < 0 {
		n += int64(strings.Count(s, sep)) + 2
	}
	for ; n > 1; n-- {
		_, rest, found := strings.Cut(s, sep)
		if !found {
			return types.NewText(""), nil
		}
		s = rest
	}
	if n < 1 {
		return types.NewText(""), nil
	}
	field, _, _ := strings.Cut(s, sep)
	return types.NewText(field), nil
}

func repeat(c *Context, a, count types.Value) (types.Value, error) {
	s, n := a.Text(), count.Int()
	if n <= 0 || s == "" {
		return types.NewText(""), nil
	}
	if n > maxTextBytes/int64(len(s)) {
		return types.Null, checkLength(maxTextBytes + 1)
	}
	return repeated(c, s, int(n))
}

// repeated is a text n times.
func repeated(c *Context, s string, n int) (types.Value, error) {
	out := c.text(len(s) * n)
	if out.err != nil || n == 0 {
		return out.value()
	}
	few := strings.Repeat(s, min(n, max(1, pieceBytes/max(len(s), 1))))
	for n -= len(few) / len(s); n >= 0 && out.err == nil; n -= len(few) / len(s) {
		out.add(few)
	}
	if out.err == nil {
		out.add(few[:(n+len(few)/len(s))*len(s)])
	}
	return out.value()
}

func checkLength(n int) error {
	if n > maxTextBytes {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "requested length too large")
	}
	return nil
}

func lpad(c *Context, args []types.Value) (types.Value, error) {
	s, fill, err := padding(c, args)
	if err != nil {
		return types.Null, err
	}
	return textCat(c, fill, types.NewText(s))
}

func rpad(c *Context, args []types.Value) (types.Value, error) {
	s, fill, err := padding(c, args)
	if err != nil {
		return types.Null, err
	}
	return textCat(c, types.NewText(s), fill)
}

// padding cuts the text to the length asked for and makes what must be added to it.
func padding(c *Context, args []types.Value) (s string, added types.Value, err error) {
	fill := ""
	s, fill = args[0].Text(), " "
	if len(args) == 3 {
		fill = args[2].Text()
	}
	s = cut(s, 0, args[1].Int())
	missing := int(args[1].Int()) - utf8.RuneCountInString(s)
	if fill == "" || missing <= 0 {
		return s, types.NewText(""), nil
	}
	chars := utf8.RuneCountInString(fill)
	if err := checkLength((missing/chars + 1) * len(fill)); err != nil {
		return "", types.Null, err
	}
	if added, err = repeated(c, fill, missing/chars); err != nil {
		return "", types.Null, err
	}
	added, err = textCat(c, added, types.NewText(cut(fill, 0, int64(missing%chars))))
	return s, added, err
}

func ascii(_ *Context, a types.Value) (types.Value, error) {
	if a.Text() == "" {
		return types.NewInt(0), nil
	}
	r, _ := utf8.DecodeRuneInString(a.Text())
	return types.NewInt(int64(r)), nil
}

func chr(_ *Context, a types.Value) (types.Value, error) {
	n := a.Int()
	switch {
	case n < 0:
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "character number must be positive")
	case n == 0:
		return types.Null, sqlerr.New(sqlerr.ProgramLimitExceeded, "null character not permitted")
	case n > unicode.MaxRune:
		return types.Null, sqlerr.New(sqlerr.ProgramLimitExceeded, "requested character too large for encoding: %d", n)
	case !utf8.ValidRune(rune(n)):
		return types.Null, sqlerr.New(sqlerr.ProgramLimitExceeded, "requested character not valid for encoding: %d", n)
	}
	return types.NewText(string(rune(n))), nil
}

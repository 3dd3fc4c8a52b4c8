package text

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/expr/builtin/number"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/collation"
)

// textFunctions are the functions that cut, search and change texts. Positions and
// lengths count characters from 1.
var textFunctions = []*expr.Function{
	{Name: "length", Args: pg.Sig{pg.Text}, Result: pg.Int4, Doc: "Number of characters.", Fn1: TextLength},
	{Name: "char_length", Args: pg.Sig{pg.Text}, Result: pg.Int4, Doc: "Number of characters.", Fn1: TextLength},
	{Name: "character_length", Args: pg.Sig{pg.Text}, Result: pg.Int4, Doc: "Number of characters.", Fn1: TextLength},
	{Name: "octet_length", Args: pg.Sig{pg.Text}, Result: pg.Int4, Doc: "Number of bytes.", Fn1: OctetLength},
	{Name: "bit_length", Args: pg.Sig{pg.Text}, Result: pg.Int4, Doc: "Number of bits.", Fn1: BitLength},
	{Name: "lower", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text in lower case.", Fn1: cased(strings.ToLower, collation.Order.Lower)},
	{Name: "upper", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text in upper case.", Fn1: cased(strings.ToUpper, collation.Order.Upper)},
	{Name: "initcap", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text with each word's first letter in upper case and the rest in lower case.", Fn1: initcap},
	{Name: "reverse", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Characters in reverse order.", Fn1: reverse},
	{Name: "substring", Args: pg.Sig{pg.Text, pg.Int4}, Result: pg.Text, Doc: "Part of a text from a position.", Fn2: substringFrom},
	{Name: "substring", Args: pg.Sig{pg.Text, pg.Int4, pg.Int4}, Result: pg.Text, Doc: "Part of a text from a position with a length.", FnN: substringFor},
	{Name: "substr", Args: pg.Sig{pg.Text, pg.Int4}, Result: pg.Text, Doc: "Part of a text from a position.", Fn2: substringFrom},
	{Name: "substr", Args: pg.Sig{pg.Text, pg.Int4, pg.Int4}, Result: pg.Text, Doc: "Part of a text from a position with a length.", FnN: substringFor},
	{Name: "left", Args: pg.Sig{pg.Text, pg.Int4}, Result: pg.Text, Doc: "First characters, or all but the last when negative.", Fn2: left},
	{Name: "right", Args: pg.Sig{pg.Text, pg.Int4}, Result: pg.Text, Doc: "Last characters, or all but the first when negative.", Fn2: right},
	{Name: "btrim", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text without spaces at both ends.", Fn1: trimSpaces(true, true)},
	{Name: "ltrim", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text without spaces at its start.", Fn1: trimSpaces(true, false)},
	{Name: "rtrim", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text without spaces at its end.", Fn1: trimSpaces(false, true)},
	{Name: "btrim", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Doc: "Text without any of the characters at both ends.", Fn2: trimText(true, true)},
	{Name: "ltrim", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Doc: "Text without any of the characters at its start.", Fn2: trimText(true, false)},
	{Name: "rtrim", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Doc: "Text without any of the characters at its end.", Fn2: trimText(false, true)},
	{Name: "replace", Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.Text, Doc: "Text with each occurrence of the second replaced by the third.", FnN: replace},
	{Name: "translate", Args: pg.Sig{pg.Text, pg.Text, pg.Text}, Result: pg.Text, Doc: "Text with each character of the second replaced by its counterpart in the third.", FnN: translate},
	{Name: "overlay", Args: pg.Sig{pg.Text, pg.Text, pg.Int4}, Result: pg.Text, Doc: "Text with a part from a position replaced.", FnN: overlay},
	{Name: "overlay", Args: pg.Sig{pg.Text, pg.Text, pg.Int4, pg.Int4}, Result: pg.Text, Doc: "Text with a part from a position and of a length replaced.", FnN: overlay},
	{Name: "position", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Int4, Doc: "Position of the second text in the first, 0 when it is not there.", Fn2: position},
	{Name: "strpos", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Int4, Doc: "Position of the second text in the first, 0 when it is not there.", Fn2: position},
	{Name: "starts_with", Operator: "^@", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Doc: "Whether the first text starts with the second.", Fn2: startsWith},
	{Name: "split_part", Args: pg.Sig{pg.Text, pg.Text, pg.Int4}, Result: pg.Text, Doc: "Field of a text split at a delimiter, counted from the end when negative.", FnN: splitPart},
	{Name: "repeat", Args: pg.Sig{pg.Text, pg.Int4}, Result: pg.Text, Doc: "Text repeated.", Fn2: repeat},
	{Name: "lpad", Args: pg.Sig{pg.Text, pg.Int4}, Result: pg.Text, Doc: "Text filled up with spaces on the left, or cut, to a length.", FnN: lpad},
	{Name: "lpad", Args: pg.Sig{pg.Text, pg.Int4, pg.Text}, Result: pg.Text, Doc: "Text filled up on the left, or cut, to a length.", FnN: lpad},
	{Name: "rpad", Args: pg.Sig{pg.Text, pg.Int4}, Result: pg.Text, Doc: "Text filled up with spaces on the right, or cut, to a length.", FnN: rpad},
	{Name: "rpad", Args: pg.Sig{pg.Text, pg.Int4, pg.Text}, Result: pg.Text, Doc: "Text filled up on the right, or cut, to a length.", FnN: rpad},
	{Name: "ascii", Args: pg.Sig{pg.Text}, Result: pg.Int4, Doc: "Code of the first character.", Fn1: ascii},
	{Name: "chr", Args: pg.Sig{pg.Int4}, Result: pg.Text, Doc: "Character of a code.", Fn1: chr},
	{Name: "to_hex", Args: pg.Sig{pg.Int4}, Result: pg.Text, Doc: "Number in hexadecimal, its two's complement when negative.", Fn1: number.ToHex32},
	{Name: "to_hex", Args: pg.Sig{pg.Int8}, Result: pg.Text, Doc: "Number in hexadecimal, its two's complement when negative.", Fn1: number.ToHex64},
}

// CaseUnits is the work of looking at one byte as a part of a character.
const CaseUnits = 8

// cased changes the case of a text: letter by letter, and by the rules of the language if the text is of one.
func cased(plain func(string) string, of func(collation.Order, string) string) expr.Function1 {
	return func(c *expr.Context, a types.Value) (types.Value, error) {
		if o := a.Order(); o != 0 {
			return c.MapPieces(a.Text(), CaseUnits, func(piece string) string { return of(o, piece) })
		}
		return c.MapPieces(a.Text(), CaseUnits, plain)
	}
}

// TextLength is the number of characters.
func TextLength(c *expr.Context, a types.Value) (types.Value, error) {
	n, err := c.Characters(a.Text())
	return types.NewInt(int64(n)), err
}

// OctetLength is the number of bytes.
func OctetLength(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewInt(int64(len(a.Text()))), nil
}

// BitLength is the number of bits.
func BitLength(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewInt(8 * int64(len(a.Text()))), nil
}

// initcap takes a run of letters and digits as a word.
func initcap(c *expr.Context, a types.Value) (types.Value, error) {
	if o := a.Order(); o != 0 {
		return c.MapPieces(a.Text(), CaseUnits, o.Title)
	}
	inWord := false
	return c.MapPieces(a.Text(), CaseUnits, func(piece string) string {
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

func reverse(c *expr.Context, a types.Value) (types.Value, error) {
	s := a.Text()
	if err := c.Make(int64(len(s))); err != nil {
		return types.Null, err
	}
	out := make([]byte, len(s))
	end := len(s)
	err := c.Pieces(s, CaseUnits, func(piece string) {
		for _, r := range piece {
			end -= utf8.RuneLen(r)
			utf8.EncodeRune(out[end:], r)
		}
	})
	return types.NewText(string(out)), err
}

// part is the characters of s from number from (0 is the first) and before number to.
func part(c *expr.Context, s string, from, to int64) (types.Value, error) {
	if from >= to {
		return types.NewText(""), nil
	}
	start, err := c.Offset(s, from)
	if err != nil {
		return types.Null, err
	}
	s = s[start:]
	if to-max(from, 0) < int64(len(s)) {
		end, err := c.Offset(s, to-max(from, 0))
		return types.NewText(s[:end]), err
	}
	return types.NewText(s), nil
}

func substringFrom(c *expr.Context, a, from types.Value) (types.Value, error) {
	return part(c, a.Text(), max(from.Int()-1, 0), work.MaxText)
}

func substringFor(c *expr.Context, args []types.Value) (types.Value, error) {
	from, length := args[1].Int()-1, args[2].Int()
	if length < 0 {
		return types.Null, NegativeLength()
	}
	return part(c, args[0].Text(), max(from, 0), from+length)
}

// NegativeLength is the error of a length below zero.
func NegativeLength() error {
	return sqlerr.New(sqlerr.SubstringError, "negative substring length not allowed")
}

func left(c *expr.Context, a, count types.Value) (types.Value, error) {
	s, n := a.Text(), count.Int()
	if n < 0 {
		all, err := c.Characters(s)
		if err != nil {
			return types.Null, err
		}
		n += int64(all)
	}
	return part(c, s, 0, n)
}

func right(c *expr.Context, a, count types.Value) (types.Value, error) {
	s, from := a.Text(), int64(-int32(count.Int())) // the least int4 stays negative, as in PostgreSQL
	if from == 0 {
		return types.NewText(""), nil
	}
	if from < 0 {
		all, err := c.Characters(s)
		if err != nil {
			return types.Null, err
		}
		from = max(from+int64(all), 0)
	}
	return part(c, s, from, work.MaxText)
}

func trimSpaces(start, end bool) expr.Function1 {
	trim, space := trimText(start, end), types.NewText(" ")
	return func(c *expr.Context, a types.Value) (types.Value, error) { return trim(c, a, space) }
}

func trimText(start, end bool) expr.Function2 {
	return func(c *expr.Context, a, b types.Value) (types.Value, error) {
		s := a.Text()
		in, err := runes(c, b.Text())
		for start && err == nil && s != "" {
			r, size := utf8.DecodeRuneInString(s)
			if !in(r) {
				break
			}
			s, err = s[size:], c.Tick(1)
		}
		for end && err == nil && s != "" {
			r, size := utf8.DecodeLastRuneInString(s)
			if !in(r) {
				break
			}
			s, err = s[:len(s)-size], c.Tick(1)
		}
		return types.NewText(s), err
	}
}

// runes tells which characters a text has.
func runes(c *expr.Context, s string) (func(r rune) bool, error) {
	if len(s) <= 8 {
		return func(r rune) bool { return strings.ContainsRune(s, r) }, nil
	}
	set := map[rune]bool{}
	err := c.Pieces(s, mapUnits, func(piece string) {
		for _, r := range piece {
			set[r] = true
		}
	})
	return func(r rune) bool { return set[r] }, err
}

func replace(c *expr.Context, args []types.Value) (types.Value, error) {
	s, from, to := args[0].Text(), args[1].Text(), args[2].Text()
	if from == "" || len(from) > len(s) {
		return args[0], nil
	}
	out := c.Text(len(s))
	for out.Err == nil {
		before, rest, found := cut(c, out, s, from)
		out.Add(before)
		if s = rest; !found {
			return out.Value()
		}
		out.Add(to)
	}
	return types.Null, out.Err
}

// cut is strings.Cut, a piece after the other. An error is the maker's.
func cut(c *expr.Context, out *work.Text, s, separator string) (before, rest string, found bool) {
	at, err := c.IndexIn(s, separator)
	switch {
	case err != nil:
		out.Err = err
		return "", "", false
	case at < 0:
		return s, "", false
	}
	return s[:at], s[at+len(separator):], true
}

// translate drops the characters that have no counterpart; the first of two equal ones
// in from counts.
func translate(c *expr.Context, args []types.Value) (types.Value, error) {
	to, swap := args[2].Text(), map[rune]rune{}
	err := c.Pieces(args[1].Text(), mapUnits, func(piece string) {
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
	return c.MapPieces(args[0].Text(), mapUnits, func(piece string) string {
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
func overlay(c *expr.Context, args []types.Value) (types.Value, error) {
	s, insert, from := args[0].Text(), args[1].Text(), args[2].Int()
	chars, err := c.Characters(insert)
	length := int64(chars)
	if len(args) == 4 {
		length = args[3].Int()
	}
	switch {
	case err != nil:
		return types.Null, err
	case from <= 0:
		return types.Null, NegativeLength()
	case from+length > math.MaxInt32:
		return types.Null, sqlerr.New(sqlerr.NumericValueOutOfRange, "integer out of range")
	}
	before, err := part(c, s, 0, from-1)
	if err != nil {
		return types.Null, err
	}
	after, err := part(c, s, max(from-1+length, 0), work.MaxText)
	if err != nil {
		return types.Null, err
	}
	return c.Concat(before.Text(), insert, after.Text()).Value()
}

func position(c *expr.Context, a, b types.Value) (types.Value, error) {
	s := a.Text()
	at, err := c.IndexIn(s, b.Text())
	if at < 0 || err != nil {
		return types.NewInt(0), err
	}
	before, err := c.Characters(s[:at])
	return types.NewInt(int64(before + 1)), err
}

func startsWith(_ *expr.Context, a, b types.Value) (types.Value, error) {
	return types.NewBool(strings.HasPrefix(a.Text(), b.Text())), nil
}

func splitPart(c *expr.Context, args []types.Value) (types.Value, error) {
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
		fields, err := fields(c, s, sep)
		if err != nil {
			return types.Null, err
		}
		n += fields + 1
	}
	if n < 1 {
		return types.NewText(""), nil
	}
	for ; ; n-- {
		at, err := c.IndexIn(s, sep)
		switch {
		case err != nil:
			return types.Null, err
		case n == 1 && at >= 0:
			return types.NewText(s[:at]), nil
		case n == 1:
			return types.NewText(s), nil
		case at < 0:
			return types.NewText(""), nil
		}
		s = s[at+len(sep):]
	}
}

// fields is how many parts a text has between separators.
func fields(c *expr.Context, s, sep string) (int64, error) {
	for n := int64(1); ; n++ {
		at, err := c.IndexIn(s, sep)
		if at < 0 || err != nil {
			return n, err
		}
		s = s[at+len(sep):]
	}
}

func repeat(c *expr.Context, a, count types.Value) (types.Value, error) {
	s, n := a.Text(), count.Int()
	if n <= 0 || s == "" {
		return types.NewText(""), nil
	}
	if n > work.MaxText/int64(len(s)) {
		return types.Null, work.CheckLength(work.MaxText + 1)
	}
	return repeated(c, s, int(n))
}

// repeated is a text n times.
func repeated(c *expr.Context, s string, n int) (types.Value, error) {
	out := c.Text(len(s) * n)
	if out.Err != nil || n == 0 {
		return out.Value()
	}
	few := strings.Repeat(s, min(n, max(1, work.PieceBytes/max(len(s), 1))))
	for n -= len(few) / len(s); n >= 0 && out.Err == nil; n -= len(few) / len(s) {
		out.Add(few)
	}
	if out.Err == nil {
		out.Add(few[:(n+len(few)/len(s))*len(s)])
	}
	return out.Value()
}

func lpad(c *expr.Context, args []types.Value) (types.Value, error) {
	s, fill, err := padding(c, args)
	if err != nil {
		return types.Null, err
	}
	return textCat(c, fill, types.NewText(s))
}

func rpad(c *expr.Context, args []types.Value) (types.Value, error) {
	s, fill, err := padding(c, args)
	if err != nil {
		return types.Null, err
	}
	return textCat(c, types.NewText(s), fill)
}

// padding cuts the text to the length asked for and makes what must be added to it.
func padding(c *expr.Context, args []types.Value) (s string, added types.Value, err error) {
	fill := ""
	s, fill = args[0].Text(), " "
	if len(args) == 3 {
		fill = args[2].Text()
	}
	kept, err := part(c, s, 0, args[1].Int())
	if err != nil {
		return "", types.Null, err
	}
	s = kept.Text()
	has, err := c.Characters(s)
	missing := int(args[1].Int()) - has
	if fill == "" || missing <= 0 || err != nil {
		return s, types.NewText(""), err
	}
	chars, err := c.Characters(fill)
	if err != nil {
		return "", types.Null, err
	}
	if err := work.CheckLength((missing/chars + 1) * len(fill)); err != nil {
		return "", types.Null, err
	}
	if added, err = repeated(c, fill, missing/chars); err != nil {
		return "", types.Null, err
	}
	rest, err := part(c, fill, 0, int64(missing%chars))
	if err != nil {
		return "", types.Null, err
	}
	added, err = textCat(c, added, rest)
	return s, added, err
}

func ascii(_ *expr.Context, a types.Value) (types.Value, error) {
	if a.Text() == "" {
		return types.NewInt(0), nil
	}
	r, _ := utf8.DecodeRuneInString(a.Text())
	return types.NewInt(int64(r)), nil
}

func chr(_ *expr.Context, a types.Value) (types.Value, error) {
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

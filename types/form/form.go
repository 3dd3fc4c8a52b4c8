// Package form has what the text and binary forms of all types have in common: C's character classes, the check of
// UTF-8, the errors about malformed input, and Work, which bounds long work. The forms themselves are in package
// types and in the packages of each kind of value. Read Work first.
package form

import "unicode/utf8"

// CutBytes cuts a text to a length in bytes, at the border of a character.
func CutBytes(s string, end int) string {
	if len(s) <= end {
		return s
	}
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

// HexDigit is the value of a hexadecimal digit.
func HexDigit(c byte) (byte, bool) {
	switch {
	case IsDigit(c):
		return c - '0', true
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10, true
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}

// IsOctal says whether a byte is a digit up to most.
func IsOctal(c, most byte) bool { return '0' <= c && c <= most }

// SpanWhile is the number of bytes at the start of a text that are of a class.
func SpanWhile(s string, is func(byte) bool) int {
	for i := 0; i < len(s); i++ {
		if !is(s[i]) {
			return i
		}
	}
	return len(s)
}

// IsLetter says whether a byte is a letter of ASCII.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// CharacterLength is the bytes of the first character of a text.
func CharacterLength(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size
}

// LeadingDigits are the digits at the start of a text.
func LeadingDigits(s string) string {
	for i := 0; i < len(s); i++ {
		if !IsDigit(s[i]) {
			return s[:i]
		}
	}
	return s
}

// IsSpace is C's isspace, which decides what surrounds a number.
func IsSpace(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' }

// IsDigit says whether a byte is a decimal digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// TrimSpace cuts C's white space at both ends.
func TrimSpace(s string) string {
	for len(s) > 0 && IsSpace(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && IsSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

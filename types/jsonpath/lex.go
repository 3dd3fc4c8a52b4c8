package jsonpath

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// token is the kind of a token of a jsonpath.
type token uint8

const (
	endToken    token = iota
	signToken         // text is the sign
	wordToken         // a name without quotes; keyword is it in lower case
	quotedToken       // a string
	variableToken
	integerToken
	decimalToken
)

// lexer reads the tokens of a jsonpath, of which the parser sees one ahead.
type lexer struct {
	s       string
	token   token
	raw     string // as it is written
	text    string // what it means
	keyword string
	at, end int
}

const special = "?%$.[]{}()|&!=<>@#,*:-+/"

func isBlank(c byte) bool { return strings.IndexByte(" \t\n\r\f", c) >= 0 }

// others are the bytes that may stand in a name.
var others = func() (others [256]bool) {
	for c := range others {
		others[c] = strings.IndexByte(" \t\n\r\f\"\\"+special, byte(c)) < 0
	}
	return others
}()

func isOther(c byte) bool { return others[c] }

// next reads a token.
func (l *lexer) next() error {
	if err := l.skipBlanks(); err != nil {
		return err
	}
	l.at, l.keyword = l.end, ""
	if l.at == len(l.s) {
		l.took(endToken, l.at, "")
		return nil
	}
	switch c := l.s[l.at]; {
	case c == '"':
		return l.quoted(quotedToken, l.at+1)
	case c == '$' && l.at+1 < len(l.s) && l.s[l.at+1] == '"':
		return l.quoted(variableToken, l.at+2)
	case c == '$' && l.at+1 < len(l.s) && isOther(l.s[l.at+1]):
		return l.name(variableToken, l.at+1)
	case form.IsDigit(c), c == '.' && l.at+1 < len(l.s) && form.IsDigit(l.s[l.at+1]):
		return l.number()
	case isOther(c), c == '\\':
		return l.name(wordToken, l.at)
	}
	for _, sign := range []string{"&&", "||", "**", "==", "<>", "!=", "<=", ">="} {
		if strings.HasPrefix(l.s[l.at:], sign) {
			l.took(signToken, l.at+2, sign)
			return nil
		}
	}
	l.took(signToken, l.at+1, l.s[l.at:l.at+1])
	return nil
}

func (l *lexer) took(token token, end int, text string) {
	l.token, l.raw, l.text, l.end = token, l.s[l.at:end], text, end
}

// skipBlanks passes over white space and comments.
func (l *lexer) skipBlanks() error {
	for l.end < len(l.s) {
		switch rest := l.s[l.end:]; {
		case isBlank(rest[0]):
			l.end++
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				return syntaxError("unexpected end of comment", "")
			}
			l.end += n + 4
		default:
			return nil
		}
	}
	return nil
}

// name reads a name, which may have escapes.
func (l *lexer) name(token token, i int) error {
	var text []byte
	for i < len(l.s) {
		if l.s[i] == '\\' {
			var err error
			if text, i, err = l.escape(text, i); err != nil {
				return err
			}
			continue
		}
		if !isOther(l.s[i]) {
			break
		}
		end := i + 1
		for end < len(l.s) && isOther(l.s[end]) {
			end++
		}
		text, i = append(text, l.s[i:end]...), end
	}
	l.took(token, i, string(text))
	if token == wordToken {
		l.keyword = keywordOf(l.text)
	}
	return nil
}

// keywordOf is the keyword that a name is; null, true and false are so only in lower
// case.
func keywordOf(name string) string {
	lower := strings.ToLower(name)
	if lower != name && (lower == "null" || lower == "true" || lower == "false") {
		return ""
	}
	return lower
}

func (l *lexer) quoted(token token, i int) error {
	var text []byte
	for i < len(l.s) {
		switch l.s[i] {
		case '"':
			l.took(token, i+1, string(text))
			return nil
		case '\\':
			var err error
			if text, i, err = l.escape(text, i); err != nil {
				return err
			}
		default:
			end := i + 1
			for end < len(l.s) && l.s[end] != '"' && l.s[end] != '\\' {
				end++
			}
			text, i = append(text, l.s[i:end]...), end
		}
	}
	return syntaxError("unexpected end of quoted string", "")
}

// escape reads an escape at i, and appends what it means.
func (l *lexer) escape(text []byte, i int) ([]byte, int, error) {
	if i+1 == len(l.s) {
		return nil, 0, syntaxError("unexpected end after backslash", `\`)
	}
	c := l.s[i+1]
	if at := strings.IndexByte("bfnrtv", c); at >= 0 {
		return append(text, "\b\f\n\r\t\v"[at]), i + 2, nil
	}
	switch c {
	case 'u':
		return l.unicodeEscapes(text, i)
	case 'x':
		r, ok := hexRune(l.s, i+2, 2)
		if !ok {
			return nil, 0, syntaxError("invalid hex character sequence", l.s[i:hexEnd(l.s, i+2, 1)])
		}
		return l.appendRune(text, r, i+4)
	}
	n := form.CharacterLength(l.s[i+1:])
	return append(text, l.s[i+1:i+1+n]...), i + 1 + n, nil
}

// unicodeEscapes reads \uXXXX or \u{X...}, and the second half of a pair.
func (l *lexer) unicodeEscapes(text []byte, i int) ([]byte, int, error) {
	r, end, ok := l.codePoint(i)
	if !ok {
		return nil, 0, l.badUnicode(i)
	}
	if utf16.IsSurrogate(r) {
		low, lowEnd, ok := l.codePoint(end)
		pair := utf16.DecodeRune(r, low)
		switch {
		case r >= 0xdc00 || !ok || pair == utf8.RuneError && (low < 0xd800 || low > 0xdbff):
			return nil, 0, invalid("Unicode low surrogate must follow a high surrogate.")
		case pair == utf8.RuneError:
			return nil, 0, invalid("Unicode high surrogate must not follow a high surrogate.")
		}
		r, end = pair, lowEnd
	}
	return l.appendRune(text, r, end)
}

func (l *lexer) codePoint(i int) (r rune, end int, ok bool) {
	if !strings.HasPrefix(l.s[i:], `\u`) {
		return 0, 0, false
	}
	if rest := l.s[i+2:]; strings.HasPrefix(rest, "{") {
		n := strings.IndexByte(rest, '}')
		if n < 2 || n > 7 {
			return 0, 0, false
		}
		r, ok = hexRune(rest, 1, n-1)
		return r, i + 2 + n + 1, ok
	}
	r, ok = hexRune(l.s, i+2, 4)
	return r, i + 6, ok
}

func hexRune(s string, at, n int) (rune, bool) {
	if at+n > len(s) {
		return 0, false
	}
	r, err := strconv.ParseUint(s[at:at+n], 16, 32)
	return rune(r), err == nil && s[at] != '+'
}

func (l *lexer) appendRune(text []byte, r rune, end int) ([]byte, int, error) {
	if r == 0 {
		return nil, 0, sqlerr.New(sqlerr.UntranslatableCharacter, "unsupported Unicode escape sequence").
			WithDetail("\\u0000 cannot be converted to text.")
	}
	if !utf8.ValidRune(r) {
		return nil, 0, syntaxError("invalid Unicode escape sequence", l.s[l.at:end])
	}
	return utf8.AppendRune(text, r), end, nil
}

// badUnicode is the error of a \u at i with too few digits.
func (l *lexer) badUnicode(i int) error {
	from, most := i+2, 3
	if strings.HasPrefix(l.s[from:], "{") {
		from, most = i+3, 6
	}
	return syntaxError("invalid unicode sequence", l.s[i:hexEnd(l.s, from, most)])
}

// hexEnd is the end of so many hexadecimal digits at most.
func hexEnd(s string, i, most int) int {
	for ; most > 0 && i < len(s); most-- {
		if _, ok := form.HexDigit(s[i]); !ok {
			break
		}
		i++
	}
	return i
}

// number reads a number of ECMAScript, in decimal.
func (l *lexer) number() error {
	i := l.at
	digits := func() { i += len(form.LeadingDigits(l.s[i:])) }
	token := integerToken
	if l.s[i] == '0' {
		i++
	} else {
		digits()
	}
	if i < len(l.s) && l.s[i] == '.' {
		token = decimalToken
		i++
		digits()
	}
	if i < len(l.s) && (l.s[i] == 'e' || l.s[i] == 'E') {
		token = decimalToken
		i++
		if i < len(l.s) && (l.s[i] == '+' || l.s[i] == '-') {
			i++
		}
		if i == len(l.s) || !form.IsDigit(l.s[i]) {
			return l.junk(i)
		}
		digits()
	}
	if i < len(l.s) && (isOther(l.s[i]) || l.s[i] == '\\') {
		return l.junk(i + form.CharacterLength(l.s[i:]))
	}
	l.took(token, i, l.s[l.at:i])
	return nil
}

func (l *lexer) junk(end int) error {
	return syntaxError("trailing junk after numeric literal", l.s[l.at:end])
}

// syntaxError is the error of wrong text near a token, or at the end.
func syntaxError(what, near string) error {
	if near == "" {
		return sqlerr.New(sqlerr.SyntaxError, "%s at end of jsonpath input", what)
	}
	return sqlerr.New(sqlerr.SyntaxError, "%s at or near \"%s\" of jsonpath input", what, near)
}

func invalid(detail string) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type %s", "jsonpath").
		WithDetail("%s", detail)
}

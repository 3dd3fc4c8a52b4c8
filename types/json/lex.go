package json

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// token is the kind of a token: its first byte, 'n' for a number and 0 for the end.
type token byte

const (
	endToken    token = 0
	stringToken token = '"'
	numberToken token = 'n'
	trueToken   token = 't'
	falseToken  token = 'f'
	nullToken   token = '0'
)

// tokenUnits is the work of reading one token, and of making its value.
const tokenUnits = 64

// lexer reads the tokens of RFC 7159.
type lexer struct {
	s          string
	work       form.Work
	decode     bool // give strings without their escapes
	token      token
	start, end int    // of the token
	before     int    // the end of the token before
	text       string // of a string, when decode is set
	line       int    // counted from 0
	lineStart  int
}

// next reads a token.
func (l *lexer) next() error {
	i := l.end
	if err := form.Tick(l.work, tokenUnits+i-l.start); err != nil {
		return err
	}
	for ; i < len(l.s) && (l.s[i] == ' ' || l.s[i] == '\t' || l.s[i] == '\n' || l.s[i] == '\r'); i++ {
		if l.s[i] == '\n' {
			l.line++
			l.lineStart = i + 1
		}
	}
	l.start = i
	if i == len(l.s) {
		l.took(endToken, i)
		return nil
	}
	switch c := l.s[i]; c {
	case '{', '}', '[', ']', ',', ':':
		l.took(token(c), i+1)
		return nil
	case '"':
		return l.string()
	case '-':
		return l.number(i + 1)
	default:
		if form.IsDigit(c) {
			return l.number(i)
		}
		return l.word()
	}
}

func (l *lexer) took(token token, end int) {
	l.token, l.before, l.end = token, l.end, end
}

// word reads true, false and null, and takes a whole word for an error.
func (l *lexer) word() error {
	i := l.start
	for i < len(l.s) && isWordByte(l.s[i]) {
		i++
	}
	switch l.s[l.start:i] {
	case "true":
		l.took(trueToken, i)
	case "false":
		l.took(falseToken, i)
	case "null":
		l.took(nullToken, i)
	default:
		l.end = max(i, l.start+1)
		return l.invalidToken()
	}
	return nil
}

func isWordByte(c byte) bool {
	return form.IsDigit(c) || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

// number reads a number from behind its sign.
func (l *lexer) number(i int) error {
	wrong := false
	digits := func() {
		n := len(form.LeadingDigits(l.s[i:]))
		wrong = wrong || n == 0
		i += n
	}
	if i < len(l.s) && l.s[i] == '0' {
		i++
	} else {
		digits()
	}
	if i < len(l.s) && l.s[i] == '.' {
		i++
		digits()
	}
	if i < len(l.s) && (l.s[i] == 'e' || l.s[i] == 'E') {
		i++
		if i < len(l.s) && (l.s[i] == '+' || l.s[i] == '-') {
			i++
		}
		digits()
	}
	for ; i < len(l.s) && isWordByte(l.s[i]); i++ {
		wrong = true
	}
	l.took(numberToken, i)
	if wrong {
		return l.invalidToken()
	}
	return nil
}

// IsNumber says whether a text is a number of JSON and nothing else.
func IsNumber(s string) bool {
	l := lexer{s: s}
	return l.number(len(s)-len(strings.TrimPrefix(s, "-"))) == nil && l.end == len(s)
}

// string reads a string, whose text is a part of the input unless it has escapes.
func (l *lexer) string() error {
	first := l.start + 1
	for i := first; i < len(l.s); i++ {
		switch c := l.s[i]; {
		case c == '"':
			l.text = l.s[first:i]
			l.took(stringToken, i+1)
			return nil
		case c == '\\':
			return l.escaped(first, i)
		case c < ' ':
			return l.controlCharacter(i)
		}
	}
	return l.cutOff(len(l.s))
}

func (l *lexer) controlCharacter(i int) error {
	l.end = i
	return l.invalid("Character with value 0x%02x must be escaped.", l.s[i])
}

func (l *lexer) cutOff(i int) error {
	l.end = i
	return l.invalidToken()
}

// escaped reads a string whose first escape is at i.
func (l *lexer) escaped(first, i int) error {
	text := []byte(l.s[first:i])
	high := rune(-1) // the half of a surrogate pair that waits for the other
	for ; i < len(l.s); i++ {
		c := l.s[i]
		if c < ' ' {
			return l.controlCharacter(i)
		}
		unicode := c == '\\' && i+1 < len(l.s) && l.s[i+1] == 'u'
		if high >= 0 && !unicode && l.decode {
			return l.aloneSurrogate(i)
		}
		switch {
		case c == '"':
			l.text = string(text)
			l.took(stringToken, i+1)
			return nil
		case c != '\\':
			text = append(text, c)
		case unicode:
			r, err := l.unicodeEscape(i + 2)
			if i += 5; err == nil && l.decode {
				text, high, err = l.appendRune(text, r, high, i+1)
			}
			if err != nil {
				return err
			}
		default:
			i++
			if i == len(l.s) {
				return l.cutOff(i)
			}
			plain, ok := escapes[l.s[i]]
			if !ok {
				l.start, l.end = i, i+form.CharacterLength(l.s[i:])
				return l.invalid("Escape sequence \"\\%s\" is invalid.", l.s[l.start:l.end])
			}
			text = append(text, plain)
		}
	}
	return l.cutOff(len(l.s))
}

var escapes = map[byte]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unicodeEscape reads the four digits behind \u.
func (l *lexer) unicodeEscape(i int) (r rune, err error) {
	for end := i + 4; i < end; i++ {
		if i >= len(l.s) {
			return 0, l.cutOff(len(l.s))
		}
		digit, ok := form.HexDigit(l.s[i])
		if !ok {
			l.end = i + form.CharacterLength(l.s[i:])
			return 0, l.invalid("\"\\u\" must be followed by four hexadecimal digits.")
		}
		r = r<<4 | rune(digit)
	}
	return r, nil
}

// appendRune appends what a \u escape that ends there means, or keeps it as the high half
// of a pair.
func (l *lexer) appendRune(text []byte, r, high rune, end int) ([]byte, rune, error) {
	switch {
	case 0xd800 <= r && r < 0xdc00 && high >= 0:
		l.end = end
		return nil, 0, l.invalid("Unicode high surrogate must not follow a high surrogate.")
	case 0xd800 <= r && r < 0xdc00:
		return text, r, nil
	case (0xdc00 <= r && r < 0xe000) != (high >= 0):
		return nil, 0, l.lowSurrogate(end)
	case high >= 0:
		r = utf16.DecodeRune(high, r)
	case r == 0:
		l.end = end
		e := sqlerr.New(sqlerr.UntranslatableCharacter, "unsupported Unicode escape sequence").
			WithDetail("\\u0000 cannot be converted to text.")
		e.Where = l.context()
		return nil, 0, e
	}
	return utf8.AppendRune(text, r), -1, nil
}

// aloneSurrogate is the error of a high surrogate with what begins at i behind it.
func (l *lexer) aloneSurrogate(i int) error {
	if l.s[i] == '\\' {
		i++
	}
	return l.lowSurrogate(i + form.CharacterLength(l.s[i:]))
}

func (l *lexer) lowSurrogate(end int) error {
	l.end = end
	return l.invalid("Unicode low surrogate must follow a high surrogate.")
}

func (l *lexer) invalidToken() error {
	return l.invalid("Token \"%s\" is invalid.", l.s[l.start:l.end])
}

// invalid is the error of wrong text, which names json for jsonb, too.
func (l *lexer) invalid(detail string, args ...any) error {
	e := sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail(detail, args...)
	e.Where = l.context()
	return e
}

// context is the line up to the end of the token, no more than about 50 bytes of it.
func (l *lexer) context() string {
	from, prefix, suffix := l.lineStart, "...", ""
	for l.end-from >= 50 {
		from += form.CharacterLength(l.s[from:])
	}
	if from-l.lineStart <= 3 {
		from, prefix = l.lineStart, ""
	}
	if l.token != endToken && l.end < len(l.s) && l.s[l.end] != '\n' && l.s[l.end] != '\r' {
		suffix = "..."
	}
	shown := ""
	if from < l.end {
		shown = l.s[from:l.end]
	}
	return "JSON data, line " + strconv.Itoa(l.line+1) + ": " + prefix + shown + suffix
}

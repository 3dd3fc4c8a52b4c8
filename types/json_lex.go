package types

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

// jsonToken is the kind of a token: its first byte, 'n' for a number and 0 for the end.
type jsonToken byte

const (
	jsonEnd         jsonToken = 0
	jsonStringToken jsonToken = '"'
	jsonNumberToken jsonToken = 'n'
	jsonTrueToken   jsonToken = 't'
	jsonFalseToken  jsonToken = 'f'
	jsonNullToken   jsonToken = '0'
)

// jsonTokenUnits is the work of reading one token, and of making its value.
const jsonTokenUnits = 64

// jsonLexer reads the tokens of RFC 7159.
type jsonLexer struct {
	s          string
	env        *Env
	decode     bool // give strings without their escapes
	token      jsonToken
	start, end int    // of the token
	before     int    // the end of the token before
	text       string // of a string, when decode is set
	line       int    // counted from 0
	lineStart  int
}

// next reads a token.
func (l *jsonLexer) next() error {
	i := l.end
	if err := l.env.Tick(jsonTokenUnits + i - l.start); err != nil {
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
		l.took(jsonEnd, i)
		return nil
	}
	switch c := l.s[i]; c {
	case '{', '}', '[', ']', ',', ':':
		l.took(jsonToken(c), i+1)
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

func (l *jsonLexer) took(token jsonToken, end int) {
	l.token, l.before, l.end = token, l.end, end
}

// word reads true, false and null, and takes a whole word for an error.
func (l *jsonLexer) word() error {
	i := l.start
	for i < len(l.s) && isWordByte(l.s[i]) {
		i++
	}
	switch l.s[l.start:i] {
	case "true":
		l.took(jsonTrueToken, i)
	case "false":
		l.took(jsonFalseToken, i)
	case "null":
		l.took(jsonNullToken, i)
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
func (l *jsonLexer) number(i int) error {
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
	l.took(jsonNumberToken, i)
	if wrong {
		return l.invalidToken()
	}
	return nil
}

// string reads a string, whose text is a part of the input unless it has escapes.
func (l *jsonLexer) string() error {
	first := l.start + 1
	for i := first; i < len(l.s); i++ {
		switch c := l.s[i]; {
		case c == '"':
			l.text = l.s[first:i]
			l.took(jsonStringToken, i+1)
			return nil
		case c == '\\':
			return l.escaped(first, i)
		case c < ' ':
			return l.controlCharacter(i)
		}
	}
	return l.cutOff(len(l.s))
}

func (l *jsonLexer) controlCharacter(i int) error {
	l.end = i
	return l.invalid("Character with value 0x%02x must be escaped.", l.s[i])
}

func (l *jsonLexer) cutOff(i int) error {
	l.end = i
	return l.invalidToken()
}

// escaped reads a string whose first escape is at i.
func (l *jsonLexer) escaped(first, i int) error {
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
			l.took(jsonStringToken, i+1)
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
			plain, ok := jsonEscapes[l.s[i]]
			if !ok {
				l.start, l.end = i, i+form.CharacterLength(l.s[i:])
				return l.invalid("Escape sequence \"\\%s\" is invalid.", l.s[l.start:l.end])
			}
			text = append(text, plain)
		}
	}
	return l.cutOff(len(l.s))
}

var jsonEscapes = map[byte]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// unicodeEscape reads the four digits behind \u.
func (l *jsonLexer) unicodeEscape(i int) (r rune, err error) {
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
func (l *jsonLexer) appendRune(text []byte, r, high rune, end int) ([]byte, rune, error) {
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
func (l *jsonLexer) aloneSurrogate(i int) error {
	if l.s[i] == '\\' {
		i++
	}
	return l.lowSurrogate(i + form.CharacterLength(l.s[i:]))
}

func (l *jsonLexer) lowSurrogate(end int) error {
	l.end = end
	return l.invalid("Unicode low surrogate must follow a high surrogate.")
}

func (l *jsonLexer) invalidToken() error {
	return l.invalid("Token \"%s\" is invalid.", l.s[l.start:l.end])
}

// invalid is the error of wrong text, which names json for jsonb, too.
func (l *jsonLexer) invalid(detail string, args ...any) error {
	e := sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type json").WithDetail(detail, args...)
	e.Where = l.context()
	return e
}

// context is the line up to the end of the token, no more than about 50 bytes of it.
func (l *jsonLexer) context() string {
	from, prefix, suffix := l.lineStart, "...", ""
	for l.end-from >= 50 {
		from += form.CharacterLength(l.s[from:])
	}
	if from-l.lineStart <= 3 {
		from, prefix = l.lineStart, ""
	}
	if l.token != jsonEnd && l.end < len(l.s) && l.s[l.end] != '\n' && l.s[l.end] != '\r' {
		suffix = "..."
	}
	shown := ""
	if from < l.end {
		shown = l.s[from:l.end]
	}
	return "JSON data, line " + strconv.Itoa(l.line+1) + ": " + prefix + shown + suffix
}

package types

import (
	"encoding/hex"
	"slices"
	"strings"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types/form"
)

func appendBytea(dst []byte, v Value, env *Env) []byte {
	if env != nil && env.EscapeBytes {
		return appendEscapedBytea(dst, v, env)
	}
	dst = append(dst, `\x`...)
	if env.Make(2*int64(len(v.Bytes()))) != nil {
		return dst
	}
	dst = slices.Grow(dst, 2*len(v.Bytes()))
	_ = form.Pieces(env, v.Text(), func(piece string) { dst = hex.AppendEncode(dst, []byte(piece)) }) // Ended tells
	return dst
}

// appendEscapedBytea appends the escape format: printable ASCII as it is, but backslashes twice, and all else in octal.
func appendEscapedBytea(dst []byte, v Value, env *Env) []byte {
	if env.Make(int64(len(v.Bytes()))) != nil {
		return dst
	}
	_ = form.Pieces(env, v.Text(), func(piece string) { // Ended tells
		for i := range len(piece) {
			switch c := piece[i]; {
			case c == '\\':
				dst = append(dst, `\\`...)
			case c < ' ' || c > '~':
				dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
			default:
				dst = append(dst, c)
			}
		}
	})
	return dst
}

// parseBytea reads the hex format after \x and the escape format otherwise.
func parseBytea(s string, env *Env) (Value, error) {
	if err := env.Make(int64(len(s))); err != nil {
		return Null, err
	}
	if strings.HasPrefix(s, `\x`) {
		return parseHexBytea(s[2:], env)
	}
	return parseEscapeBytea(s, env)
}

func parseHexBytea(s string, env *Env) (Value, error) {
	p := make([]byte, 0, len(s)/2)
	for i, next := 0, form.PieceBytes; i < len(s); i++ {
		if i >= next {
			if err := env.Tick(2 * form.PieceBytes); err != nil {
				return Null, err
			}
			next += form.PieceBytes
		}
		if c := s[i]; c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			continue
		}
		high, ok := form.HexDigit(s[i])
		if !ok {
			return Null, badHexDigit(s[i:])
		}
		i++
		if i == len(s) {
			return Null, sqlerr.New(sqlerr.InvalidParameterValue, "invalid hexadecimal data: odd number of digits")
		}
		low, ok := form.HexDigit(s[i])
		if !ok {
			return Null, badHexDigit(s[i:])
		}
		p = append(p, high<<4|low)
	}
	return NewBytes(p), nil
}

func badHexDigit(rest string) error {
	_, size := utf8.DecodeRuneInString(rest)
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid hexadecimal digit: \"%s\"", rest[:size])
}

func parseEscapeBytea(s string, env *Env) (Value, error) {
	p := make([]byte, 0, len(s))
	for i, next := 0, form.PieceBytes; i < len(s); i++ {
		if i >= next {
			if err := env.Tick(2 * form.PieceBytes); err != nil {
				return Null, err
			}
			next += form.PieceBytes
		}
		switch {
		case s[i] != '\\':
			p = append(p, s[i])
		case strings.HasPrefix(s[i+1:], `\`):
			p = append(p, '\\')
			i++
		case i+3 < len(s) && form.IsOctal(s[i+1], '3') && form.IsOctal(s[i+2], '7') && form.IsOctal(s[i+3], '7'):
			p = append(p, (s[i+1]-'0')<<6|(s[i+2]-'0')<<3|(s[i+3]-'0'))
			i += 3
		default:
			return Null, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type bytea")
		}
	}
	return NewBytes(p), nil
}

func appendUUID(dst []byte, v Value, _ *Env) []byte {
	u := v.UUID()
	for i, part := range [][]byte{u[:4], u[4:6], u[6:8], u[8:10], u[10:]} {
		if i > 0 {
			dst = append(dst, '-')
		}
		dst = hex.AppendEncode(dst, part)
	}
	return dst
}

// parseUUID reads 32 hex digits, with a hyphen after any group of four and braces
// around.
func parseUUID(s string, _ *Env) (Value, error) {
	t := s
	if strings.HasPrefix(t, "{") && strings.HasSuffix(t, "}") {
		t = t[1 : len(t)-1]
	}
	var u [16]byte
	for i := range u {
		if len(t) < 2 {
			return Null, form.InvalidText("uuid", s)
		}
		high, ok1 := form.HexDigit(t[0])
		low, ok2 := form.HexDigit(t[1])
		if !ok1 || !ok2 {
			return Null, form.InvalidText("uuid", s)
		}
		u[i], t = high<<4|low, t[2:]
		if i%2 == 1 && i < 15 && strings.HasPrefix(t, "-") {
			t = t[1:]
		}
	}
	if t != "" {
		return Null, form.InvalidText("uuid", s)
	}
	return NewUUID(u), nil
}

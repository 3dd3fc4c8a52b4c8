package text

import (
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"strings"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
)

// byteaFunctions work on bytes.
var byteaFunctions = []*expr.Function{
	{Name: "byteacat", Operator: "||", Args: pg.Sig{pg.Bytea, pg.Bytea}, Result: pg.Bytea, Doc: "Both strings of bytes together.", Fn2: byteaCat},
	{Name: "length", Args: pg.Sig{pg.Bytea}, Result: pg.Int4, Doc: "Number of bytes.", Fn1: OctetLength},
	{Name: "octet_length", Args: pg.Sig{pg.Bytea}, Result: pg.Int4, Doc: "Number of bytes.", Fn1: OctetLength},
	{Name: "encode", Args: pg.Sig{pg.Bytea, pg.Text}, Result: pg.Text, Doc: "Bytes as text in the format hex, base64 or escape.", Fn2: encodeBytes},
	{Name: "decode", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Bytea, Doc: "Bytes from text in the format hex, base64 or escape.", Fn2: decodeBytes},
	{Name: "sha224", Args: pg.Sig{pg.Bytea}, Result: pg.Bytea, Doc: "SHA-224 hash.", Fn1: hashBytes(sha256.New224)},
	{Name: "sha256", Args: pg.Sig{pg.Bytea}, Result: pg.Bytea, Doc: "SHA-256 hash.", Fn1: hashBytes(sha256.New)},
	{Name: "sha384", Args: pg.Sig{pg.Bytea}, Result: pg.Bytea, Doc: "SHA-384 hash.", Fn1: hashBytes(sha512.New384)},
	{Name: "sha512", Args: pg.Sig{pg.Bytea}, Result: pg.Bytea, Doc: "SHA-512 hash.", Fn1: hashBytes(sha512.New)},
}

func byteaCat(c *expr.Context, a, b types.Value) (types.Value, error) {
	return c.Concat(a.Text(), b.Text()).Bytes()
}

func hashBytes(of func() hash.Hash) expr.Function1 {
	return func(c *expr.Context, a types.Value) (types.Value, error) {
		sum, err := Hash(c, of(), a)
		return types.NewBytes(sum), err
	}
}

func encodeBytes(c *expr.Context, a, b types.Value) (types.Value, error) {
	switch strings.ToLower(b.Text()) {
	case "hex":
		return c.TryPieces(a.Text(), 2, 2*len(a.Text()), func(dst []byte, piece string) ([]byte, error) {
			return hex.AppendEncode(dst, []byte(piece)), nil
		})
	case "base64":
		return encodeBase64(c, a.Bytes())
	case "escape":
		return c.TryPieces(a.Text(), 2, len(a.Text()), appendEscape)
	}
	return types.Null, unknownEncoding(b.Text())
}

func decodeBytes(c *expr.Context, a, b types.Value) (types.Value, error) {
	switch strings.ToLower(b.Text()) {
	case "hex":
		digits, err := c.Concat(`\x`, a.Text()).Value()
		if err != nil {
			return types.Null, err
		}
		return types.ParseText(digits.Text(), types.Bytea, c.Env)
	case "base64":
		return decodeBase64(c, a.Text())
	case "escape":
		if strings.HasPrefix(a.Text(), `\x`) { // would be read as hexadecimal
			return types.Null, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type bytea")
		}
		return types.ParseText(a.Text(), types.Bytea, c.Env)
	}
	return types.Null, unknownEncoding(b.Text())
}

func unknownEncoding(name string) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized encoding: \"%s\"", name)
}

// encodeBase64 breaks lines after 76 characters (RFC 2045), though with a newline only.
func encodeBase64(c *expr.Context, p []byte) (types.Value, error) {
	const line = 76 / 4 * 3
	out := c.Text(base64.StdEncoding.EncodedLen(len(p)) + len(p)/line)
	var buffer [76 + 1]byte
	for len(p) > 0 && out.Err == nil {
		n := min(line, len(p))
		text := base64.StdEncoding.AppendEncode(buffer[:0], p[:n])
		if p = p[n:]; len(p) > 0 {
			text = append(text, '\n')
		}
		out.AddBytes(text)
	}
	return out.Value()
}

func decodeBase64(c *expr.Context, s string) (types.Value, error) {
	blanks := strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "")
	v, err := c.MapPieces(s, CaseUnits, blanks.Replace)
	if err != nil {
		return types.Null, err
	}
	packed := v.Text()
	out := c.Text(base64.StdEncoding.DecodedLen(len(packed)))
	for at := 0; at < len(packed) && out.Err == nil; at += work.PieceBytes {
		end := min(at+work.PieceBytes, len(packed))
		p, err := base64.StdEncoding.DecodeString(packed[at:end])
		var wrong base64.CorruptInputError
		switch {
		case errors.As(err, &wrong):
			return types.Null, badBase64(packed, at+int(wrong))
		case end < len(packed) && packed[end-1] == '=':
			return types.Null, badBase64(packed, end)
		}
		out.AddBytes(p)
	}
	return out.Bytes()
}

// badBase64 is the error for the byte at which digits of base64 go wrong.
func badBase64(packed string, at int) error {
	if at < len(packed) {
		bad, _ := utf8.DecodeRuneInString(packed[at:])
		if bad == '=' {
			return sqlerr.New(sqlerr.InvalidParameterValue, "unexpected \"=\" while decoding base64 sequence")
		}
		if !isBase64(bad) {
			return sqlerr.New(sqlerr.InvalidParameterValue,
				"invalid symbol \"%c\" found while decoding base64 sequence", bad)
		}
	}
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid base64 end sequence").
		WithHint("Input data is missing padding, is truncated, or is otherwise corrupted.")
}

func isBase64(r rune) bool {
	return 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '+' || r == '/'
}

// appendEscape writes zero and the bytes above ASCII in octal.
func appendEscape(dst []byte, p string) ([]byte, error) {
	for i := range len(p) {
		switch c := p[i]; {
		case c == 0 || c >= utf8.RuneSelf:
			dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
		case c == '\\':
			dst = append(dst, c, c)
		default:
			dst = append(dst, c)
		}
	}
	return dst, nil
}

package expr

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types"
)

// byteaFunctions work on bytes.
var byteaFunctions = []*Function{
	{Name: "byteacat", Operator: "||", Args: sig{bytea, bytea}, Result: bytea, Doc: "Both strings of bytes together.", Fn2: byteaCat},
	{Name: "length", Args: sig{bytea}, Result: int4, Doc: "Number of bytes.", Fn1: octetLength},
	{Name: "octet_length", Args: sig{bytea}, Result: int4, Doc: "Number of bytes.", Fn1: octetLength},
	{Name: "encode", Args: sig{bytea, text}, Result: text, Doc: "Bytes as text in the format hex, base64 or escape.", Fn2: encodeBytes},
	{Name: "decode", Args: sig{text, text}, Result: bytea, Doc: "Bytes from text in the format hex, base64 or escape.", Fn2: decodeBytes},
	{Name: "sha224", Args: sig{bytea}, Result: bytea, Doc: "SHA-224 hash.", Fn1: hashBytes(func(p []byte) []byte { h := sha256.Sum224(p); return h[:] })},
	{Name: "sha256", Args: sig{bytea}, Result: bytea, Doc: "SHA-256 hash.", Fn1: hashBytes(func(p []byte) []byte { h := sha256.Sum256(p); return h[:] })},
	{Name: "sha384", Args: sig{bytea}, Result: bytea, Doc: "SHA-384 hash.", Fn1: hashBytes(func(p []byte) []byte { h := sha512.Sum384(p); return h[:] })},
	{Name: "sha512", Args: sig{bytea}, Result: bytea, Doc: "SHA-512 hash.", Fn1: hashBytes(func(p []byte) []byte { h := sha512.Sum512(p); return h[:] })},
}

func byteaCat(_ *Context, a, b types.Value) (types.Value, error) {
	if err := checkLength(len(a.Bytes()) + len(b.Bytes())); err != nil {
		return types.Null, err
	}
	return types.NewBytes(slices.Concat(a.Bytes(), b.Bytes())), nil
}

func hashBytes(sum func([]byte) []byte) func(*Context, types.Value) (types.Value, error) {
	return func(_ *Context, a types.Value) (types.Value, error) {
		return types.NewBytes(sum(a.Bytes())), nil
	}
}

func encodeBytes(_ *Context, a, b types.Value) (types.Value, error) {
	switch strings.ToLower(b.Text()) {
	case "hex":
		return types.NewText(hex.EncodeToString(a.Bytes())), nil
	case "base64":
		return types.NewText(encodeBase64(a.Bytes())), nil
	case "escape":
		return types.NewText(encodeEscape(a.Bytes())), nil
	}
	return types.Null, unknownEncoding(b.Text())
}

func decodeBytes(_ *Context, a, b types.Value) (types.Value, error) {
	switch strings.ToLower(b.Text()) {
	case "hex":
		return types.ParseText(`\x`+a.Text(), types.Bytea, nil)
	case "base64":
		return decodeBase64(a.Text())
	case "escape":
		if strings.HasPrefix(a.Text(), `\x`) { // would be read as hexadecimal
			return types.Null, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type bytea")
		}
		return types.ParseText(a.Text(), types.Bytea, nil)
	}
	return types.Null, unknownEncoding(b.Text())
}

func unknownEncoding(name string) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized encoding: \"%s\"", name)
}

// encodeBase64 breaks lines after 76 characters (RFC 2045), though with a newline only.
func encodeBase64(p []byte) string {
	const line = 76
	s := base64.StdEncoding.EncodeToString(p)
	var out strings.Builder
	for len(s) > line {
		out.WriteString(s[:line])
		out.WriteByte('\n')
		s = s[line:]
	}
	out.WriteString(s)
	return out.String()
}

func decodeBase64(s string) (types.Value, error) {
	packed := strings.NewReplacer(" ", "", "\t", "", "\n", "", "\r", "").Replace(s)
	p, err := base64.StdEncoding.DecodeString(packed)
	if err == nil {
		return types.NewBytes(p), nil
	}
	var at base64.CorruptInputError
	if errors.As(err, &at) && int(at) < len(packed) {
		bad, _ := utf8.DecodeRuneInString(packed[at:])
		if bad == '=' {
			return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "unexpected \"=\" while decoding base64 sequence")
		}
		if !isBase64(bad) {
			return types.Null, sqlerr.New(sqlerr.InvalidParameterValue,
				"invalid symbol \"%c\" found while decoding base64 sequence", bad)
		}
	}
	return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "invalid base64 end sequence").
		WithHint("Input data is missing padding, is truncated, or is otherwise corrupted.")
}

func isBase64(r rune) bool {
	return 'A' <= r && r <= 'Z' || 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || r == '+' || r == '/'
}

// encodeEscape writes zero and the bytes above ASCII in octal.
func encodeEscape(p []byte) string {
	var out bytes.Buffer
	for _, c := range p {
		switch {
		case c == 0 || c >= utf8.RuneSelf:
			fmt.Fprintf(&out, `\%03o`, c)
		case c == '\\':
			out.WriteString(`\\`)
		default:
			out.WriteByte(c)
		}
	}
	return out.String()
}

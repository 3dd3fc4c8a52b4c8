package text

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/form"
)

// encodingFunctions convert between the encodings of texts, and make texts of Unicode's
// numbers.
var encodingFunctions = []*expr.Function{
	{Name: "convert_from", Args: pg.Sig{pg.Bytea, pg.Name}, Result: pg.Text, Volatility: expr.Stable, Doc: "Text of bytes in an encoding.", Fn2: convertFrom},
	{Name: "convert_to", Args: pg.Sig{pg.Text, pg.Name}, Result: pg.Bytea, Volatility: expr.Stable, Doc: "Text as bytes in an encoding.", Fn2: convertTo},
	{Name: "convert", Args: pg.Sig{pg.Bytea, pg.Name, pg.Name}, Result: pg.Bytea, Volatility: expr.Stable, Doc: "Bytes of a text in one encoding, in another.", FnN: convert},
	{Name: "length", Args: pg.Sig{pg.Bytea, pg.Name}, Result: pg.Int4, Volatility: expr.Stable, Doc: "Number of characters of bytes in an encoding.", Fn2: lengthIn},
	{Name: "to_ascii", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text without accents, from the encodings that PostgreSQL knows that for.", Fn1: toASCII},
	{Name: "unistr", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text with Unicode escapes replaced by their characters.", Fn1: Unistr},
	{Name: "normalize", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Params: []string{"", ""}, Defaults: []string{"'NFC'"}, Doc: "Text in a Unicode normal form.", Fn2: normalize},
	{Name: "is_normalized", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Boolean, Params: []string{"", ""}, Defaults: []string{"'NFC'"}, Doc: "Whether a text is in a Unicode normal form.", Fn2: isNormalized},
	{Name: "getdatabaseencoding", Args: pg.Sig{}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of the database's encoding.", Fn0: utf8Name},
	{Name: "pg_client_encoding", Args: pg.Sig{}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of the client's encoding.", Fn0: utf8Name},
	{Name: "pg_encoding_to_char", Args: pg.Sig{pg.Int4}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of an encoding by its number.", Fn1: encodingName},
	{Name: "pg_char_to_encoding", Args: pg.Sig{pg.Name}, Result: pg.Int4, Volatility: expr.Stable, Doc: "Number of an encoding by its name.", Fn1: encodingNumber},
}

// charset is an encoding that texts are converted from and to. PostgreSQL has more.
type charset int

// PostgreSQL's numbers of the encodings.
const (
	sqlASCII charset = 0
	utf8Set  charset = 6
	latin1   charset = 8
)

var charsetNames = map[charset]string{sqlASCII: "SQL_ASCII", utf8Set: "UTF8", latin1: "LATIN1"}

// charsetOf finds an encoding by a name of which only letters and digits count.
func charsetOf(s string) (charset, bool) {
	plain := strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
	set, ok := map[string]charset{
		"utf8": utf8Set, "unicode": utf8Set, "sqlascii": sqlASCII, "latin1": latin1, "iso88591": latin1,
	}[plain]
	return set, ok
}

// otherCharsets are PostgreSQL's that zproxy does not convert.
var otherCharsets = strings.Fields(`big5 euc_cn euc_jp euc_jis_2004 euc_kr euc_tw gb18030 gbk iso_8859_5 iso_8859_6 iso_8859_7
	iso_8859_8 johab koi8r koi8u latin2 latin3 latin4 latin5 latin6 latin7 latin8 latin9 latin10 mule_internal
	sjis shift_jis_2004 uhc win866 win874 win1250 win1251 win1252 win1253 win1254 win1255 win1256 win1257 win1258`)

func namedCharset(s, role string) (charset, error) {
	set, ok := charsetOf(s)
	switch {
	case ok:
		return set, nil
	case slices.Contains(otherCharsets, strings.ToLower(s)):
		return 0, sqlerr.Unsupported("encoding %s", s)
	}
	return 0, sqlerr.New(sqlerr.InvalidParameterValue, "invalid %s encoding name \"%s\"", role, s)
}

// decodeCharset makes a text of bytes.
func decodeCharset(c *expr.Context, p types.Value, set charset) (types.Value, error) {
	if set != latin1 {
		return types.NewText(p.Text()), checkUTF8(c, p.Text())
	}
	return c.TryPieces(p.Text(), CaseUnits, 2*len(p.Text()), func(dst []byte, piece string) ([]byte, error) {
		for i := range len(piece) {
			if piece[i] == 0 {
				return nil, sqlerr.New(sqlerr.CharacterNotInRepertoire,
					"invalid byte sequence for encoding \"LATIN1\": 0x00")
			}
			dst = utf8.AppendRune(dst, rune(piece[i]))
		}
		return dst, nil
	})
}

func checkUTF8(c *expr.Context, s string) error {
	for s != "" {
		n := work.FirstPiece(s)
		if err := c.Tick(n); err != nil {
			return err
		}
		if form.CheckUTF8(s[:n]) != nil {
			return form.CheckUTF8(s)
		}
		s = s[n:]
	}
	return nil
}

func encodeCharset(c *expr.Context, s types.Value, set charset) (types.Value, error) {
	if set != latin1 {
		return types.NewBytes(s.Bytes()), nil
	}
	v, err := c.TryPieces(s.Text(), CaseUnits, len(s.Text()), func(dst []byte, piece string) ([]byte, error) {
		for i, r := range piece {
			if r > unicode.MaxLatin1 {
				shown := fmt.Sprintf("% #x", piece[i:i+utf8.RuneLen(r)])
				return nil, sqlerr.New(sqlerr.UntranslatableCharacter,
					"character with byte sequence %s in encoding \"UTF8\" has no equivalent in encoding \"LATIN1\"", shown)
			}
			dst = append(dst, byte(r))
		}
		return dst, nil
	})
	return types.NewBytes(v.Bytes()), err
}

func convertFrom(c *expr.Context, a, b types.Value) (types.Value, error) {
	set, err := namedCharset(b.Text(), "source")
	if err != nil {
		return types.Null, err
	}
	return decodeCharset(c, a, set)
}

func convertTo(c *expr.Context, a, b types.Value) (types.Value, error) {
	set, err := namedCharset(b.Text(), "destination")
	if err != nil {
		return types.Null, err
	}
	return encodeCharset(c, a, set)
}

func convert(c *expr.Context, args []types.Value) (types.Value, error) {
	from, err := namedCharset(args[1].Text(), "source")
	if err != nil {
		return types.Null, err
	}
	to, err := namedCharset(args[2].Text(), "destination")
	if err != nil {
		return types.Null, err
	}
	s, err := decodeCharset(c, args[0], from)
	if err != nil {
		return types.Null, err
	}
	return encodeCharset(c, s, to)
}

func lengthIn(c *expr.Context, a, b types.Value) (types.Value, error) {
	set, ok := charsetOf(b.Text())
	if !ok {
		return types.Null, sqlerr.New(sqlerr.InvalidParameterValue, "invalid encoding name \"%s\"", b.Text())
	}
	s, err := decodeCharset(c, a, set)
	if err != nil {
		return types.Null, err
	}
	return TextLength(c, s)
}

func toASCII(*expr.Context, types.Value) (types.Value, error) {
	return types.Null, sqlerr.New(sqlerr.FeatureNotSupported, "encoding conversion from UTF8 to ASCII not supported")
}

func utf8Name(*expr.Context) (types.Value, error) { return types.NewText("UTF8"), nil }

func encodingName(_ *expr.Context, a types.Value) (types.Value, error) {
	return types.NewText(charsetNames[charset(a.Int())]), nil
}

func encodingNumber(_ *expr.Context, a types.Value) (types.Value, error) {
	set, ok := charsetOf(a.Text())
	if !ok {
		set = -1
	}
	return types.NewInt(int64(set)), nil
}

package text

import (
	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/charset"
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
	{Name: "pg_encoding_to_char", Args: pg.Sig{pg.Int4}, Result: pg.Name, Volatility: expr.Stable, Doc: "Name of an encoding by its number.", Fn1: encodingName},
	{Name: "pg_char_to_encoding", Args: pg.Sig{pg.Name}, Result: pg.Int4, Volatility: expr.Stable, Doc: "Number of an encoding by its name.", Fn1: encodingNumber},
}

// namedCharset is an encoding that a function is given by name, as its source or its destination.
func namedCharset(s, role string) (*charset.Charset, error) {
	if set := charset.Find(s); set != nil {
		return set, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidParameterValue, "invalid %s encoding name \"%s\"", role, s)
}

// convertible refuses encodings without a conversion from or to UTF-8.
func convertible(from, to *charset.Charset) error {
	if from.ConvertsTo(to) {
		return nil
	}
	return sqlerr.New(sqlerr.UndefinedFunction,
		"default conversion function for encoding \"%s\" to \"%s\" does not exist", from.Name, to.Name)
}

// decodeCharset makes a text of bytes.
func decodeCharset(c *expr.Context, p types.Value, set *charset.Charset) (types.Value, error) {
	if set.SameAsUTF8() {
		return types.NewText(p.Text()), checkUTF8(c, p.Text())
	}
	if err := c.Tick(CaseUnits * len(p.Bytes())); err != nil {
		return types.Null, err
	}
	if err := c.Make(2 * int64(len(p.Bytes()))); err != nil {
		return types.Null, err
	}
	text, err := set.AppendUTF8(nil, p.Bytes())
	return types.NewText(string(text)), err
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

func encodeCharset(c *expr.Context, s types.Value, set *charset.Charset) (types.Value, error) {
	if set.SameAsUTF8() {
		return types.NewBytes(s.Bytes()), nil
	}
	if err := c.Tick(CaseUnits * len(s.Bytes())); err != nil {
		return types.Null, err
	}
	if err := c.Make(int64(len(s.Bytes()))); err != nil {
		return types.Null, err
	}
	p, err := set.AppendFrom(nil, s.Bytes())
	return types.NewBytes(p), err
}

func convertFrom(c *expr.Context, a, b types.Value) (types.Value, error) {
	set, err := namedCharset(b.Text(), "source")
	if err == nil {
		err = convertible(set, charset.Find("UTF8"))
	}
	if err != nil {
		return types.Null, err
	}
	return decodeCharset(c, a, set)
}

func convertTo(c *expr.Context, a, b types.Value) (types.Value, error) {
	set, err := namedCharset(b.Text(), "destination")
	if err == nil {
		err = convertible(charset.Find("UTF8"), set)
	}
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
	if err == nil {
		err = convertible(from, to)
	}
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
	set := charset.Find(b.Text())
	if set == nil {
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
	set := charset.ByNumber(a.Int())
	if set == nil {
		return types.NewText(""), nil
	}
	return types.NewText(set.Name), nil
}

func encodingNumber(_ *expr.Context, a types.Value) (types.Value, error) {
	set := charset.Find(a.Text())
	if set == nil {
		return types.NewInt(-1), nil
	}
	return types.NewInt(int64(set.Number)), nil
}

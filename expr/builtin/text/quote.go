package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"zproxy/expr"
	"zproxy/expr/builtin/pg"
	"zproxy/expr/work"
	"zproxy/sqlerr"
	"zproxy/types"
)

// quoteFunctions make SQL text out of values.
var quoteFunctions = []*expr.Function{
	{Name: "quote_ident", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text as an identifier, in double quotes if it needs them.", Fn1: quoteIdent},
	{Name: "quote_literal", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text as a string literal.", Fn1: quoteLiteral},
	{Name: "quote_nullable", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text as a string literal, or NULL.", NotStrict: true, Fn1: quoteNullable},
	{Name: "quote_literal", Args: pg.Sig{types.OIDAnyElement}, Result: pg.Text, AnyArgs: true, Volatility: expr.Stable, Doc: "Value's text as a string literal.", Fn1: quoteLiteral},
	{Name: "quote_nullable", Args: pg.Sig{types.OIDAnyElement}, Result: pg.Text, AnyArgs: true, Volatility: expr.Stable, Doc: "Value's text as a string literal, or NULL.", NotStrict: true, Fn1: quoteNullable},
	{Name: "format", Args: pg.Sig{pg.Text}, Result: pg.Text, Doc: "Text with %% for a percent sign.", Volatility: expr.Stable, NotStrict: true, FnN: format},
	{Name: "format", Args: pg.Sig{pg.Text, pg.Text}, Result: pg.Text, Variadic: true, AnyArgs: true, NoneForNull: true, Doc: "Text with arguments put in for %s, %I and %L.", Volatility: expr.Stable, NotStrict: true, FnN: format},
}

// quoteIdent is QuoteIdent of a text that may be long.
func quoteIdent(c *expr.Context, a types.Value) (types.Value, error) {
	s := a.Text()
	if len(s) <= work.PieceBytes {
		return types.NewText(expr.QuoteIdent(s)), nil
	}
	plain := s[0] < '0' || s[0] > '9'
	if err := c.Pieces(s, 2, func(piece string) { plain = plain && expr.PlainIdent(piece) }); err != nil || plain {
		return a, err
	}
	out := c.Concat(`"`)
	out.AddPieces(s, 2, expr.DoubleQuotes)
	out.Add(`"`)
	return out.Value()
}

// quoteLiteral is QuoteLiteral of a text that may be long.
func quoteLiteral(c *expr.Context, a types.Value) (types.Value, error) {
	s := a.Text()
	if len(s) <= work.PieceBytes {
		return types.NewText(expr.QuoteLiteral(s)), nil
	}
	at, err := c.IndexIn(s, `\`)
	if err != nil {
		return types.Null, err
	}
	out := c.Text(len(s))
	if at >= 0 {
		out.Add("E")
	}
	out.Add("'")
	out.AddPieces(s, 2, expr.DoubleEscapes)
	out.Add("'")
	return out.Value()
}

func quoteNullable(c *expr.Context, a types.Value) (types.Value, error) {
	if a.IsNull() {
		return types.NewText("NULL"), nil
	}
	return quoteLiteral(c, a)
}

// formatSpec is one %[position$][-][width]type of format().
type formatSpec struct {
	position int  // 0 for the next argument
	left     bool // -
	width    int
	star     bool // the width is an argument, at starAt
	starAt   int
	verb     byte
}

// formatter holds what is left of format()'s work.
type formatter struct {
	template string
	args     []types.Value
	next     int // the last argument used
	c        *expr.Context
	out      *work.Text
}

func format(c *expr.Context, args []types.Value) (types.Value, error) {
	if args[0].IsNull() {
		return types.Null, nil
	}
	f := formatter{template: args[0].Text(), args: args[1:], c: c, out: c.Text(0)}
	for {
		before, after, found := cut(c, f.out, f.template, "%")
		f.out.Add(before)
		if !found {
			return f.out.Value()
		}
		f.template = after
		if err := f.one(); err != nil {
			return types.Null, err
		}
	}
}

// one formats what follows a percent sign.
func (f *formatter) one() error {
	if rest, ok := strings.CutPrefix(f.template, "%"); ok {
		f.template = rest
		f.out.Add("%")
		return f.out.Err
	}
	spec, err := f.parse()
	if err != nil {
		return err
	}
	if spec.star {
		width, err := f.argument(spec.starAt)
		if err != nil {
			return err
		}
		if !width.IsNull() {
			v, err := types.ParseText(width.Text(), types.Int4, nil)
			if err != nil {
				return err
			}
			spec.width = int(v.Int())
		}
		if spec.width < 0 {
			spec.left, spec.width = true, -spec.width
		}
	}
	v, err := f.argument(spec.position)
	if err != nil {
		return err
	}
	shown, err := f.shown(v, spec.verb)
	if err != nil {
		return err
	}
	return f.pad(shown.Text(), spec)
}

func (f *formatter) pad(s string, spec formatSpec) error {
	width, err := f.c.Characters(s)
	if err != nil {
		return err
	}
	if err := work.CheckLength(f.out.Len() + len(s) + max(0, spec.width-width)); err != nil {
		return err
	}
	fill, err := repeated(f.c, " ", max(0, spec.width-width))
	if err != nil {
		return err
	}
	if spec.left {
		f.out.Add(s)
	}
	f.out.Add(fill.Text())
	if !spec.left {
		f.out.Add(s)
	}
	return f.out.Err
}

func (f *formatter) parse() (formatSpec, error) {
	var spec formatSpec
	n, found, err := f.number()
	switch {
	case err != nil:
		return spec, err
	case found && strings.HasPrefix(f.template, "$"):
		if n == 0 {
			return spec, invalidFormat("format specifies argument 0, but arguments are numbered from 1")
		}
		f.template = f.template[1:]
		spec.position = n
		n, found = 0, false
	}
	for !found && strings.HasPrefix(f.template, "-") {
		spec.left = true
		f.template = f.template[1:]
	}
	if err := f.parseWidth(&spec, n, found); err != nil {
		return spec, err
	}
	if f.template == "" {
		return spec, unterminatedFormat()
	}
	r, size := utf8.DecodeRuneInString(f.template)
	if !strings.ContainsRune("sIL", r) {
		return spec, invalidFormat(fmt.Sprintf("unrecognized format() type specifier \"%c\"", r)).
			WithHint("For a single \"%%\" use \"%%%%\".")
	}
	spec.verb, f.template = f.template[0], f.template[size:]
	return spec, nil
}

// parseWidth reads the width, unless it has been read already as n.
func (f *formatter) parseWidth(spec *formatSpec, n int, found bool) (err error) {
	if found {
		spec.width = n
		return nil
	}
	rest, star := strings.CutPrefix(f.template, "*")
	if !star {
		spec.width, _, err = f.number()
		return err
	}
	f.template, spec.star = rest, true
	n, found, err = f.number()
	if err != nil || !found {
		return err
	}
	if !strings.HasPrefix(f.template, "$") {
		return invalidFormat("width argument position must be ended by \"$\"")
	}
	if n == 0 {
		return invalidFormat("format specifies argument 0, but arguments are numbered from 1")
	}
	f.template, spec.starAt = f.template[1:], n
	return nil
}

// number reads decimal digits, if there are any.
func (f *formatter) number() (n int, found bool, err error) {
	for f.template != "" && '0' <= f.template[0] && f.template[0] <= '9' {
		n = n*10 + int(f.template[0]-'0')
		if n > 1<<31-1 {
			return 0, false, sqlerr.New(sqlerr.NumericValueOutOfRange, "number is out of range")
		}
		f.template, found = f.template[1:], true
	}
	if found && f.template == "" {
		return 0, false, unterminatedFormat()
	}
	return n, found, nil
}

// argument is the argument at a position, from 1, or the next one for 0.
func (f *formatter) argument(position int) (types.Value, error) {
	if position == 0 {
		position = f.next + 1
	}
	f.next = position
	if position > len(f.args) {
		return types.Null, invalidFormat("too few arguments for format()")
	}
	return f.args[position-1], nil
}

// shown is what stands for an argument.
func (f *formatter) shown(v types.Value, verb byte) (types.Value, error) {
	switch {
	case verb == 'L':
		return quoteNullable(f.c, v)
	case verb == 'I' && v.IsNull():
		return types.Null, sqlerr.New(sqlerr.NullValueNotAllowed,
			"null values cannot be formatted as an SQL identifier")
	case v.IsNull():
		return types.NewText(""), nil
	case verb == 'I':
		return quoteIdent(f.c, v)
	}
	return v, nil
}

func invalidFormat(message string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "%s", message)
}

func unterminatedFormat() *sqlerr.Error {
	return invalidFormat("unterminated format() type specifier").WithHint("For a single \"%%\" use \"%%%%\".")
}

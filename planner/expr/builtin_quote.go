package expr

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"zproxy/sqlerr"
	"zproxy/types"
)

// quoteFunctions make SQL text out of values.
var quoteFunctions = []*Function{
	{Name: "quote_ident", Args: sig{text}, Result: text, Doc: "Text as an identifier, in double quotes if it needs them.", Fn1: mapText(QuoteIdent)},
	{Name: "quote_literal", Args: sig{text}, Result: text, Doc: "Text as a string literal.", Fn1: mapText(QuoteLiteral)},
	{Name: "quote_nullable", Args: sig{text}, Result: text, Doc: "Text as a string literal, or NULL.", NotStrict: true, Fn1: quoteNullable},
	{Name: "quote_literal", Args: sig{types.OIDAnyElement}, Result: text, AnyArgs: true, Volatility: Stable, Doc: "Value's text as a string literal.", Fn1: mapText(QuoteLiteral)},
	{Name: "quote_nullable", Args: sig{types.OIDAnyElement}, Result: text, AnyArgs: true, Volatility: Stable, Doc: "Value's text as a string literal, or NULL.", NotStrict: true, Fn1: quoteNullable},
	{Name: "format", Args: sig{text}, Result: text, Doc: "Text with %% for a percent sign.", Volatility: Stable, NotStrict: true, FnN: format},
	{Name: "format", Args: sig{text, text}, Result: text, Variadic: true, AnyArgs: true, Doc: "Text with arguments put in for %s, %I and %L.", Volatility: Stable, NotStrict: true, FnN: format},
}

// reserved are PostgreSQL's keywords that are not unreserved; as identifiers they need
// quotes.
var reserved = wordSet(`
	all analyse analyze and any array as asc asymmetric authorization between bigint binary bit
	boolean both case cast char character check coalesce collate collation column concurrently
	constraint create cross current_catalog current_date current_role current_schema current_time
	current_timestamp current_user dec decimal default deferrable desc distinct do else end except
	exists extract false fetch float for foreign freeze from full grant greatest group grouping
	having ilike in initially inner inout int integer intersect interval into is isnull join
	lateral leading least left like limit localtime localtimestamp national natural nchar none
	normalize not notnull null nullif numeric offset on only or order out outer overlaps overlay
	placing position precision primary real references returning right row select session_user
	setof similar smallint some substring symmetric table tablesample then time timestamp to
	trailing treat trim true union unique user using values varchar variadic verbose when where
	window with xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi
	xmlroot xmlserialize xmltable`)

func wordSet(words string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(words) {
		set[word] = true
	}
	return set
}

// QuoteIdent writes a name so that SQL reads it as it is, in double quotes only if it
// needs them.
func QuoteIdent(name string) string {
	plain := name != "" && (name[0] < '0' || name[0] > '9')
	for i := 0; i < len(name) && plain; i++ {
		c := name[i]
		plain = c == '_' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9'
	}
	if plain && !reserved[name] {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// QuoteLiteral marks a literal with backslashes by E, so that every setting of
// standard_conforming_strings reads it.
func QuoteLiteral(s string) string {
	s = strings.ReplaceAll(s, "'", "''")
	if strings.Contains(s, `\`) {
		return "E'" + strings.ReplaceAll(s, `\`, `\\`) + "'"
	}
	return "'" + s + "'"
}

func quoteNullable(_ *Context, a types.Value) (types.Value, error) {
	if a.IsNull() {
		return types.NewText("NULL"), nil
	}
	return types.NewText(QuoteLiteral(a.Text())), nil
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
	out      strings.Builder
}

func format(_ *Context, args []types.Value) (types.Value, error) {
	if args[0].IsNull() {
		return types.Null, nil
	}
	f := formatter{template: args[0].Text(), args: args[1:]}
	for {
		before, after, found := strings.Cut(f.template, "%")
		f.out.WriteString(before)
		if !found {
			return types.NewText(f.out.String()), checkLength(f.out.Len())
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
		f.out.WriteByte('%')
		return nil
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
	s, err := formatArgument(v, spec.verb)
	if err != nil {
		return err
	}
	return f.pad(s, spec)
}

func (f *formatter) pad(s string, spec formatSpec) error {
	missing := max(0, spec.width-utf8.RuneCountInString(s))
	if err := checkLength(f.out.Len() + len(s) + missing); err != nil {
		return err
	}
	fill := strings.Repeat(" ", missing)
	if spec.left {
		f.out.WriteString(s + fill)
	} else {
		f.out.WriteString(fill + s)
	}
	return nil
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

func formatArgument(v types.Value, verb byte) (string, error) {
	switch {
	case verb == 'L' && v.IsNull():
		return "NULL", nil
	case verb == 'I' && v.IsNull():
		return "", sqlerr.New(sqlerr.NullValueNotAllowed, "null values cannot be formatted as an SQL identifier")
	case v.IsNull():
		return "", nil
	case verb == 'L':
		return QuoteLiteral(v.Text()), nil
	case verb == 'I':
		return QuoteIdent(v.Text()), nil
	}
	return v.Text(), nil
}

func invalidFormat(message string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "%s", message)
}

func unterminatedFormat() *sqlerr.Error {
	return invalidFormat("unterminated format() type specifier").WithHint("For a single \"%%\" use \"%%%%\".")
}

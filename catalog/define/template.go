package define

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"zproxy/catalog"
	"zproxy/catalog/part"
	"zproxy/parser/ast"
	"zproxy/sqlerr"
	"zproxy/types"
)

// template reads the option partition_key, the text that rows with the same partition
// have: literal text with {{ and }} for braces, and between single braces
//
//	column       the text of a column
//	column:06    a number padded with zeros to six digits
//	column:DDMM  a date or a time by the patterns of to_char
//	md5(a || 'x' || b):4
//	             the first four hexadecimal digits of a hash
//	shard        the number of the shard, counted from 1; shard:02 with two digits
//
// It has the inverse in catalog.Table.TemplateText.
type template struct {
	table *catalog.Table
	shard *catalog.Part // what {shard} stands for, nil when there are no shards
	text  string
	at    int // byte in text
	pos   ast.Pos
}

// maxDigits is how many digits a padded number has at most: as many as a bigint.
const maxDigits = 19

// bad is an error in the template.
func (r *template) bad(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid %s \"%s\": %s", templateOption, r.text, fmt.Sprintf(format, args...)).At(int(r.pos))
}

// read makes a part of the whole text.
func (r *template) read() (catalog.Part, error) {
	out := catalog.Part{Kind: part.Text}
	for r.at < len(r.text) {
		if literal, err := r.literal(); err != nil {
			return out, err
		} else if literal != "" {
			out.Pieces = append(out.Pieces, catalog.Part{Kind: part.Literal, Text: literal})
			continue
		}
		piece, err := r.hole()
		if err != nil {
			return out, err
		}
		out.Pieces = append(out.Pieces, piece)
	}
	return out, nil
}

// literal reads text up to the next hole.
func (r *template) literal() (string, error) {
	var b strings.Builder
	for r.at < len(r.text) {
		switch rest := r.text[r.at:]; {
		case strings.HasPrefix(rest, "{{"), strings.HasPrefix(rest, "}}"):
			b.WriteByte(rest[0])
			r.at += 2
			continue
		case rest[0] == '}':
			return "", r.bad("a \"}\" without \"{\"").WithHint("Write \"}}\" for a brace.")
		case rest[0] == '{':
			return b.String(), nil
		}
		b.WriteByte(r.text[r.at])
		r.at++
	}
	return b.String(), nil
}

// hole reads what stands between braces.
func (r *template) hole() (catalog.Part, error) {
	r.at++
	start := r.at
	name, quoted, err := r.name()
	if err != nil {
		return catalog.Part{}, err
	}
	var out catalog.Part
	isHash := !quoted && name == "md5" && r.take("(")
	isShard := !quoted && name == "shard"
	isCall := !isHash && !isShard && r.take("(")
	switch {
	case isHash:
		out, err = r.hashed()
	case isCall:
		out, err = r.call(name)
	case isShard && r.shard == nil:
		err = r.bad("it has {shard}, but there is no parameter %q", shardsOption)
	case isShard:
		out = *r.shard
	default:
		out, err = r.column(name)
	}
	if err != nil {
		return out, err
	}
	format, formatted := "", r.take(":")
	end := strings.IndexByte(r.text[r.at:], '}')
	if end < 0 {
		return out, r.bad("a \"{\" without \"}\"").WithHint("Write \"{{\" for a brace.")
	}
	format, r.at = r.text[r.at:r.at+end], r.at+end+1
	if !formatted && strings.TrimSpace(format) != "" {
		return out, r.bad("{%s} is no column, md5(...) or shard", r.text[start:r.at-1])
	}
	switch {
	case isHash:
		return out, r.digits(&out, format, formatted)
	case !formatted:
		return out, r.unformatted(out, true)
	case isShard, isCall:
		return out, r.padded(&out, format)
	}
	return out, r.format(&out, format)
}

// skip passes over blanks.
func (r *template) skip() {
	for r.at < len(r.text) && r.text[r.at] == ' ' {
		r.at++
	}
}

// take passes over a word if it comes next.
func (r *template) take(word string) bool {
	r.skip()
	if strings.HasPrefix(r.text[r.at:], word) {
		r.at += len(word)
		return true
	}
	return false
}

// name reads the name of a column, as SQL has it: in small letters unless it is quoted.
func (r *template) name() (name string, quoted bool, err error) {
	if r.take(`"`) {
		name, err = r.until('"')
		return name, true, err
	}
	start := r.at
	for r.at < len(r.text) {
		c := r.text[r.at]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
		if !letter && (r.at == start || c != '$' && (c < '0' || c > '9')) {
			break
		}
		r.at++
	}
	if r.at == start {
		return "", false, r.bad("the name of a column is missing behind %s", r.text[:start])
	}
	return strings.ToLower(r.text[start:r.at]), false, nil
}

// until reads what is quoted, up to a quote that is not doubled.
func (r *template) until(quote byte) (string, error) {
	var b strings.Builder
	for r.at < len(r.text) {
		c := r.text[r.at]
		r.at++
		if c == quote {
			if r.at == len(r.text) || r.text[r.at] != quote {
				return b.String(), nil
			}
			r.at++
		}
		b.WriteByte(c)
	}
	return "", r.bad("a quote is not closed")
}

// escapes are those of E'...'.
var escapes = map[byte]byte{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f', '\\': '\\', '\'': '\''}

// escaped reads E'...' behind its first quote.
func (r *template) escaped() (string, error) {
	var b strings.Builder
	for r.at < len(r.text) {
		c, next := r.text[r.at], byte(0)
		if r.at++; r.at < len(r.text) {
			next = r.text[r.at]
		}
		switch escape, known := escapes[next]; {
		case c == '\\' && !known:
			return "", r.bad("there is no escape %s here", r.text[r.at-1:])
		case c == '\\':
			c = escape
			r.at++
		case c == '\'' && next == '\'':
			r.at++
		case c == '\'':
			return b.String(), nil
		}
		b.WriteByte(c)
	}
	return "", r.bad("a quote is not closed")
}

// column is a column of the table.
func (r *template) column(name string) (catalog.Part, error) {
	i := r.table.Column(name)
	if i < 0 || r.table.Columns[i].Hidden {
		return catalog.Part{}, sqlerr.New(sqlerr.UndefinedColumn, "column %q named in %s does not exist", name, templateOption).At(int(r.pos))
	}
	return catalog.Part{Column: r.table.Columns[i].ID}, nil
}

// call reads the arguments of a function, behind its parenthesis.
func (r *template) call(name string) (catalog.Part, error) {
	names := []string{"md5"}
	for _, f := range part.Functions() {
		if f.Texts {
			names = append(names, f.Name)
		}
	}
	f, ok := part.FunctionOf(name)
	if !ok || !f.Texts {
		return catalog.Part{}, r.bad("there is no function but %s here", strings.Join(names, " and "))
	}
	var args []part.Arg
	for !r.take(")") {
		if len(args) > 0 && !r.take(",") {
			return catalog.Part{}, r.bad("it must be %s", f.Usage)
		}
		arg, err := r.argument()
		if err != nil {
			return catalog.Part{}, err
		}
		args = append(args, arg)
	}
	if !f.Takes(args) {
		return catalog.Part{}, r.bad("it must be %s", f.Usage)
	}
	p, err := f.Make(args)
	if err != nil {
		return p, err.At(int(r.pos))
	}
	return p, nil
}

// argument reads a column or a number.
func (r *template) argument() (part.Arg, error) {
	r.skip()
	start := r.at
	for r.at < len(r.text) && '0' <= r.text[r.at] && r.text[r.at] <= '9' {
		r.at++
	}
	if n, err := strconv.ParseInt(r.text[start:r.at], 10, 64); err == nil {
		return part.Arg{Kind: part.NumberArg, Number: n}, nil
	}
	name, _, err := r.name()
	if err != nil {
		return part.Arg{}, err
	}
	of, err := r.column(name)
	return part.Arg{Kind: part.ColumnArg, Source: r.table.Source(of.Column)}, err
}

// hashed reads what is hashed, behind its parenthesis.
func (r *template) hashed() (catalog.Part, error) {
	out := catalog.Part{Kind: part.Prefix}
	for {
		piece, err := r.operand()
		if err != nil {
			return out, err
		}
		out.Pieces = append(out.Pieces, piece)
		if r.take("||") {
			continue
		}
		if !r.take(")") {
			return out, r.bad("md5 takes columns and texts joined by ||")
		}
		if len(out.Columns()) == 0 {
			return out, r.bad("md5 of no column is the same in every row")
		}
		return out, nil
	}
}

// operand reads a column or a text.
func (r *template) operand() (catalog.Part, error) {
	if escaped := r.take("E'") || r.take("e'"); escaped || r.take("'") {
		read := func() (string, error) { return r.until('\'') }
		if escaped {
			read = r.escaped
		}
		text, err := read()
		return catalog.Part{Kind: part.Literal, Text: text}, err
	}
	name, _, err := r.name()
	if err != nil {
		return catalog.Part{}, err
	}
	out, err := r.column(name)
	if err != nil {
		return out, err
	}
	return out, r.unformatted(out, false)
}

// digits is how much of a hash there is to be.
func (r *template) digits(p *catalog.Part, format string, formatted bool) error {
	p.Count = 32
	if !formatted {
		return nil
	}
	n, err := strconv.Atoi(format)
	if err != nil || n < 1 || n > 32 || strconv.Itoa(n) != format {
		return r.bad("md5 has 1 to 32 digits, not %s", format)
	}
	p.Count = n
	return nil
}

// padded is how many digits a number is to have.
func (r *template) padded(p *catalog.Part, format string) error {
	n, err := strconv.Atoi(format)
	if err != nil || n < 1 || n > maxDigits || format != "0"+strconv.Itoa(n) {
		return r.bad("\"%s\" pads no number: write 0 and how many digits, 1 to %d, such as 06", format, maxDigits)
	}
	p.Width = n
	return nil
}

// format is how a column is written.
func (r *template) format(p *catalog.Part, format string) error {
	c := r.table.Columns[r.table.Ordinal(p.Column)]
	switch c.Type.OID {
	case types.OIDInt2, types.OIDInt4, types.OIDInt8:
		return r.padded(p, format)
	case types.OIDDate, types.OIDTimestamp, types.OIDTimestamptz:
	default:
		return r.bad("column %q of type %s takes no format", c.Name, c.Type)
	}
	pattern, err := part.ParsePattern(format)
	if err != nil {
		return r.bad("%s", err)
	}
	if c.Type.OID == types.OIDDate && pattern.HasClock() {
		return r.bad("column %q of type date has no hours", c.Name)
	}
	p.Kind, p.Unit, p.Format = part.Bucket, pattern.Finest(), format
	return nil
}

// textTypes are the types whose equal values have one text, the same in every session.
var textTypes = []types.OID{
	types.OIDInt2, types.OIDInt4, types.OIDInt8, types.OIDText, types.OIDVarchar, types.OIDBpchar, types.OIDUUID, types.OIDDate, types.OIDBool,
}

// unformatted wants a part to have one text for each value. What is hashed takes no format.
func (r *template) unformatted(p catalog.Part, formattable bool) error {
	if !p.Plain() || slices.Contains(textTypes, r.typeOf(p).OID) {
		return nil
	}
	c := r.table.Columns[r.table.Ordinal(p.Column)]
	reason := "it is not a number, a text, a uuid, a date or a bool"
	switch oid := c.Type.OID; {
	case oid == types.OIDNumeric:
		reason = "equal values have several texts, such as 1.0 and 1.00"
	case oid == types.OIDFloat4, oid == types.OIDFloat8:
		reason = "equal values have several texts, such as 0 and -0"
	case oid == types.OIDInterval:
		reason = "equal values have several texts, such as 1 day and 24:00:00"
	case formattable && (oid == types.OIDTimestamp || oid == types.OIDTimestamptz):
		return r.bad("column %q of type %s needs a date pattern, such as {%s:YYYYMMDD}", c.Name, c.Type, c.Name)
	}
	return r.bad("column %q of type %s cannot be written as text: %s", c.Name, c.Type, reason)
}

// typeOf is the type of the column of a piece.
func (r *template) typeOf(p catalog.Part) types.T {
	return r.table.Columns[r.table.Ordinal(p.Column)].Type
}

package inspect

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"zproxy/expr"
	"zproxy/store/sample"
)

// mostShown is how many items that fit no kind are printed.
const mostShown = 20

// Print writes the DDL of all kinds, with what is known of the table in comments.
func (f *Found) Print(w io.Writer) error {
	p := &printer{w: w}
	p.table(f)
	p.unfit(f)
	for i := range f.Kinds {
		p.line("")
		p.kind(f, &f.Kinds[i])
	}
	return p.err
}

// printer writes lines until writing fails.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

// comment writes a line of a comment. A newline in a name or a value must not end it.
func (p *printer) comment(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	p.line("-- %s", strings.NewReplacer("\n", "\\n", "\r", "\\r").Replace(text))
}

func (p *printer) table(f *Found) {
	t := &f.Table
	p.comment("DynamoDB table %s: about %s, %s bytes", t.Name, counted(int(t.Items), "item", "items"), grouped(t.Bytes))
	ttl := t.TTL
	if ttl == "" {
		ttl = "none"
	}
	p.comment("TTL attribute: %s; stream: %s; point-in-time recovery: %s", ttl, t.Stream, t.Recovery)
	for _, x := range t.Indexes {
		var names []string
		for _, a := range x.Keys {
			names = append(names, a.Name)
		}
		p.comment("Index %s: %s", x.Name, strings.Join(names, ", "))
	}
	p.comment("%s sampled", counted(f.Sampled, "item", "items"))
}

// unfit lists items that fit no kind.
func (p *printer) unfit(f *Found) {
	if len(f.Unfit) == 0 {
		return
	}
	fit := "fit"
	if len(f.Unfit) == 1 {
		fit = "fits"
	}
	p.comment("%s of %s %s no kind:", grouped(int64(len(f.Unfit))), counted(f.Sampled, "item", "items"), fit)
	for i, u := range f.Unfit {
		if i == mostShown {
			p.comment("  and %s more", grouped(int64(len(f.Unfit)-mostShown)))
			return
		}
		var key []string
		for _, a := range []sample.Attribute{f.Table.Partition, f.Table.Sort} {
			if v, ok := u.Item[a.Name]; ok {
				key = append(key, a.Name+" = "+valueText(v))
			}
		}
		p.comment("  %s: %s", strings.Join(key, ", "), u.Why)
	}
}

// valueText is a value as SQL has it. Of bytes there is no text.
func valueText(v sample.Value) string {
	switch v.Type {
	case sample.Number, sample.Bool:
		return v.Text
	case sample.String:
		return expr.QuoteLiteral(v.Text)
	}
	return "(" + string(v.Type) + ")"
}

func (p *printer) kind(f *Found, k *Kind) {
	p.comment("%s of %s", grouped(int64(k.Items)), counted(f.Sampled, "sampled item", "sampled items"))
	for _, note := range k.Notes {
		p.comment("%s", note)
	}
	p.line("CREATE FOREIGN TABLE %s (", expr.QuoteIdent(k.Name))
	for i := range k.Columns {
		end := ","
		if i == len(k.Columns)-1 {
			end = ""
		}
		p.line("  %s%s", columnText(&k.Columns[i]), end)
	}
	options := []string{"table_name " + expr.QuoteLiteral(f.Table.Name)}
	for _, t := range k.Templates {
		options = append(options, optionName(f, t.Attribute)+" "+expr.QuoteLiteral(t.Text))
	}
	if k.When != nil {
		when := expr.QuoteIdent(k.When.Attribute) + " = " + valueText(k.When.Value)
		options = append(options, "when "+expr.QuoteLiteral(when))
	}
	p.line(") SERVER dynamodb OPTIONS (%s);", strings.Join(options, ", "))
}

// optionName is the option for the template of a key attribute.
func optionName(f *Found, attribute string) string {
	switch attribute {
	case f.Table.Partition.Name:
		return "pk"
	case f.Table.Sort.Name:
		return "sk"
	}
	return expr.QuoteIdent(attribute)
}

// columnText is the definition of a column. The attribute is named where it could be doubted: it has another name, or
// its value is in a key, too.
func columnText(c *Column) string {
	var options []string
	if c.Attribute != "" && (c.keyed || c.Attribute != c.Name) {
		options = append(options, "attribute_name "+expr.QuoteLiteral(c.Attribute))
	}
	if c.Set != "" {
		options = append(options, "attribute_type "+expr.QuoteLiteral(string(c.Set)))
	}
	out := expr.QuoteIdent(c.Name) + " " + c.Type.String()
	if len(options) > 0 {
		out += " OPTIONS (" + strings.Join(options, ", ") + ")"
	}
	return out
}

// grouped is a number with commas between groups of three digits.
func grouped(n int64) string {
	digits := []byte(fmt.Sprint(n))
	var out []byte
	for i, c := range slices.Backward(digits) {
		if behind := len(digits) - 1 - i; behind > 0 && behind%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, c)
	}
	slices.Reverse(out)
	return string(out)
}

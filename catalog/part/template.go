package part

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"zproxy/sqlerr"
)

// Template is the option partition_key, the text that rows with the same partition have: literal text with {{ and }}
// for braces, and between single braces
//
//	column       the text of a column
//	column:06    a number padded with zeros to six digits
//	column:DDMM  a date or a time by the patterns of to_char
//	md5(a || 'x' || b):4
//	             the first four hexadecimal digits of a hash
//	shard        the number of the shard, counted from 1; shard:02 with two digits
//
// Each kind reads what stands between braces for it. Part.Template writes the same text.
type Template struct {
	Text  string
	Table Table
	// Column finds a column of the table by its name.
	Column func(name string) (Source, bool)
	Shard  *Part // what {shard} stands for; nil: there are no shards
	// Option is the option that the text is of, if not TemplateOption.
	Option string
	// Fixed says that the text may be without a column.
	Fixed bool
	at    int // byte in the text
}

// The options that have templates: of the partition, and of what sorts.
const (
	TemplateOption = "partition_key"
	SortOption     = "sort_key"
)

// spelling is how a template has parts between braces.
type spelling interface {
	// read makes a part of what stands behind a word.
	read(r *Template, word string) (Part, error)
	// format says how the part is written, by what stands behind a colon if there is one.
	format(r *Template, p *Part, format string, given bool) error
}

// worded is a kind whose parts begin with a word of their own, perhaps with a parenthesis behind it.
type worded interface {
	spelling
	word() (name, parenthesis string)
}

// Read makes a part of the whole text.
func (r *Template) Read() (Part, error) {
	r.at = 0
	out := Part{Kind: Text}
	for r.at < len(r.Text) {
		if same, err := r.literal(); err != nil {
			return out, err
		} else if same != "" {
			out.Pieces = append(out.Pieces, Part{Kind: Literal, Text: same})
			continue
		}
		piece, err := r.hole()
		if err != nil {
			return out, err
		}
		out.Pieces = append(out.Pieces, piece)
	}
	if !r.Fixed && !slices.ContainsFunc(out.Pieces, func(p Part) bool { return p.Kind != Literal }) {
		return out, r.bad("it holds no column, so that all rows would be in one partition")
	}
	return out, nil
}

// bad is an error in the template.
func (r *Template) bad(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid %s \"%s\": %s",
		r.option(), r.Text, fmt.Sprintf(format, args...))
}

// option is the name of the option.
func (r *Template) option() string { return cmp.Or(r.Option, TemplateOption) }

// hole reads what stands between braces.
func (r *Template) hole() (Part, error) {
	r.at++
	start := r.at
	name, quoted, err := r.name()
	if err != nil {
		return Part{}, err
	}
	as := r.spelling(name, quoted)
	out, err := as.read(r, name)
	if err != nil {
		return out, err
	}
	given := r.take(":")
	end := strings.IndexByte(r.Text[r.at:], '}')
	if end < 0 {
		return out, r.bad("a \"{\" without \"}\"").WithHint("Write \"{{\" for a brace.")
	}
	format := r.Text[r.at : r.at+end]
	r.at += end + 1
	if !given && strings.TrimSpace(format) != "" {
		return out, r.bad("{%s} is no column, %s", r.Text[start:r.at-1], strings.Join(words(), " or "))
	}
	return out, as.format(r, &out, format, given)
}

// spelling is how what begins with a name is read: by a kind that has it as its word, as a call, or as a column.
func (r *Template) spelling(name string, quoted bool) spelling {
	for _, k := range kinds {
		if w, ok := k.(worded); ok && !quoted {
			if word, parenthesis := w.word(); word == name && r.take(parenthesis) {
				return w
			}
		}
	}
	if r.take("(") {
		return calls{}
	}
	return column{}
}

// words are those that parts begin with.
func words() (out []string) {
	for _, k := range kinds {
		if w, ok := k.(worded); ok {
			word, parenthesis := w.word()
			if parenthesis != "" {
				word += "(...)"
			}
			out = append(out, word)
		}
	}
	slices.Sort(out)
	return out
}

// isWord says whether a part of another kind than a column is written as a name alone.
func isWord(name string) bool { return slices.Contains(words(), name) }

// skip passes over blanks.
func (r *Template) skip() {
	for r.at < len(r.Text) && r.Text[r.at] == ' ' {
		r.at++
	}
}

// take passes over a word if it comes next.
func (r *Template) take(word string) bool {
	r.skip()
	if strings.HasPrefix(r.Text[r.at:], word) {
		r.at += len(word)
		return true
	}
	return false
}

// name reads the name of a column, as SQL has it: in small letters unless it is quoted.
func (r *Template) name() (name string, quoted bool, err error) {
	if r.take(`"`) {
		name, err = r.until('"')
		return name, true, err
	}
	start := r.at
	for r.at < len(r.Text) {
		c := r.Text[r.at]
		letter := c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= utf8.RuneSelf
		if !letter && (r.at == start || c != '$' && (c < '0' || c > '9')) {
			break
		}
		r.at++
	}
	if r.at == start {
		return "", false, r.bad("the name of a column is missing behind %s", r.Text[:start])
	}
	return strings.ToLower(r.Text[start:r.at]), false, nil
}

// until reads what is quoted, up to a quote that is not doubled.
func (r *Template) until(quote byte) (string, error) {
	var b strings.Builder
	for r.at < len(r.Text) {
		c := r.Text[r.at]
		r.at++
		if c == quote {
			if r.at == len(r.Text) || r.Text[r.at] != quote {
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
func (r *Template) escaped() (string, error) {
	var b strings.Builder
	for r.at < len(r.Text) {
		c, next := r.Text[r.at], byte(0)
		if r.at++; r.at < len(r.Text) {
			next = r.Text[r.at]
		}
		switch escape, known := escapes[next]; {
		case c == '\\' && !known:
			return "", r.bad("there is no escape %s here", r.Text[r.at-1:])
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

// source finds a column of the table.
func (r *Template) source(name string) (Source, error) {
	of, ok := r.Column(name)
	if !ok {
		return of, sqlerr.New(sqlerr.UndefinedColumn, "column %q named in %s does not exist", name, r.option())
	}
	return of, nil
}

// padded is how many digits a number is to have.
func (r *Template) padded(p *Part, format string) error {
	n, err := strconv.Atoi(format)
	if err != nil || n < 1 || n > maxDigits || format != "0"+strconv.Itoa(n) {
		return r.bad("\"%s\" pads no number: write 0 and how many digits, 1 to %d, such as 06", format, maxDigits)
	}
	p.Width = n
	return nil
}

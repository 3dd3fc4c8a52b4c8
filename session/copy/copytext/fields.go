package copytext

import (
	"bytes"
	"strings"

	"zproxy/sqlerr"
)

// split makes the fields of a line.
func (r *Reader) split(line []byte) error {
	r.count, r.fields = 0, r.fields[:0]
	if len(r.columns) == 0 {
		if len(line) > 0 {
			return errExtra()
		}
		return nil
	}
	special := byte('\\')
	if r.format.CSV {
		special = r.format.Quote
	}
	if bytes.IndexByte(line, special) >= 0 {
		return r.decode(line)
	}
	rest := string(line)
	for {
		i := strings.IndexByte(rest, r.format.Delimiter)
		if i < 0 {
			r.add(rest)
			return nil
		}
		r.add(rest[:i])
		rest = rest[i+1:]
	}
}

// add adds a field that is written as it is meant.
func (r *Reader) add(text string) {
	if r.count++; r.count > len(r.columns) {
		return
	}
	if text == r.format.Null {
		r.fields = append(r.fields, Field{Null: true})
		return
	}
	r.fields = append(r.fields, Field{Text: text})
}

// decode makes the fields of a line with escapes or quotes: first their texts end to
// end, then one string of it all.
func (r *Reader) decode(line []byte) error {
	r.text, r.ends = r.text[:0], r.ends[:0]
	field := r.decodeText
	if r.format.CSV {
		field = r.decodeCSV
	}
	for more := true; more; {
		n, null, err := field(line)
		if err != nil {
			return err
		}
		if more = n < len(line); more {
			line = line[n+1:]
		}
		if r.count++; r.count <= len(r.columns) {
			r.fields = append(r.fields, Field{Null: null})
			r.ends = append(r.ends, len(r.text))
		}
	}
	all, from := string(r.text), 0
	for i, end := range r.ends {
		r.fields[i].Text = all[from:end]
		from = end
	}
	return nil
}

// decodeText appends to text the field that a line of the text format begins with, and
// says how long it is as written, and whether it is NULL.
func (r *Reader) decodeText(line []byte) (n int, null bool, err error) {
	escaped := false
	for n < len(line) && line[n] != r.format.Delimiter {
		if line[n] == '\\' {
			escaped = true
			n++
		}
		n++
	}
	field := line[:min(n, len(line))]
	if n > len(line) { // all data ends in a backslash, which is nothing then
		field = field[:len(line)-1]
	}
	if string(field) == r.format.Null {
		return n, true, nil
	}
	if !escaped {
		r.text = append(r.text, field...)
		return n, false, nil
	}
	from := len(r.text)
	r.text = unescape(r.text, field)
	if bad := invalid(r.text[from:]); bad >= 0 {
		err = encodingError(r.text[from+bad:])
	}
	return n, false, err
}

// unescape appends what a field of the text format means.
func unescape(text, field []byte) []byte {
	for i := 0; i < len(field); {
		if field[i] != '\\' {
			text = append(text, field[i])
			i++
			continue
		}
		c, n := escape(field[i+1:])
		text = append(text, c)
		i += n + 1
	}
	return text
}

// escape is what stands behind a backslash, and its length. What has no meaning stands
// for itself.
func escape(b []byte) (c byte, n int) {
	switch b[0] {
	case 'b':
		return '\b', 1
	case 'f':
		return '\f', 1
	case 'n':
		return '\n', 1
	case 'r':
		return '\r', 1
	case 't':
		return '\t', 1
	case 'v':
		return '\v', 1
	case 'x':
		if c, n := number(b[1:], 16, 2); n > 0 {
			return c, n + 1
		}
	}
	if c, n := number(b, 8, 3); n > 0 {
		return c, n
	}
	return b[0], 1
}

// number reads up to some digits, of which the low byte counts.
func number(b []byte, base byte, digits int) (c byte, n int) {
	for n < min(digits, len(b)) {
		d := digit(b[n])
		if d >= base {
			break
		}
		c = c*base + d
		n++
	}
	return c, n
}

func digit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// decodeCSV appends to text the field that a line of the csv format begins with, and
// says how long it is as written, and whether it is NULL. Quotes may begin and end
// anywhere in a field; one that has any is not NULL.
func (r *Reader) decodeCSV(line []byte) (n int, null bool, err error) {
	quote, escape := r.format.Quote, r.format.Escape
	from, quoted, any := len(r.text), false, false
	for ; n < len(line) && (quoted || line[n] != r.format.Delimiter); n++ {
		c := line[n]
		switch {
		case quoted && c == escape && n+1 < len(line) && (line[n+1] == quote || line[n+1] == escape):
			n++
			r.text = append(r.text, line[n])
		case c == quote:
			quoted, any = !quoted, true
		default:
			r.text = append(r.text, c)
		}
	}
	if quoted {
		return n, false, sqlerr.New(sqlerr.BadCopyFileFormat, "unterminated CSV quoted field")
	}
	if null = !any && string(line[:n]) == r.format.Null; null {
		r.text = r.text[:from]
	}
	return n, null, nil
}

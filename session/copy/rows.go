package copy

import (
	"fmt"
	"unicode/utf8"

	"zproxy/planner/plan"
	"zproxy/session/copy/copybinary"
	"zproxy/session/copy/copytext"
	"zproxy/types"
	"zproxy/types/charset"
	"zproxy/types/recode"
)

// rows are the rows of COPY's data in one of its formats.
type rows interface {
	// next fills a row of NULLs, or answers io.EOF at the end of the data.
	next(row types.Row) error
	// Line is the number of the line, or in the binary format of the row, at hand, from 1.
	Line() int64
	// what says more about that for an error, beginning with a comma or a colon.
	what() string
}

// textRows are rows in the text and csv formats.
type textRows struct {
	*copytext.Reader
	cols   []plan.Column
	env    *types.Env
	column int // being read, or -1
	value  string
}

func (r *textRows) next(row types.Row) error {
	fields, incomplete := r.Next()
	for i, f := range fields {
		if f.Null {
			continue
		}
		r.column, r.value = i, f.Text
		v, err := types.ParseText(f.Text, r.cols[i].Type, r.env)
		if err == nil && r.cols[i].Type.Mod >= 0 {
			v, err = types.ApplyMod(v, r.cols[i].Type, false, r.env)
		}
		if err != nil {
			return err
		}
		row[i] = v
	}
	r.column = -1
	return incomplete
}

func (r *textRows) what() string {
	if r.column >= 0 {
		return fmt.Sprintf(", column %s: \"%s\"", r.cols[r.column].Name, shorten(r.value))
	}
	if raw, ok := r.Raw(); ok {
		return fmt.Sprintf(": \"%s\"", shorten(string(raw)))
	}
	return ""
}

// shorten cuts data that an error shows.
func shorten(s string) string {
	const most = 100
	if len(s) <= most {
		return s
	}
	n := most
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "..."
}

// binaryRows are rows in the binary format.
type binaryRows struct {
	*copybinary.Reader
	cols   []plan.Column
	env    *types.Env
	client *charset.Charset // in which texts are; nil: in UTF-8
	column int              // being read, or -1
}

func (r *binaryRows) next(row types.Row) error {
	r.column = -1
	fields, err := r.Next()
	if err != nil {
		r.column = r.Field()
		return err
	}
	for i, f := range fields {
		if f == nil {
			continue
		}
		r.column = i
		if r.client != nil {
			if f, err = recode.Binary(nil, f, r.cols[i].Type, r.client.AppendUTF8); err != nil {
				return err
			}
		}
		v, err := types.ParseBinary(f, r.cols[i].Type)
		if err == nil && r.cols[i].Type.Mod >= 0 {
			v, err = types.ApplyMod(v, r.cols[i].Type, false, r.env)
		}
		if err != nil {
			return err
		}
		row[i] = v
	}
	r.column = -1
	return nil
}

func (r *binaryRows) what() string {
	if r.column >= 0 {
		return ", column " + r.cols[r.column].Name
	}
	return ""
}

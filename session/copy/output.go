package copy

import (
	"fmt"
	"io"

	"zproxy/planner/plan"
	"zproxy/session/copy/copybinary"
	"zproxy/session/copy/copytext"
	"zproxy/types"
	"zproxy/types/charset"
	"zproxy/types/recode"
)

// Output makes the data of a COPY TO of rows.
type Output struct {
	Counter
	columns []plan.Column
	env     *types.Env
	binary  bool
	text    *copytext.Writer
	data    io.WriteCloser // nil: it has not begun
	row     []byte
	value   []byte
	client  *charset.Charset // of texts in the binary format; nil: they are in UTF-8
	encoded *charset.Charset // of the other formats, likewise
	coded   []byte           // the row in it
}

// Copied is what a COPY TO copies.
type Copied struct {
	Columns []plan.Column
	All     []plan.Column    // that options may name: those of the table or of the query
	Table   string           // empty: it copies a query
	OID     uint32           // of the table; 0: likewise
	Client  *charset.Charset // in which the client has texts; nil: in UTF-8
}

// NewOutput makes the output of a COPY TO.
func NewOutput(o *Options, from *Copied, env *types.Env) (*Output, error) {
	names, err := columnNames(&o.Format, from.Columns, from.All, from.Table)
	if err != nil {
		return nil, err
	}
	out := &Output{columns: from.Columns, env: env, binary: o.Binary, text: copytext.NewWriter(o.Format, names)}
	out.to, out.relation = true, from.OID
	out.client, out.encoded = from.Client, o.encoded(from.Client)
	return out, nil
}

// longRow is the size from which what ends a statement may have ended the text of a row.
const longRow = 1 << 10

// Begin begins to write data. The header of the binary format goes with the first row.
func (o *Output) Begin(data io.WriteCloser) error {
	o.data = data
	if o.binary {
		o.row = copybinary.AppendHeader(o.row)
		return nil
	}
	o.row = o.text.AppendHeader(o.row)
	return o.flush()
}

// Write writes rows.
func (o *Output) Write(rows *types.Batch) error {
	for i := range rows.Len() {
		if o.binary {
			if err := o.appendBinary(rows.Row(i)); err != nil {
				return err
			}
		} else {
			o.appendText(rows.Row(i))
		}
		if len(o.row) > longRow {
			if err := o.env.Ended(); err != nil { // which cuts texts short
				return err
			}
		}
		o.tuples.Add(1)
		if err := o.flush(); err != nil {
			return err
		}
	}
	return nil
}

func (o *Output) appendText(row types.Row) {
	for i, v := range row {
		if v.IsNull() {
			o.row = o.text.AppendNull(o.row)
			continue
		}
		o.value = types.AppendText(o.value[:0], v, o.columns[i].Type, o.env)
		o.row = o.text.AppendField(o.row, o.value)
	}
	o.row = o.text.EndRow(o.row)
}

func (o *Output) appendBinary(row types.Row) error {
	o.row = copybinary.AppendRow(o.row, len(row))
	for i, v := range row {
		if v.IsNull() {
			o.row = copybinary.AppendNull(o.row)
			continue
		}
		o.value = types.AppendBinary(o.value[:0], v, o.columns[i].Type)
		if o.client != nil {
			var err error
			if o.value, err = recode.Binary(nil, o.value, o.columns[i].Type, o.client.AppendFrom); err != nil {
				return err
			}
		}
		o.row = copybinary.AppendField(o.row, o.value)
	}
	return nil
}

// Rows is how many rows were written.
func (o *Output) Rows() int64 { return o.tuples.Load() }

// End ends the data.
func (o *Output) End() error {
	if o.binary {
		o.row = copybinary.AppendTrailer(o.row)
	}
	if err := o.flush(); err != nil {
		return err
	}
	if err := o.data.Close(); err != nil {
		return fmt.Errorf("copy: %w", err)
	}
	return nil
}

func (o *Output) flush() error {
	if len(o.row) == 0 {
		return nil
	}
	row := o.row
	if o.encoded != nil && !o.binary {
		var err error
		if o.coded, err = o.encoded.AppendFrom(o.coded[:0], row); err != nil {
			return err
		}
		row = o.coded
	}
	n, err := o.data.Write(row)
	o.bytes.Add(int64(n))
	o.row = o.row[:0]
	return err
}

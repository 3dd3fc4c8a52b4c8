package copytext

import (
	"io"

	"zproxy/sqlerr"
)

// Reader reads rows from a stream. A row is complete as soon as its newline is read: the
// reader waits for more only if a carriage return may be half a newline.
type Reader struct {
	format  Format
	columns []string
	null    []bool // by column: ForceNull
	notNull []bool // by column: ForceNotNull
	input   input
	newline newline
	stops   stops
	line    int64
	raw     []byte  // the line, nil while it is being read
	missing bool    // it has too few fields
	count   int     // fields of the line, also those that no column is for
	fields  []Field // of the line, for the columns there are
	text    []byte  // of the fields, end to end, without escapes and quotes
	ends    []int   // of each field in text
	err     error   // the end
}

// stops are the bytes that end a run.
type stops struct {
	quoteless [256]bool // outside of quotes
	quoted    [256]bool // and inside
}

// NewReader makes a reader of a stream that has a field for each column. CheckColumns has
// seen them.
func NewReader(r io.Reader, f Format, columns []string) *Reader {
	out := &Reader{format: f, columns: columns, input: input{source: r, limit: maxLine}}
	mark(&out.stops.quoteless, '\n', '\r')
	if f.CSV {
		mark(&out.stops.quoteless, f.Quote)
		mark(&out.stops.quoted, f.Quote, f.Escape, '\n', '\r')
	} else {
		mark(&out.stops.quoteless, '\\')
	}
	out.notNull, out.null = among(columns, f.ForceNotNull), among(columns, f.ForceNull)
	return out
}

func mark(set *[256]bool, list ...byte) {
	for _, c := range list {
		set[c] = true
	}
}

// Next reads a row: a field for each column. The slice is good until the next call, the
// texts are for keeping; those of a row share their memory. It answers io.EOF at the end
// of the data, which may be the line \. with the stream read to its end all the same. With
// the error that fields are missing come those that are there. After any error it answers
// that again.
func (r *Reader) Next() ([]Field, error) {
	if r.err != nil {
		return nil, r.err
	}
	if r.err = r.next(); r.err != nil && !r.missing {
		return nil, r.err
	}
	return r.fields, r.err
}

// Line is the number of the line that Next read last or failed in, from 1. Newlines in
// quotes count.
func (r *Reader) Line() int64 { return r.line }

// Raw is that line as it is written, and whether it could be read. It is good until the next
// call of Next.
func (r *Reader) Raw() ([]byte, bool) { return r.raw, r.raw != nil }

func (r *Reader) next() error {
	if r.line == 0 && r.format.Header {
		if err := r.readHeader(); err != nil {
			return err
		}
	}
	line, last, err := r.readLine()
	if err != nil {
		return err
	}
	if last && len(line) == 0 {
		return io.EOF
	}
	if err := r.split(line); err != nil {
		return err
	}
	if r.count > len(r.columns) {
		return errExtra()
	}
	r.force()
	if r.missing = r.count < len(r.columns); r.missing {
		return sqlerr.New(sqlerr.BadCopyFileFormat, `missing data for column "%s"`, r.columns[r.count])
	}
	return nil
}

func errExtra() error {
	return sqlerr.New(sqlerr.BadCopyFileFormat, "extra data after last expected column")
}

// readHeader skips the first line, or compares it with the columns.
func (r *Reader) readHeader() error {
	line, last, err := r.readLine()
	if err != nil {
		return err
	}
	if r.format.HeaderMatch {
		if err := r.split(line); err != nil {
			return err
		}
		if err := r.matchHeader(); err != nil {
			return err
		}
	}
	if last {
		return io.EOF
	}
	return nil
}

func (r *Reader) matchHeader() error {
	if r.count != len(r.columns) {
		return sqlerr.New(sqlerr.BadCopyFileFormat, "wrong number of fields in header line: got %d, expected %d",
			r.count, len(r.columns))
	}
	for i, f := range r.fields {
		if f.Null {
			return sqlerr.New(sqlerr.BadCopyFileFormat,
				`column name mismatch in header line field %d: got null value ("%s"), expected "%s"`,
				i+1, r.format.Null, r.columns[i])
		}
		if f.Text != r.columns[i] {
			return sqlerr.New(sqlerr.BadCopyFileFormat,
				`column name mismatch in header line field %d: got "%s", expected "%s"`, i+1, f.Text, r.columns[i])
		}
	}
	return nil
}

// force applies ForceNull and ForceNotNull.
func (r *Reader) force() {
	if len(r.format.ForceNull)+len(r.format.ForceNotNull) == 0 {
		return
	}
	for i, f := range r.fields {
		switch {
		case f.Null && r.notNull[i]:
			r.fields[i] = Field{Text: r.format.Null}
		case !f.Null && r.null[i] && f.Text == r.format.Null:
			r.fields[i] = Field{Null: true}
		}
	}
}

// Package copybinary is the binary format of COPY: a stream of bytes to rows of fields, and
// back. What the fields mean is for the types to say. Read Reader and AppendRow first.
package copybinary

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"zproxy/sqlerr"
)

// signature is what every stream begins with.
const signature = "PGCOPY\n\xff\r\n\x00"

// endMarker is the number of fields that ends a stream.
const endMarker = -1

// maxField is how long a field can be, in bytes.
const maxField = 64 << 20

// AppendHeader appends what comes before the first row.
func AppendHeader(dst []byte) []byte {
	return append(append(dst, signature...), 0, 0, 0, 0, 0, 0, 0, 0) // no flags, no extension
}

// AppendRow appends the beginning of a row of so many fields.
func AppendRow(dst []byte, fields int) []byte {
	return binary.BigEndian.AppendUint16(dst, uint16(fields))
}

// AppendNull appends a field that is NULL.
func AppendNull(dst []byte) []byte { return append(dst, 0xff, 0xff, 0xff, 0xff) }

// AppendField appends a field that is not NULL.
func AppendField(dst, data []byte) []byte {
	return append(binary.BigEndian.AppendUint32(dst, uint32(len(data))), data...)
}

// AppendTrailer appends what comes behind the last row.
func AppendTrailer(dst []byte) []byte { return append(dst, 0xff, 0xff) }

// Reader reads rows from a stream.
type Reader struct {
	source io.Reader
	fields [][]byte
	data   []byte // of the fields, end to end
	row    int64
	field  int // being read, or -1
	err    error
}

// NewReader makes a reader of a stream with so many fields in each row.
func NewReader(r io.Reader, fields int) *Reader {
	return &Reader{source: bufio.NewReaderSize(r, 32<<10), fields: make([][]byte, fields), field: -1}
}

// Next reads a row: the data of its fields, nil for NULL. It is good until the next call. At
// the end of the data it answers io.EOF, with the stream read to its end. After any error it
// answers that again.
func (r *Reader) Next() ([][]byte, error) {
	if r.err == nil {
		r.err = r.next()
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.fields, nil
}

// Line is the number of the row that Next read last or failed in, from 1.
func (r *Reader) Line() int64 { return r.row }

// Field is the place of the field that Next failed in, -1 if it did in none.
func (r *Reader) Field() int { return r.field }

func (r *Reader) next() error {
	if r.row == 0 {
		if err := r.header(); err != nil {
			return err
		}
	}
	r.row++
	var head [2]byte
	if _, err := io.ReadFull(r.source, head[:]); err != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return io.EOF // a stream may end without its trailer, or within it
		}
		return err
	}
	n := int(int16(binary.BigEndian.Uint16(head[:])))
	if n == endMarker {
		return r.end()
	}
	if n != len(r.fields) {
		return bad("row field count is %d, expected %d", n, len(r.fields))
	}
	return r.readFields()
}

// header reads what comes before the first row. Flags of the lower half and the extension
// may be ignored.
func (r *Reader) header() error {
	var head [len(signature)]byte
	if _, err := io.ReadFull(r.source, head[:]); err != nil || string(head[:]) != signature {
		return cutShort(err, "COPY file signature not recognized")
	}
	flags, err := r.number("invalid COPY file header (missing flags)")
	switch {
	case err != nil:
		return err
	case flags&(1<<16) != 0:
		return bad("invalid COPY file header (WITH OIDS)")
	case uint32(flags)>>17 != 0:
		return bad("unrecognized critical flags in COPY file header")
	}
	size, err := r.number("invalid COPY file header (missing length)")
	if err != nil {
		return err
	}
	if size < 0 {
		return bad("invalid COPY file header (missing length)")
	}
	if _, err := io.CopyN(io.Discard, r.source, int64(size)); err != nil {
		return cutShort(err, "invalid COPY file header (wrong length)")
	}
	return nil
}

// end reads what comes behind the trailer, which must be nothing.
func (r *Reader) end() error {
	var more [1]byte
	switch _, err := io.ReadFull(r.source, more[:]); {
	case err == nil:
		return bad("received copy data after EOF marker")
	default:
		return err
	}
}

func (r *Reader) readFields() error {
	if cap(r.data) > maxField/64 {
		r.data = nil
	}
	r.data = r.data[:0]
	sizes := make([]int32, 0, 16)
	for r.field = range r.fields {
		size, err := r.number("unexpected EOF in COPY data")
		switch {
		case err != nil:
			return err
		case size < -1:
			return bad("invalid field size")
		case size > maxField:
			return sqlerr.New(sqlerr.ProgramLimitExceeded, "a field of COPY data is longer than %d bytes", maxField)
		}
		sizes = append(sizes, size)
		if err := r.read(int(size)); err != nil {
			return err
		}
	}
	r.field = -1
	at := 0
	for i, size := range sizes {
		r.fields[i] = nil
		if size >= 0 {
			r.fields[i] = r.data[at : at+int(size) : at+int(size)]
			at += int(size)
		}
	}
	return nil
}

// read appends so many bytes to the data. The memory for them grows with what has come.
func (r *Reader) read(size int) error {
	const step = 64 << 10
	for size > 0 {
		n := min(size, step)
		from := len(r.data)
		r.data = append(r.data, make([]byte, n)...)
		if _, err := io.ReadFull(r.source, r.data[from:]); err != nil {
			return cutShort(err, "unexpected EOF in COPY data")
		}
		size -= n
	}
	return nil
}

func (r *Reader) number(missing string) (int32, error) {
	var b [4]byte
	if _, err := io.ReadFull(r.source, b[:]); err != nil {
		return 0, cutShort(err, missing)
	}
	return int32(binary.BigEndian.Uint32(b[:])), nil
}

// cutShort is the error about a stream that ends too early, unless it failed.
func cutShort(err error, message string) error {
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return bad("%s", message)
	}
	return err
}

func bad(format string, args ...any) error {
	return sqlerr.New(sqlerr.BadCopyFileFormat, format, args...)
}

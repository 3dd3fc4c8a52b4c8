package wire

import (
	"errors"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/session"
	"zproxy/sqlerr"
	"zproxy/types/charset"
)

// CopyIn asks the client for the data of a COPY FROM STDIN and reads it.
func (a *answers) CopyIn(f session.CopyFormat) (io.Reader, error) {
	overall, columns := copyFormats(f)
	a.out.send(&pgproto3.CopyInResponse{OverallFormat: overall, ColumnFormatCodes: columns})
	return &copyReader{in: a.in, readError: a.readError, charset: a.session.Charset()}, a.out.flush()
}

// CopyOut announces the data of a COPY TO STDOUT and sends it.
func (a *answers) CopyOut(f session.CopyFormat) (io.WriteCloser, error) {
	overall, columns := copyFormats(f)
	a.out.send(&pgproto3.CopyOutResponse{OverallFormat: overall, ColumnFormatCodes: columns})
	return copyWriter{a.out}, a.out.err
}

// copyFormats are the format of the whole and of each column.
func copyFormats(f session.CopyFormat) (byte, []uint16) {
	columns := make([]uint16, f.Columns)
	if !f.Binary {
		return pgproto3.TextFormat, columns
	}
	for i := range columns {
		columns[i] = pgproto3.BinaryFormat
	}
	return pgproto3.BinaryFormat, columns
}

// copyWriter sends each Write as one CopyData.
type copyWriter struct{ out *output }

// Write implements io.Writer.
func (w copyWriter) Write(p []byte) (int, error) {
	if len(p) > maxBody {
		return 0, sqlerr.New(sqlerr.ProgramLimitExceeded, "row is longer than %d bytes", maxBody)
	}
	if w.out.err == nil {
		buf, start := begin(w.out.buf, msgCopyData)
		w.out.buf = end(append(buf, p...), start)
	}
	return len(p), w.out.flushFull()
}

// Close implements io.Closer.
func (w copyWriter) Close() error {
	w.out.send(&pgproto3.CopyDone{})
	return w.out.flushFull()
}

// copyReader reads CopyData messages as one stream. What the client still sends after
// its reader has given up is skipped by the message loop.
type copyReader struct {
	in        *frames
	readError func(error) error
	charset   *charset.Charset // of what the client says; nil: UTF-8
	rest      []byte           // of the last CopyData, in the buffer of in
	err       error
}

// Read implements io.Reader.
func (r *copyReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		if r.err != nil {
			return 0, r.err
		}
		r.rest, r.err = r.next()
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *copyReader) next() ([]byte, error) {
	kind, body, err := r.in.next()
	if err != nil {
		return nil, r.lost(err)
	}
	switch kind {
	case msgCopyData:
		return body, nil
	case msgCopyDone:
		return nil, io.EOF
	case msgCopyFail:
		return nil, r.failed(body)
	case msgFlush, msgSync: // sent by clients that cannot know that this is a COPY
		return nil, nil
	case msgTerminate:
		r.in.err = io.EOF
	default:
		r.in.err = violation("terminating connection because protocol synchronization was lost")
	}
	return nil, violation("unexpected message type 0x%02X during COPY from stdin", kind)
}

// lost is the statement's view of the end of the connection, which never is the end of
// the data.
func (r *copyReader) lost(err error) error {
	var e *sqlerr.Error
	if err = r.readError(err); errors.As(err, &e) {
		return err
	}
	return sqlerr.Wrap(err, sqlerr.ProtocolViolation, "unexpected EOF on client connection with an open transaction")
}

func (r *copyReader) failed(body []byte) error {
	var m pgproto3.CopyFail
	if err := m.Decode(body); err != nil {
		return malformed(err)
	}
	message, err := incoming(m.Message, r.charset)
	if err != nil {
		return err
	}
	return sqlerr.New(sqlerr.QueryCanceled, "COPY from stdin failed: %s", message)
}

package wire

import (
	"errors"
	"io"

	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/sqlerr"
)

// CopyIn asks the client for the data of a COPY FROM STDIN and reads it.
func (c *conn) CopyIn(columns int) (io.Reader, error) {
	c.out.send(&pgproto3.CopyInResponse{
		OverallFormat:     pgproto3.TextFormat,
		ColumnFormatCodes: make([]uint16, columns),
	})
	return &copyReader{c: c}, c.out.flush()
}

// copyReader reads CopyData messages as one stream. What the client still sends after
// its reader has given up is skipped by the message loop.
type copyReader struct {
	c    *conn
	rest []byte // of the last CopyData, in the buffer of c.in
	err  error
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
	kind, body, err := r.c.in.next()
	if err != nil {
		return nil, r.lost(err)
	}
	switch kind {
	case msgCopyData:
		return body, nil
	case msgCopyDone:
		return nil, io.EOF
	case msgCopyFail:
		return nil, copyFailed(body)
	case msgFlush, msgSync: // sent by clients that cannot know that this is a COPY
		return nil, nil
	case msgTerminate:
		r.c.in.err = io.EOF
	default:
		r.c.in.err = violation("terminating connection because protocol synchronization was lost")
	}
	return nil, violation("unexpected message type 0x%02X during COPY from stdin", kind)
}

// lost is the statement's view of the end of the connection, which never is the end of
// the data.
func (r *copyReader) lost(err error) error {
	var e *sqlerr.Error
	if err = r.c.readError(err); errors.As(err, &e) {
		return err
	}
	return sqlerr.Wrap(err, sqlerr.ProtocolViolation, "unexpected EOF on client connection with an open transaction")
}

func copyFailed(body []byte) error {
	var m pgproto3.CopyFail
	if err := m.Decode(body); err != nil {
		return malformed(err)
	}
	return sqlerr.New(sqlerr.QueryCanceled, "COPY from stdin failed: %s", m.Message)
}

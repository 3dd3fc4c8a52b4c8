package wire

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"zproxy/sqlerr"
)

const (
	// readBuffer holds the messages of an ordinary statement, so that one read gets all. An
	// idle connection keeps it, and bodies that are larger are read past it.
	readBuffer = 4 << 10
	// smallMessage limits the messages that carry no data.
	smallMessage = 10_000
	// keptBody is how large a buffer may be to be kept for a large message that comes next.
	keptBody = 1 << 20
)

// frames cuts a client's bytes into messages. After an error it gives nothing else.
type frames struct {
	r       *bufio.Reader
	limit   int    // bytes of a body
	pending int    // of the last body, when it is still in r
	large   []byte // a body that r could not hold
	err     error

	// grow and shrink charge the session for the memory of large bodies; nil before there is one.
	grow    func(bytes int64) error
	shrink  func(bytes int64)
	charged int64
}

// refusal is the error of a message that there was no memory for. It has been read and thrown away,
// so that the next one follows.
type refusal struct{ error }

// Unwrap is why there was none.
func (r refusal) Unwrap() error { return r.error }

func newFrames(r io.Reader, limit int) *frames {
	return &frames{r: bufio.NewReaderSize(r, readBuffer), limit: limit}
}

// next returns the type and the body of a message. The body lasts until the next call.
// The error is an *sqlerr.Error when the client broke the protocol, io.EOF when it
// left between two messages.
func (f *frames) next() (kind byte, body []byte, err error) {
	if f.err != nil {
		return 0, nil, f.err
	}
	kind, body, err = f.read()
	if err != nil && !errors.As(err, new(refusal)) {
		f.err = err
	}
	return kind, body, err
}

func (f *frames) read() (kind byte, body []byte, err error) {
	_, _ = f.r.Discard(f.pending) // Peek has seen them
	f.pending = 0
	head, err := f.r.Peek(1)
	if err != nil {
		return 0, nil, err
	}
	kind = head[0]
	limit := f.limitOf(kind)
	if limit == 0 {
		return 0, nil, sqlerr.New(sqlerr.ProtocolViolation, "invalid frontend message type %d", kind)
	}
	if head, err = f.r.Peek(5); err != nil {
		return 0, nil, cutShort(err)
	}
	size := int64(int32(binary.BigEndian.Uint32(head[1:]))) - 4
	if size < 0 || size > int64(limit) {
		return 0, nil, sqlerr.New(sqlerr.ProtocolViolation, "invalid message length")
	}
	_, _ = f.r.Discard(5)
	body, err = f.body(int(size))
	return kind, body, cutShort(err)
}

// followedBy says whether a message of a type is known to come next. It does not wait:
// what has not come yet is not known.
func (f *frames) followedBy(kind byte) bool {
	if !f.hasNext() {
		return false
	}
	ahead, err := f.r.Peek(f.pending + 1)
	return err == nil && ahead[f.pending] == kind
}

// hasNext says whether a part of the next message has come.
func (f *frames) hasNext() bool { return f.r.Buffered() > f.pending }

// wait waits for the first byte of the next message and keeps no memory for large ones
// meanwhile. The last body is gone then.
func (f *frames) wait() error {
	if f.err != nil {
		return f.err
	}
	f.drop()
	_, _ = f.r.Discard(f.pending)
	f.pending = 0
	_, err := f.r.Peek(1)
	return err
}

// limitOf is the longest body of a type of message, 0 for a type that does not exist.
func (f *frames) limitOf(kind byte) int {
	switch kind {
	case msgQuery, msgParse, msgBind, msgFunctionCall, msgCopyData:
		return f.limit
	case msgClose, msgCopyDone, msgCopyFail, msgDescribe, msgExecute, msgFlush, msgSync, msgTerminate:
		return min(smallMessage, f.limit)
	}
	return 0
}

// body reads a body of a size that only the client vouches for, so memory grows with
// what has come.
func (f *frames) body(size int) ([]byte, error) {
	if size <= f.r.Size() {
		body, err := f.r.Peek(size)
		f.pending = len(body)
		return body, err
	}
	if cap(f.large) > keptBody {
		f.drop()
	}
	body := f.large[:0]
	for len(body) < size {
		have := len(body)
		if err := f.charge(int64(min(size, 3*have))); err != nil { // while it is copied there are two
			f.drop()
			if _, err := io.CopyN(io.Discard, f.r, int64(size-have)); err != nil {
				return nil, err
			}
			return nil, refusal{err}
		}
		body = slices.Grow(body, min(size-have, max(have, readBuffer)))
		body = body[:min(size, cap(body))]
		if _, err := io.ReadFull(f.r, body[have:]); err != nil {
			return nil, err
		}
	}
	f.large = body
	return body, nil
}

// charge makes the session hold so many bytes for a body. Small ones are not counted.
func (f *frames) charge(bytes int64) error {
	if f.grow == nil || bytes <= max(f.charged, keptBody) {
		return nil
	}
	if err := f.grow(bytes - f.charged); err != nil {
		return err
	}
	f.charged = bytes
	return nil
}

// drop forgets the last large body.
func (f *frames) drop() {
	f.large = nil
	if f.charged > 0 {
		f.shrink(f.charged)
		f.charged = 0
	}
}

// cutShort tells an end inside a message from one between two.
func cutShort(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

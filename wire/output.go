package wire

import (
	"net"
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

const (
	// flushSize is how much output is gathered at the most before it is written.
	flushSize = 64 << 10
	// keptOutput is how large the buffer may be to be kept after a flush.
	keptOutput = 4 * flushSize
)

// output gathers messages for the client. After the first error it swallows everything
// and flush keeps returning that error.
type output struct {
	conn net.Conn
	buf  []byte
	err  error
	idle *sync.Pool // of *[]byte: the buffers of those that have nothing to send
	lent *[]byte    // the one that buf came from; nil: none
}

// wake takes a buffer, before the client is answered.
func (o *output) wake() {
	if o.lent == nil {
		o.lent = o.idle.Get().(*[]byte)
		o.buf = *o.lent
	}
}

// rest gives the buffer back, when all has been sent and the client's turn has come.
func (o *output) rest() {
	if o.lent != nil && len(o.buf) == 0 {
		*o.lent = o.buf
		o.idle.Put(o.lent)
		o.lent, o.buf = nil, nil
	}
}

// send adds a message.
func (o *output) send(m pgproto3.BackendMessage) {
	if o.err == nil {
		o.take(m.Encode(o.buf))
	}
}

// take replaces the buffer by one with more in it.
func (o *output) take(buf []byte, err error) {
	if err != nil {
		o.err = err
		return
	}
	o.buf = buf
}

// flush writes what has been gathered.
func (o *output) flush() error {
	if o.err == nil && len(o.buf) > 0 {
		_, o.err = o.conn.Write(o.buf)
	}
	o.buf = o.buf[:0]
	if cap(o.buf) > keptOutput {
		o.buf = nil
	}
	return o.err
}

// flushFull writes when enough has been gathered.
func (o *output) flushFull() error {
	if len(o.buf) < flushSize {
		return o.err
	}
	return o.flush()
}

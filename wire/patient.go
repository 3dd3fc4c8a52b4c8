package wire

import (
	"errors"
	"net"
	"os"
	"time"
)

// glance is how long a write that the client does not take goes on before its statement is asked
// whether it is to end.
const glance = 50 * time.Millisecond

// patient is a connection whose writes wait for a client that does not read, but no longer than
// timeout, nor than the statement may run. It lies below TLS, which cannot go on after a write that
// was cut short.
type patient struct {
	net.Conn
	timeout time.Duration
	ended   func() error // why the client is waited for no longer; nil: it is
}

// Write implements net.Conn.
func (p *patient) Write(b []byte) (int, error) {
	written, until := 0, time.Time{}
	for {
		now := time.Now()
		if until.IsZero() {
			until = now.Add(p.timeout)
		}
		if err := p.SetWriteDeadline(now.Add(min(glance, until.Sub(now)))); err != nil {
			return written, err
		}
		n, err := p.Conn.Write(b[written:])
		written += n
		if n > 0 {
			until = time.Time{} // the client reads, if slowly
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return written, err
		}
		if ended := p.ended(); ended != nil {
			return written, ended
		}
		if !until.IsZero() && !time.Now().Before(until) {
			return written, err
		}
	}
}

package wire

import (
	"errors"
	"net"
	"os"
	"syscall"
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

	raw   syscall.RawConn // nil: writes always have a deadline
	try   func(uintptr) bool
	tried []byte // what try writes, and then what is left of it
}

// newPatient waits for the client of a connection.
func newPatient(c net.Conn, timeout time.Duration, ended func() error) *patient {
	p := &patient{Conn: c, timeout: timeout, ended: ended}
	if of, ok := c.(syscall.Conn); ok {
		p.raw, _ = of.SyscallConn()
	}
	p.try = func(fd uintptr) bool {
		if n, err := syscall.Write(int(fd), p.tried); err == nil {
			p.tried = p.tried[n:]
		}
		return true
	}
	return p
}

// writeAtOnce writes what the system takes without waiting, which mostly is all, and says how much. A deadline costs
// more than such a write.
func (p *patient) writeAtOnce(b []byte) int {
	if p.raw == nil {
		return 0
	}
	p.tried = b
	_ = p.raw.Write(p.try) // what fails does so again
	written := len(b) - len(p.tried)
	p.tried = nil
	return written
}

// Write implements net.Conn.
func (p *patient) Write(b []byte) (int, error) {
	written, until := p.writeAtOnce(b), time.Time{}
	if written == len(b) {
		return written, nil
	}
	defer func() { _ = p.SetWriteDeadline(time.Time{}) }() // one that has passed would end the next write
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

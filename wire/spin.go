package wire

import (
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// spinTime is how long a read spins: more than a client on the same machine needs to wake up and to send its next
	// statement.
	spinTime = 100 * time.Microsecond
	// alone is how many reads in a row make a connection the only one in use.
	alone = 16
	// mostSkipped is how many reads at most do not spin after one that did so in vain.
	mostSkipped = 64
)

// spinner is a connection whose reads spin: one that finds nothing yet looks again for a short while before it sleeps.
// To wake a thread takes longer than many a statement, so a client that sends one after the other is answered sooner.
// Only the connection spins that is alone in use, as the processors have nothing else to do then; and less and less
// often if its client takes its time.
type spinner struct {
	net.Conn
	raw  syscall.RawConn          // nil: reads sleep
	last *atomic.Pointer[spinner] // of the server's connections, the one that read last

	into []byte
	n    int // bytes read
	err  error
	try  func(fd uintptr) bool
	spun bool // the present read has

	streak   int // reads since another connection's
	skip     int // reads that do not spin yet
	nextSkip int // skip after the next read that spins in vain
}

// newSpinner spins for the reads of a connection; last is shared by the server's connections.
func newSpinner(c net.Conn, last *atomic.Pointer[spinner]) *spinner {
	s := &spinner{Conn: c, last: last, nextSkip: 1}
	if of, ok := c.(syscall.Conn); ok {
		s.raw, _ = of.SyscallConn()
	}
	s.try = func(fd uintptr) bool { return s.found(fd) || s.begin() && s.spin(fd) }
	return s
}

// SyscallConn implements syscall.Conn.
func (s *spinner) SyscallConn() (syscall.RawConn, error) {
	if s.raw == nil {
		return nil, errors.ErrUnsupported
	}
	return s.raw, nil
}

// Read implements net.Conn.
func (s *spinner) Read(b []byte) (int, error) {
	if s.raw == nil || len(b) == 0 {
		return s.Conn.Read(b)
	}
	s.into, s.spun = b, false
	err := s.raw.Read(s.try)
	s.into = nil
	switch {
	case err != nil:
		return 0, err
	case s.err != nil:
		return 0, os.NewSyscallError("read", s.err)
	case s.n == 0:
		return 0, io.EOF
	}
	if s.streak++; s.last.Load() != s {
		s.last.Store(s)
		s.streak = 1
	}
	return s.n, nil
}

// found reads what has come and says whether that was anything: bytes, the end or an error.
func (s *spinner) found(fd uintptr) bool {
	for {
		s.n, s.err = syscall.Read(int(fd), s.into)
		if s.err != syscall.EINTR {
			return s.err != syscall.EAGAIN
		}
	}
}

// begin says whether a read that has found nothing is to spin.
func (s *spinner) begin() bool {
	if s.spun || s.streak < alone || s.last.Load() != s || runtime.GOMAXPROCS(0) == 1 {
		return false
	}
	s.spun = true
	if s.skip > 0 {
		s.skip--
		return false
	}
	return true
}

// spin looks again until there is something, spinTime is over or another connection is in use. Other goroutines run in
// between.
func (s *spinner) spin(fd uintptr) bool {
	for until := time.Now().Add(spinTime); s.last.Load() == s && time.Now().Before(until); {
		runtime.Gosched()
		if s.found(fd) {
			s.nextSkip = 1
			return true
		}
	}
	s.skip, s.nextSkip = s.nextSkip, min(2*s.nextSkip, mostSkipped)
	return false
}

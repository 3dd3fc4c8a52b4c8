// Package wire speaks the PostgreSQL protocol: it turns a client's bytes into calls of
// its session and what the session answers into bytes.
package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"zproxy/internal/routine"
	"zproxy/metrics"
	"zproxy/session"
	"zproxy/session/identity"
	"zproxy/sqlerr"
)

// Options say what a server allows its clients. A zero field takes the default.
type Options struct {
	Log            *slog.Logger  // the default logger
	MaxMessage     int           // bytes of one message's body; 64 MB
	MaxConnections int           // with a session; 1000
	MaxStarting    int           // that have not yet shown who they are; as many, but at least 100
	StartupTimeout time.Duration // from the accept to the end of the startup; 1 minute
	WriteTimeout   time.Duration // a client that reads nothing for so long is gone; 5 minutes
	Grace          time.Duration // for running statements at a shutdown; 5 seconds
	// Certificate is that of the server, asked for at each connection; nil: there is no TLS.
	Certificate func() *tls.Certificate
	RequireTLS  bool // refuse clients that do not use it
}

func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	o.MaxMessage = cmp.Or(o.MaxMessage, 64<<20)
	o.MaxConnections = cmp.Or(o.MaxConnections, 1000)
	o.MaxStarting = cmp.Or(o.MaxStarting, max(o.MaxConnections, 100))
	o.StartupTimeout = cmp.Or(o.StartupTimeout, time.Minute)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, 5*time.Minute)
	o.Grace = cmp.Or(o.Grace, 5*time.Second)
	return o
}

// Server serves the sessions of one database to clients.
type Server struct {
	db              *session.DB
	o               Options
	credential      func(user string) identity.Credential
	nonce           func() string // of SCRAM, for tests; nil: a random one
	ciphers         ciphers
	unauthenticated unauthenticatedLimits
	sessions        atomic.Int64 // connections that have one
	guesses         guesses
	attempts        attempts
	outputs         sync.Pool               // see output.idle
	lastRead        atomic.Pointer[spinner] // see spinner.last

	accepted, open, refused, unauthorized atomic.Int64 // of connections, see Counts
}

// Counts counts the connections.
func (s *Server) Counts() metrics.Connections {
	return metrics.Connections{
		Open: s.open.Load(), Accepted: s.accepted.Load(), Refused: s.refused.Load(),
		Unauthorized: s.unauthorized.Load(),
	}
}

// NewServer makes a server; Serve starts it.
func NewServer(db *session.DB, o Options) *Server {
	o = o.withDefaults()
	return &Server{
		db: db, o: o, credential: db.Authentication, ciphers: ciphers{certificate: o.Certificate},
		// Half of all may come from one address, since that may be of a proxy before many clients.
		outputs: sync.Pool{New: func() any { return new([]byte) }},
		unauthenticated: unauthenticatedLimits{most: o.MaxStarting, mostFrom: (o.MaxStarting + 1) / 2,
			from: map[netip.Prefix]int{}},
	}
}

// Serve accepts connections until ctx ends, which is no error, or the listener fails.
// Then it closes the listener, tells idle clients, gives running statements the grace
// period and returns when the last connection has ended.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	stopping, stop := context.WithCancel(ctx)
	running, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	g := &group{stopping: stopping, running: running, conns: make(map[*conn]struct{})}
	closed := make(chan struct{})
	context.AfterFunc(stopping, func() {
		_ = l.Close()
		close(closed)
	})
	routine.Go(func() { g.watch(stopping) }, s.broke)
	err := s.accept(g, l)
	stop()
	<-closed
	s.drain(g, func() { cancel(errShutdown) })
	return err
}

// accept hands each connection to a goroutine of its own.
func (s *Server) accept(g *group, l net.Listener) error {
	for wait := time.Duration(0); ; {
		nc, err := l.Accept()
		var errno syscall.Errno
		switch {
		case err == nil:
			wait = 0
			s.start(g, nc)
		case g.stopping.Err() != nil:
			return nil
		case errors.As(err, &errno) && errno.Temporary(): // out of file descriptors
			wait = min(max(2*wait, 5*time.Millisecond), time.Second)
			s.o.Log.Warn("cannot accept a connection", "error", err, "retry", wait)
			select {
			case <-time.After(wait):
			case <-g.stopping.Done():
			}
		default:
			return fmt.Errorf("wire: accept: %w", err)
		}
	}
}

// start serves a connection. When too many are unauthenticated it is closed at once: a client that
// has not shown who it is gets no more of the server's time.
func (s *Server) start(g *group, nc net.Conn) {
	s.accepted.Add(1)
	c := newConn(s, nc, g.stopping)
	if !s.unauthenticated.enter(c.client) {
		s.o.Log.Debug("too many connections are starting", "client", nc.RemoteAddr())
		s.refused.Add(1)
		c.stop(nil)
		c.close()
		return
	}
	c.phase = unauthenticated
	g.add(c)
	s.open.Add(1)
	routine.Go(func() {
		defer g.remove(c)
		defer s.open.Add(-1)
		defer c.leave()
		setKeepAlive(nc)
		c.serve(g.running)
	}, s.broke)
}

// broke logs a bug that no client can be told of.
func (s *Server) broke(err error) { s.o.Log.Error("a bug beside the clients", "error", err) }

// countRefusal counts a startup that failed for who the client is, SQLSTATE class 28, or
// because there are too many.
func (s *Server) countRefusal(err error) {
	var e *sqlerr.Error
	switch {
	case !errors.As(err, &e):
	case e.Code == sqlerr.TooManyConnections:
		s.refused.Add(1)
	case strings.HasPrefix(string(e.Code), "28"):
		s.unauthorized.Add(1)
	}
}

// drain waits for the connections to end: idle ones do at once, statements are
// cancelled after a grace period, and sockets closed after another.
func (s *Server) drain(g *group, cancel func()) {
	ended := make(chan struct{})
	routine.Go(func() {
		defer close(ended)
		g.served.Wait()
	}, s.broke)
	g.each((*conn).interrupt)
	for _, push := range []func(){cancel, func() { g.each((*conn).close) }} {
		timer := time.NewTimer(s.o.Grace)
		select {
		case <-ended:
			timer.Stop()
			return
		case <-timer.C:
			push()
		}
	}
	<-ended
}

// errShutdown is what clients are told when the server stops.
var errShutdown = sqlerr.New(sqlerr.AdminShutdown, "terminating connection due to administrator command")

// group is the connections of one listener.
type group struct {
	stopping context.Context // ends when no further statement should begin
	running  context.Context // of the statements
	served   sync.WaitGroup
	mu       sync.Mutex
	conns    map[*conn]struct{}
}

func (g *group) add(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.served.Add(1)
	g.conns[c] = struct{}{}
}

func (g *group) remove(c *conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.conns, c)
	g.served.Done()
}

func (g *group) each(f func(*conn)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.conns {
		f(c)
	}
}

package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"zproxy/session"
	"zproxy/session/settings"
	"zproxy/sqlerr"
)

// The messages of a client after the startup, by their first byte.
const (
	msgBind         = 'B'
	msgClose        = 'C'
	msgCopyData     = 'd'
	msgCopyDone     = 'c'
	msgCopyFail     = 'f'
	msgDescribe     = 'D'
	msgExecute      = 'E'
	msgFlush        = 'H'
	msgFunctionCall = 'F'
	msgParse        = 'P'
	msgQuery        = 'Q'
	msgSync         = 'S'
	msgTerminate    = 'X'
)

// conn is one client. A single goroutine serves it; only interrupt, wake and close are for
// others.
type conn struct {
	server *Server
	socket
	stopping  context.Context
	stop      context.CancelCauseFunc
	phase     phase
	in        *frames
	out       *output
	session   *session.Session
	skipping  bool // an extended message failed: everything up to Sync is void
	readySent bool // ReadyForQuery was the last message sent
	idle      idle
	attention attention
	cycle     cycle
	answers   answers
	pipeline  pipeline
}

// cycle are the messages of a query cycle, which are decoded and encoded in place.
type cycle struct {
	query     pgproto3.Query
	ready     pgproto3.ReadyForQuery
	parameter pgproto3.ParameterStatus
}

// socket is the connection of the network below.
type socket struct {
	net       net.Conn
	stream    net.Conn // what is read and written: net, or TLS over it
	encrypted bool
	binding   []byte     // what ties a password to the TLS; nil: nothing does
	client    netip.Addr // where it is; not valid when that is unknown
}

func newConn(s *Server, nc net.Conn, stopping context.Context) *conn {
	stopping, stop := context.WithCancelCause(stopping)
	c := &conn{
		server:   s,
		socket:   socket{client: endOf(nc.RemoteAddr()).Addr()},
		stopping: stopping,
		stop:     stop,
	}
	c.net = newPatient(newSpinner(nc, &s.lastRead), s.o.WriteTimeout, c.ended)
	c.stream, c.out = c.net, &output{conn: c.net, idle: &s.outputs}
	return c
}

// ended is why a client that does not read is waited for no longer: the statement that it is sent
// rows of is to end, or the connection is.
func (c *conn) ended() error {
	if c.session != nil {
		if err := c.session.Interrupted(); err != nil {
			return err
		}
	}
	if c.stopping.Err() != nil && c.readySent {
		return c.whyStopping()
	}
	return nil
}

// whyStopping is what the client is told when no further statement is to begin: why its session was ended, or that the
// server stops.
func (c *conn) whyStopping() error {
	if cause := context.Cause(c.stopping); errors.As(cause, new(*sqlerr.Error)) {
		return cause
	}
	return errShutdown
}

// endOf is the IP address and the port of an end of a connection, not valid when it has none.
func endOf(a net.Addr) netip.AddrPort {
	if tcp, ok := a.(*net.TCPAddr); ok {
		end := tcp.AddrPort()
		return netip.AddrPortFrom(end.Addr().Unmap().WithZone(""), end.Port())
	}
	return netip.AddrPort{}
}

// interrupt makes the present or next wait for the client's bytes fail.
func (c *conn) interrupt() { _ = c.net.SetReadDeadline(time.Unix(1, 0)) }

// terminate ends the connection as the server's end does, for another reason.
func (c *conn) terminate(cause error) {
	c.stop(cause)
	c.interrupt()
}

// readUntil sets how long to wait for the client. It must not undo an interrupt.
func (c *conn) readUntil(t time.Time) {
	_ = c.net.SetReadDeadline(t)
	if c.stopping.Err() != nil {
		c.interrupt()
	}
}

// close ends reads and writes in progress.
func (c *conn) close() { _ = c.net.Close() }

// serve is the life of a connection. Its last act, also after a panic, is to tell the
// client why it ends, when there is a reason and the client still listens.
func (c *conn) serve(ctx context.Context) {
	defer c.close()
	defer func() { _ = c.stream.Close() }()
	defer c.stop(nil)
	defer func() {
		if p := recover(); p != nil {
			c.fatal(panicked(p))
		}
	}()
	if err := c.converse(ctx); err != nil {
		c.fatal(err)
	}
}

func setKeepAlive(nc net.Conn) {
	if tcp, ok := nc.(*net.TCPConn); ok {
		_ = tcp.SetKeepAliveConfig(net.KeepAliveConfig{
			Enable: true, Idle: time.Minute, Interval: 15 * time.Second, Count: 4,
		})
	}
}

// converse returns why the connection ends: nil when the client wanted it so.
func (c *conn) converse(ctx context.Context) error {
	begun, err := c.startup()
	if err != nil || !begun {
		c.server.countRefusal(err)
		return err
	}
	defer c.session.Close()
	c.in.grow, c.in.shrink = func(bytes int64) error { return c.session.GrowMessage(c.stopping, bytes) },
		c.session.ShrinkMessage
	if err := c.ready(); err != nil {
		return err
	}
	for {
		if err := c.await(); err != nil {
			return err
		}
		kind, body, err := c.in.next()
		if err != nil && !errors.As(err, new(refusal)) {
			return c.readError(err)
		}
		if kind == msgTerminate {
			return nil
		}
		c.readySent = false
		if c.skipping && kind != msgSync {
			continue
		}
		c.attention.steps.Add(1)
		if err != nil {
			err = c.dispatchRefused(ctx, kind, err)
		} else {
			err = c.dispatch(ctx, kind, body)
		}
		c.attention.steps.Add(1)
		if err != nil {
			return err
		}
	}
}

// dispatchRefused answers a message that there was no memory for, and which was skipped.
func (c *conn) dispatchRefused(ctx context.Context, kind byte, err error) error {
	if kind == msgQuery || kind == msgFunctionCall {
		return c.refuse(ctx, err)
	}
	return c.fails(err)
}

// idle is whether a connection waits for its client, so that others may wake it.
type idle struct {
	mu    sync.Mutex
	waits bool
}

// await waits for the client's next message as long as its session may be idle, and sends
// the notifications that come meanwhile. It keeps little memory. An error other than that it
// was idle too long is left to the reader.
func (c *conn) await() error {
	if c.in.hasNext() {
		return nil
	}
	c.out.rest()
	defer c.out.wake()
	limit, tooLong := c.session.IdleLimit()
	listens := c.readySent && c.session.Listens()
	if limit <= 0 && !listens {
		_ = c.in.wait()
		return nil
	}
	var until time.Time
	if limit > 0 {
		until = time.Now().Add(limit)
	}
	for {
		c.wait(true, until)
		if listens && c.notify() > 0 { // what comes from now on wakes the connection
			_ = c.out.flush() // the next answer fails, too
		}
		err := c.in.wait()
		c.wait(false, time.Time{})
		if !errors.Is(err, os.ErrDeadlineExceeded) || c.stopping.Err() != nil {
			return nil
		}
		if limit > 0 && !time.Now().Before(until) {
			return tooLong
		}
	}
}

// wait begins or ends a wait that others may end.
func (c *conn) wait(begins bool, until time.Time) {
	c.idle.mu.Lock()
	defer c.idle.mu.Unlock()
	c.idle.waits = begins
	c.readUntil(until)
}

// wake ends a wait, if there is one, because there are notifications.
func (c *conn) wake() {
	c.idle.mu.Lock()
	defer c.idle.mu.Unlock()
	if c.idle.waits {
		c.interrupt()
	}
}

// notify sends the notifications there are, and says how many.
func (c *conn) notify() int {
	list := c.session.Notifications()
	for _, n := range list {
		m := &pgproto3.NotificationResponse{PID: n.PID, Channel: n.Channel, Payload: n.Payload}
		_ = outgoing(c.session.Charset(), &m.Channel, &m.Payload) // else they go as they are
		c.out.send(m)
	}
	return len(list)
}

// dispatch answers one message. An error ends the connection; what is only the
// statement's fault has been sent.
func (c *conn) dispatch(ctx context.Context, kind byte, body []byte) error {
	switch kind {
	case msgQuery:
		return c.query(ctx, body)
	case msgFunctionCall:
		return c.functionCall(ctx, body)
	case msgSync:
		return c.sync(ctx)
	case msgFlush:
		return c.out.flush()
	case msgCopyData, msgCopyDone, msgCopyFail: // of a COPY that has failed
		return nil
	default:
		return c.extended(ctx, kind, body)
	}
}

// survive takes a step of a statement. A panic is the error of that statement, and the client goes on,
// unless it is not known what the transaction has left.
func (c *conn) survive(step func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			if err = panicked(p); !c.session.Survives(err) {
				panic(p)
			}
		}
	}()
	return step()
}

// readError says why no message came: nil when the client has simply gone.
func (c *conn) readError(err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded) && c.stopping.Err() != nil:
		return c.whyStopping()
	default:
		return err
	}
}

// ready tells the client that its turn has come.
func (c *conn) ready() error {
	c.notify()
	for _, p := range c.session.Changed() {
		c.sendParameter(p)
	}
	c.cycle.ready.TxStatus = c.session.Status()
	c.out.send(&c.cycle.ready)
	c.readySent = true
	return c.out.flush()
}

func (c *conn) sendParameter(p settings.Parameter) {
	c.cycle.parameter.Name, c.cycle.parameter.Value = p.Name, p.Value
	_ = outgoing(c.session.Charset(), &c.cycle.parameter.Value) // else it goes as it is
	c.out.send(&c.cycle.parameter)
}

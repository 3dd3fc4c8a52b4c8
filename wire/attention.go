package wire

import (
	"context"
	"sync/atomic"
	"syscall"
	"time"

	"zproxy/sqlerr"
)

// watchPeriod is how often the clients of statements that run are looked at.
const watchPeriod = time.Second

// errLost is the reason of a session whose client is gone.
var errLost = sqlerr.New(sqlerr.ConnectionFailure, "connection to client lost")

// attention is what is known of whether a connection reads from its client.
type attention struct {
	steps atomic.Uint32 // how often a message was begun or ended: odd while it is answered
	seen  uint32        // at the last look
}

// watch ends the statements of clients that are gone. While a statement runs, or waits for a lock, its connection is
// not read from, so that a reset would be found at its end only.
func (g *group) watch(ctx context.Context) {
	for tick := time.NewTicker(watchPeriod); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
			g.each((*conn).look)
		}
	}
}

// look ends the session if the message that it answers is still the one of the last look, and its client has reset the
// connection. A client that has only ended its side may still wait for the answer.
func (c *conn) look() {
	steps := c.attention.steps.Load()
	same := steps%2 == 1 && steps == c.attention.seen
	c.attention.seen = steps
	if same && c.wasReset() {
		c.session.End(errLost)
	}
}

// wasReset asks the system for the error of the connection.
func (c *conn) wasReset() bool {
	tcp, ok := c.net.(*patient).Conn.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return false
	}
	pending := 0
	err = raw.Control(func(fd uintptr) {
		pending, _ = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_ERROR)
	})
	return err == nil && pending != 0
}

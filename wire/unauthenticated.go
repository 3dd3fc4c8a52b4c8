package wire

import (
	"encoding/binary"
	"net/netip"
	"sync"
	"time"
)

// phase is how far a connection has come.
type phase int

const (
	outside         phase = iota // it is not counted
	unauthenticated              // it has not shown who it is
	inside                       // it has a session
)

// unauthenticatedLimits counts the connections that have not shown who they are, so that others cannot
// take all there is, and one of them not all that others may have.
type unauthenticatedLimits struct {
	most, mostFrom int // in total, and from one network
	mu             sync.Mutex
	total          int
	from           map[netip.Prefix]int
}

// networkOf is what one client may be expected to have for itself: an address, and in
// IPv6 the last half of all.
func networkOf(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = 64
	}
	p, _ := a.Prefix(bits) // the zero prefix for no address
	return p
}

// enter says whether one more may wait.
func (d *unauthenticatedLimits) enter(a netip.Addr) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	network := networkOf(a)
	if d.total >= d.most || d.from[network] >= d.mostFrom {
		return false
	}
	d.total++
	d.from[network]++
	return true
}

// leave forgets one.
func (d *unauthenticatedLimits) leave(a netip.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	network := networkOf(a)
	d.total--
	if d.from[network]--; d.from[network] == 0 {
		delete(d.from, network)
	}
}

// admit takes a client in that has shown who it is, if there is room.
func (c *conn) admit() bool {
	s := c.server
	if s.sessions.Add(1) > int64(s.o.MaxConnections) {
		s.sessions.Add(-1)
		return false
	}
	if c.phase == unauthenticated {
		s.unauthenticated.leave(c.client)
	}
	c.phase = inside
	return true
}

// leave forgets a connection that has ended.
func (c *conn) leave() {
	switch c.phase {
	case unauthenticated:
		c.server.unauthenticated.leave(c.client)
	case inside:
		c.server.sessions.Add(-1)
	}
	c.phase = outside
}

const (
	// guessWindow is how long wrong keys are remembered.
	guessWindow = time.Minute
	// maxGuesses is how many wrong keys a network may send in the window before none of
	// its cancel requests is looked at any more.
	maxGuesses = 10
	// maxGuessers bounds the networks that are remembered. Beyond, none is heard.
	maxGuessers = 10_000
)

// guesses counts cancel requests with wrong keys by network.
type guesses struct {
	mu    sync.Mutex
	since time.Time
	wrong map[netip.Prefix]int
}

// mayAsk says whether a request should be looked at.
func (g *guesses) mayAsk(a netip.Addr, now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.wrong == nil || now.Sub(g.since) > guessWindow {
		g.since, g.wrong = now, map[netip.Prefix]int{}
	}
	return len(g.wrong) < maxGuessers && g.wrong[networkOf(a)] < maxGuesses
}

// wasWrong counts one against a client.
func (g *guesses) wasWrong(a netip.Addr) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wrong[networkOf(a)]++
}

// cancel acts on a cancel request: a session's number and its key. The client is not told whether
// they were right.
func (s *Server) cancel(client netip.Addr, body []byte) {
	if len(body) != 4+keySize && len(body) != 4+longKeySize || !s.guesses.mayAsk(client, time.Now()) {
		return
	}
	if !s.db.Cancel(binary.BigEndian.Uint32(body), body[4:]) {
		s.guesses.wasWrong(client)
	}
}

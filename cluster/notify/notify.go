// Package notify delivers notifications to the sessions of a process that listen. An `Intent` collects what a
// transaction does with LISTEN and NOTIFY, and a `Listener` carries it out after the commit: first it listens, then
// it notifies. Notifications do not leave the process.
//
// Read `Hub` first.
package notify

import (
	"maps"
	"slices"
	"sync"

	"zproxy/sqlerr"
)

// Notification is what NOTIFY said on a channel that a session listens to.
type Notification struct {
	PID              uint32 // of the session that said it
	Channel, Payload string
}

const (
	// maxPayload is how long the text of a notification may be, in bytes.
	maxPayload = 8000 - 1
	// maxInbox is how much a session may leave unread, in bytes.
	maxInbox = 16 << 20
)

// Hub has the sessions that listen, by channel.
type Hub struct {
	mu sync.Mutex // also orders notifications like the commits that they come from
	of map[string]map[*Listener]bool
}

// NewHub has no listeners.
func NewHub() *Hub { return &Hub{of: map[string]map[*Listener]bool{}} }

// RefuseFull is the error about a listener that does not read. It comes before the commit.
func (h *Hub) RefuseFull(intents []Intent) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, i := range intents {
		for l := range h.of[i.channel] {
			if i.verb == notify && l.inbox.full() {
				return sqlerr.New(sqlerr.ProgramLimitExceeded, "too many notifications in the NOTIFY queue")
			}
		}
	}
	return nil
}

// Listener is a session with the channels that it listens to. Its own goroutine uses it.
type Listener struct {
	hub      *Hub
	channels map[string]bool
	inbox    inbox
}

// Listener makes the listener of a session, which listens to no channel yet. Wake is called by other sessions when
// there is a notification; nil: no client waits for one.
func (h *Hub) Listener(wake func()) *Listener {
	return &Listener{hub: h, channels: map[string]bool{}, inbox: inbox{wake: wake}}
}

// Fulfil does what LISTEN, UNLISTEN and NOTIFY of the session with a number want, after a commit.
func (l *Listener) Fulfil(pid uint32, intents []Intent) {
	if len(intents) == 0 {
		return
	}
	h := l.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, i := range intents {
		switch i.verb {
		case listen:
			l.listen(i.channel)
		case unlisten:
			l.unlisten(i.channel)
		}
	}
	for _, i := range intents {
		if i.verb != notify {
			continue
		}
		for to := range h.of[i.channel] {
			to.inbox.put(Notification{PID: pid, Channel: i.channel, Payload: i.payload})
		}
	}
}

// listen begins to listen to a channel, with the lock of the hub held.
func (l *Listener) listen(channel string) {
	if l.hub.of[channel] == nil {
		l.hub.of[channel] = map[*Listener]bool{}
	}
	l.hub.of[channel][l] = true
	l.channels[channel] = true
}

// unlisten ends the listening to a channel, or to all, with the lock of the hub held.
func (l *Listener) unlisten(channel string) {
	for name := range l.channels {
		if name != channel && channel != "" {
			continue
		}
		delete(l.channels, name)
		delete(l.hub.of[name], l)
		if len(l.hub.of[name]) == 0 {
			delete(l.hub.of, name)
		}
	}
}

// Listens says whether the session listens to any channel.
func (l *Listener) Listens() bool { return len(l.channels) > 0 }

// Channels are those that the session listens to, in order.
func (l *Listener) Channels() []string { return slices.Sorted(maps.Keys(l.channels)) }

// Take gives the notifications that have come since the last call.
func (l *Listener) Take() []Notification { return l.inbox.take() }

// Usage is how full the inbox is, from 0 to 1.
func (l *Listener) Usage() float64 { return l.inbox.usage() }

// Close ends the listening to all channels.
func (l *Listener) Close() {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	l.unlisten("")
}

package session

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

// intent is what LISTEN, UNLISTEN or NOTIFY wants to happen when the transaction commits.
type intent struct {
	verb             intentVerb
	channel, payload string // an empty channel: all
}

type intentVerb uint8

const (
	listenIntent intentVerb = iota
	unlistenIntent
	notifyIntent
)

const (
	// maxPayload is how long the text of a notification may be, in bytes.
	maxPayload = 8000 - 1
	// maxInbox is how much a session may leave unread, in bytes.
	maxInbox = 16 << 20
)

// inbox is the notifications that a session has not sent to its client. Other sessions fill
// it.
type inbox struct {
	mu    sync.Mutex
	list  []Notification
	bytes int
	wake  func() // nil: no client waits for them
}

func (b *inbox) put(n Notification) {
	b.mu.Lock()
	b.list = append(b.list, n)
	b.bytes += len(n.Channel) + len(n.Payload)
	b.mu.Unlock()
	if b.wake != nil {
		b.wake()
	}
}

// take empties the inbox.
func (b *inbox) take() []Notification {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.list
	b.list, b.bytes = nil, 0
	return list
}

func (b *inbox) full() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes >= maxInbox
}

// listeners are the sessions that listen, by channel.
type listeners struct {
	mu sync.Mutex // also orders notifications like the commits that they come from
	of map[string]map[*Session]bool
}

func newListeners() *listeners { return &listeners{of: map[string]map[*Session]bool{}} }

func (l *listeners) listen(s *Session, channel string) {
	if l.of[channel] == nil {
		l.of[channel] = map[*Session]bool{}
	}
	l.of[channel][s] = true
}

func (l *listeners) unlisten(s *Session, channel string) {
	delete(l.of[channel], s)
	if len(l.of[channel]) == 0 {
		delete(l.of, channel)
	}
}

// refuseFull is the error about a listener that does not read. It comes before the commit.
func (l *listeners) refuseFull(intents []intent) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range intents {
		for s := range l.of[i.channel] {
			if i.verb == notifyIntent && s.inbox.full() {
				return sqlerr.New(sqlerr.ProgramLimitExceeded, "too many notifications in the NOTIFY queue")
			}
		}
	}
	return nil
}

// Notifications are those for the client, who hears of them outside of transaction blocks.
func (s *Session) Notifications() []Notification {
	if s.txn.block {
		return nil
	}
	return s.inbox.take()
}

// Listens says whether there may be notifications at any time.
func (s *Session) Listens() bool { return len(s.listening) > 0 && !s.txn.block }

// intend notes what is to happen at the commit. The same notification is given once.
func (s *Session) intend(i intent) error {
	switch {
	case i.verb == unlistenIntent:
	case i.channel == "":
		return sqlerr.New(sqlerr.InvalidParameterValue, "channel name cannot be empty")
	case len(i.channel) > 63:
		return sqlerr.New(sqlerr.InvalidParameterValue, "channel name too long")
	case len(i.payload) > maxPayload:
		return sqlerr.New(sqlerr.InvalidParameterValue, "payload string too long")
	}
	if i.verb != notifyIntent || !slices.Contains(s.txn.intents, i) {
		s.txn.intents = append(s.txn.intents, i)
	}
	return nil
}

// fulfil does what LISTEN, UNLISTEN and NOTIFY want, after a commit: first who listens, then
// what is said.
func (s *Session) fulfil(intents []intent) {
	if len(intents) == 0 {
		return
	}
	l := s.db.listeners
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, i := range intents {
		switch {
		case i.verb == listenIntent:
			l.listen(s, i.channel)
			s.listening[i.channel] = true
		case i.verb == unlistenIntent:
			s.unlisten(i.channel)
		}
	}
	for _, i := range intents {
		if i.verb != notifyIntent {
			continue
		}
		for to := range l.of[i.channel] {
			to.inbox.put(Notification{PID: s.pid, Channel: i.channel, Payload: i.payload})
		}
	}
}

// unlisten ends the listening to a channel, or to all, with the lock of the listeners held.
func (s *Session) unlisten(channel string) {
	for name := range s.listening {
		if name == channel || channel == "" {
			s.db.listeners.unlisten(s, name)
			delete(s.listening, name)
		}
	}
}

// unlistenAll is for a session that ends.
func (s *Session) unlistenAll() {
	s.db.listeners.mu.Lock()
	defer s.db.listeners.mu.Unlock()
	s.unlisten("")
}

// channels are the channels as functions see them.
type channels struct{ *Session }

// Notify implements expr.Channels.
func (c channels) Notify(channel, payload string) error {
	return c.intend(intent{notifyIntent, channel, payload})
}

// Listening implements expr.Channels.
func (c channels) Listening() []string { return slices.Sorted(maps.Keys(c.listening)) }

// Usage implements expr.Channels.
func (c channels) Usage() float64 {
	c.inbox.mu.Lock()
	defer c.inbox.mu.Unlock()
	return float64(c.inbox.bytes) / maxInbox
}

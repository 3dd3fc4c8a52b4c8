package session

import "zproxy/cluster/notify"

// Notifications are those for the client, who hears of them outside of transaction blocks.
func (s *Session) Notifications() []notify.Notification {
	if s.txn.InBlock() {
		return nil
	}
	return s.listener.Take()
}

// Listens says whether there may be notifications at any time.
func (s *Session) Listens() bool { return s.listener.Listens() && !s.txn.InBlock() }

// channels are the channels as functions see them.
type channels struct{ *parts }

// Notify implements system.Channels.
func (c channels) Notify(channel, payload string) error {
	return c.txn.Intend(notify.Notify(channel, payload))
}

// Listening implements system.Channels.
func (c channels) Listening() []string { return c.listener.Channels() }

// Usage implements system.Channels.
func (c channels) Usage() float64 { return c.listener.Usage() }

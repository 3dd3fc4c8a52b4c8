package session

import (
	"slices"

	"zproxy/sqlerr"
)

// Notices are those that the client has yet to hear, each once, if it wants to.
func (s *Session) Notices() []*sqlerr.Error {
	list := s.settings.PendingNotices
	s.settings.PendingNotices = nil
	return slices.DeleteFunc(list, func(n *sqlerr.Error) bool {
		return slices.Contains(s.settings.Unwanted,
			n.Severity)
	})
}

// tell sends what the client has yet to hear.
func (s runner) tell(c Client) error {
	for _, n := range s.Notices() {
		if err := c.Notice(n); err != nil {
			return err
		}
	}
	return nil
}

// laterNotices is a client that hears notices when they are sent.
type laterNotices struct {
	Client
	list []*sqlerr.Error
}

// Notice implements Client.
func (l *laterNotices) Notice(n *sqlerr.Error) error {
	l.list = append(l.list, n)
	return nil
}

func (l *laterNotices) send() error {
	for _, n := range l.list {
		if err := l.Client.Notice(n); err != nil {
			return err
		}
	}
	return nil
}

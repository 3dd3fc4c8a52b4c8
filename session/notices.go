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

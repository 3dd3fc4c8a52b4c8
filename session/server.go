package session

import "zproxy/store"

// server is what SQL calls the place of tables that other programs own; empty: there is none.
func (s *Session) server() string {
	if o, ok := s.db.Store.(store.Outsider); ok {
		return o.Server()
	}
	return ""
}

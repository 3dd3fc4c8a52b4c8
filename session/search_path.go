package session

import (
	"zproxy/catalog"
	"zproxy/session/statement"
)

// schemas are those of search_path that there are.
func (s *Session) schemas(snap *catalog.Snapshot) []string {
	return s.schemasOf.Named(snap, s.user.Rights(), s.settings.Path)
}

// path is where names without a schema are looked for.
func (s *Session) path(snap *catalog.Snapshot) []string {
	return statement.Path(snap, s.schemas(snap), s.txn.Temporary)
}

package session

import (
	"zproxy/catalog/ddl"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// statement is what a statement runs in. A nil client is told nothing.
func (s *Session) statement(c Client) *statement.Context {
	if c == nil {
		c = unheard{}
	}
	return &statement.Context{
		Node: s.db.Node, Txn: &s.txn.Transaction, Env: s.Env(),
		Identity: statement.Identity{Role: s.role(), SessionRole: s.settings.Who.Session, Bootstrap: s.bootstrapName},
		Database: s.database, Schemas: s.schemas, Temporary: &s.temporary, Planner: s.planner, Limits: s.settings.Limits,
		Notice: c.Notice,
	}
}

// definer runs statements that define objects.
func (s *Session) definer(c Client) *ddl.Definer {
	return &ddl.Definer{Context: s.statement(c), InUse: s.refuseInUse, Configure: s.configure}
}

// unheard is a client that is told nothing.
type unheard struct{ Client }

// Notice implements Client.
func (unheard) Notice(*sqlerr.Error) error { return nil }

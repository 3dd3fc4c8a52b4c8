package session

import (
	"context"

	"zproxy/catalog/ddl"
	"zproxy/catalog/ddl/index"
	"zproxy/catalog/ddl/table"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/optimizer"
	"zproxy/parser/ast"
	"zproxy/session/host"
	"zproxy/session/statement"
	"zproxy/sqlerr"
	"zproxy/store"
)

// statement is what a statement runs in. A nil client is told nothing.
func (s *Session) statement(c Client) *statement.Context {
	if c == nil {
		c = withoutNotices{}
	}
	return &statement.Context{
		Node: s.db.Node, Txn: &s.txn.Transaction, Env: s.Env(),
		Identity: s.user.Rights(),
		Database: s.user.Database, Schemas: s.schemas, Temporary: &s.txn.Temporary, Planner: s.planner,
		Limits: s.settings.Limits,
		Notice: c.Notice,
	}
}

// definer runs statements that define objects.
func (s *Session) definer(c Client) *ddl.Definer {
	return &ddl.Definer{Context: s.statement(c), InUse: s.portals.refuseInUse, Configure: s.configure}
}

// configure changes a list of settings that a role or the database keeps.
func (s *Session) configure(list []string, set *ast.Set) ([]string, error) {
	return s.user.Configure(s.db.options.Settings, list, set)
}

// tables runs statements about tables, and with that those about indexes.
func (s *Session) tables(c Client) *table.Definer {
	return &table.Definer{Definer: s.indexes(c)}
}

// indexes runs statements about indexes.
func (s *Session) indexes(c Client) *index.Definer {
	return &index.Definer{
		Definer: s.definer(c), Block: block{s}, Builds: s.db.builds, Tables: s.db.tables,
		Exec: s.executorEnv, Tell: s.activity.Indexes, Expiry: s.db.expiry,
		Now: s.running.Now, BuildRate: s.settings.BuildRate, Advice: s.settings.Advice,
		StatementMemory: s.settings.StatementMemory,
	}
}

// reached is what functions reach of the session.
func (s *Session) reached() host.Session {
	return host.Session{
		Node: s.db.Node, Txn: &s.txn.Transaction, Builds: s.db.builds, Block: block{s}, Temporary: &s.txn.Temporary,
		Env: s.Env(), Role: s.user.Role, View: s.view,
		Statement: func() *statement.Context { return s.statement(nil) },
		Indexes:   func() *index.Definer { return s.indexes(nil) },
		Optimizer: func() *optimizer.Options { return s.db.optimizerOptions(s) },
		Parse:     s.parse,
		Values:    func(ctx context.Context) *expr.Context { return s.context(ctx, nil) },
		StepAside: s.txn.StepAside,
	}
}

// executorEnv is what a plan of the session's own needs.
func (s *Session) executorEnv(ctx context.Context, txn store.Txn) *executor.Env {
	return &executor.Env{
		Txn: txn, Expr: s.context(ctx, nil), Store: s.db.Store.Capabilities(), Tables: s.db.tables,
		Total: &s.running.Used,
		Rules: executor.Rules{System: s.bound.system, Hides: s.bound.hides},
	}
}

// block is the transaction block of a session, as the statements about indexes know it.
type block struct{ s *Session }

// NotIn implements index.Block.
func (b block) NotIn(statement string) error { return b.s.txn.NotIn(statement) }

// Commit implements index.Block.
func (b block) Commit(ctx context.Context) error { return b.s.txn.Commit(ctx) }

// Strong implements index.Block.
func (b block) Strong(ctx context.Context) (store.Txn, error) { return b.s.txn.Strong(ctx) }

// ReadOnly implements index.Block.
func (b block) ReadOnly(statement string) error { return b.s.txn.RefuseReadOnly(statement) }

// withoutNotices is a client that is told nothing.
type withoutNotices struct{ Client }

// Notice implements Client.
func (withoutNotices) Notice(*sqlerr.Error) error { return nil }

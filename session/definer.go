package session

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/ddl"
	"zproxy/catalog/ddl/index"
	"zproxy/catalog/ddl/table"
	"zproxy/catalog/define"
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
func (r *reach) statement(c Client) *statement.Context {
	if c == nil {
		c = withoutNotices{}
	}
	return &statement.Context{
		Node: r.db.Node, Txn: &r.txn.Transaction, Env: &r.settings.Env,
		Identity:      r.user.Rights(),
		DatabaseNames: r.names(), Schemas: r.schemas, Temporary: &r.txn.Temporary, Planner: r.planner,
		CheckBodies: r.settings.CheckBodies, Conform: r.conform,
		Limits: r.limits(), AtCommit: r.endsAtCommit,
		Notice: c.Notice,
	}
}

// limits bound the indexes that statements make.
func (r *reach) limits() define.Limits {
	out := r.settings.Limits
	out.Store = r.db.Store.Capabilities()
	return out
}

// definer runs statements that define objects.
func (r *reach) definer(c Client) *ddl.Definer {
	return &ddl.Definer{
		Context: r.statement(c), InUse: r.portals.refuseInUse, Configure: r.configure,
		DropKey: func(ctx context.Context, t *catalog.Table) error { return table.DropKey(ctx, r.tables(c), t) },
	}
}

// configure changes a list of settings that a role or the database keeps.
func (r *reach) configure(list []string, set *ast.Set) ([]string, error) {
	return r.user.Configure(r.db.options.Settings, list, set)
}

// tables runs statements about tables, and with that those about indexes.
func (r *reach) tables(c Client) *table.Definer {
	return &table.Definer{Definer: r.indexes(c), Exports: r.db.keeper.exporter.dir != nil}
}

// indexes runs statements about indexes.
func (r *reach) indexes(c Client) *index.Definer {
	return &index.Definer{
		Definer: r.definer(c), Block: &r.txn, Builds: r.db.builds, Tables: r.db.tables,
		Exec: r.executorEnv, Tell: r.activity.Indexes, Expiry: r.db.expiry,
		Now: r.running.Now, BuildRate: r.settings.BuildRate, BuildUnits: r.settings.BuildUnits, AnalyzeUnits: r.settings.AnalyzeUnits,
		Advice:          r.settings.Advice,
		StatementMemory: r.settings.StatementMemory,
	}
}

// reached is what functions reach of the session.
func (r *reach) reached() host.Session {
	return host.Session{
		Node: r.db.Node, Txn: &r.txn.Transaction, Builds: r.db.builds, Block: &r.txn, Temporary: &r.txn.Temporary,
		Env: &r.settings.Env, Role: r.user.Role, View: r.view,
		Statement:   func() *statement.Context { return r.statement(nil) },
		Indexes:     func() *index.Definer { return r.indexes(nil) },
		Optimizer:   func() *optimizer.Options { return r.optimizerOptions() },
		Parse:       r.parse,
		Values:      func(ctx context.Context) *expr.Context { return r.context(ctx, nil) },
		Descriptors: &r.txn.Descriptors,
	}
}

// executorEnv is what a plan of the session's own needs.
func (r *reach) executorEnv(ctx context.Context, txn store.Txn) *executor.Env {
	return &executor.Env{
		Txn: txn, Expr: r.context(ctx, nil), Store: r.db.Store.Capabilities(), Tables: r.db.tables,
		Total: &r.running.Used,
		Rules: executor.Rules{System: r.bound.system, Hides: r.bound.hides},
	}
}

// withoutNotices is a client that is told nothing.
type withoutNotices struct{ Client }

// Notice implements Client.
func (withoutNotices) Notice(*sqlerr.Error) error { return nil }

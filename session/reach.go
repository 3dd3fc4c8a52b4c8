package session

import (
	"context"
	"iter"

	"zproxy/catalog"
	"zproxy/catalog/policy"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/expr/work"
	"zproxy/optimizer"
	"zproxy/optimizer/access"
	"zproxy/optimizer/price"
	"zproxy/planner"
	"zproxy/planner/bind"
	"zproxy/planner/inline"
	"zproxy/session/host"
	"zproxy/session/statement"
	"zproxy/session/transaction"
	"zproxy/store"
	"zproxy/types"
)

// reach is what statements and functions reach of the session. It makes contexts of the parts, and runs no statement.
type reach struct {
	*parts
	host      host.Session
	bound     bound
	schemasOf statement.Schemas
	random    expr.Random
	routines  func(*routines, context.Context) // sets what functions run with
	spaces    workspaces
}

// begin makes it of the parts of a session.
func (r *reach) begin(p *parts) {
	r.parts = p
	r.bound = boundTo(r)
	r.host = r.reached()
}

// within is what functions that need more than values know while a statement runs.
type within struct {
	host.Call
	r *reach
}

// running is the transaction as functions see it.
type running struct{ *within }

// Number implements system.Transaction.
func (t running) Number(take bool) (uint64, bool) { return t.r.txn.Number(take) }

// Export implements system.Transaction.
func (t running) Export() (string, error) { return transaction.Export(t.Ctx, &t.r.txn) }

// bound are methods of a session as values, which each statement needs.
type bound struct {
	setting         func(name string) (string, bool)
	set             func(name, value string, local bool) (string, error)
	signal          func(pid uint32, all bool) (bool, error)
	resetStatements func() error
	system          func(v *catalog.Virtual, keys []uint32) iter.Seq2[types.Row, error]
	hides           func(t *catalog.Table) bool
	interrupted     func() error
}

func boundTo(r *reach) bound {
	return bound{r.settings.Get, r.setConfig, r.signal, r.resetStatements, r.systemRows, r.hides,
		r.bounds.Interrupted}
}

// context is what expressions of a statement know while it runs.
func (r *reach) context(ctx context.Context, params []types.Value) *expr.Context {
	return r.know(&knowledge{}, ctx, params)
}

// know makes it in memory that is there already.
func (r *reach) know(k *knowledge, ctx context.Context, params []types.Value) *expr.Context {
	current, session := r.user.Names()
	now := r.running.Now()
	if r.txn.Began.IsZero() {
		r.txn.Began = now
	}
	k.env = r.settings.Env
	k.env.Now, k.env.Work = r.txn.Began, &k.values
	k.within = within{host.Call{Session: &r.host, Ctx: ctx}, r}
	in, b := &k.within, &r.bound
	k.host = system.Host{
		User: current, SessionUser: session, Database: r.user.Database, Setting: b.setting,
		Session: system.SessionInfo{PID: r.pid, Path: r.schemas(r.txn.Schema()), Started: r.db.started, Set: b.set,
			Signal: b.signal, ResetStatements: b.resetStatements, Transaction: running{in},
			Large: host.LargeObjects{Call: &in.Call}, Ends: r.ends,
			Temporary: r.temporaryID(), Triggers: r.calls.triggers, Build: r.db.options.Build},
		Objects: host.Objects{Session: &r.host}, Advisory: advisoryLocks{in}, Channels: channels{r.parts},
		Sequences: host.Sequences{Call: &in.Call}, Upkeep: host.Upkeep{Call: &in.Call},
		Sites:  host.Sites{Call: &in.Call},
		ZOrder: host.ZOrder{Call: &in.Call}, Cursors: &r.portals,
	}
	r.routines(&k.routines, ctx)
	k.values = expr.Context{
		Params: params, Env: &k.env, Transaction: r.txn.Began, Statement: now,
		Random: &r.random, IDs: &r.db.ids, Meter: work.Meter{Interrupt: b.interrupted},
		Routines: &k.routines, Host: &k.host,
	}
	return &k.values
}

// planner plans with a catalog, under the settings of the session.
func (r *reach) planner(snap *catalog.Snapshot) *planner.Planner {
	return &planner.Planner{
		Binder: bind.Binder{
			Names:     bind.Names{Catalog: snap, SearchPath: r.path(snap), Role: r.user.Role(), Temporary: r.txn.Temporary},
			Constants: bind.Constants{Env: &r.settings.Env},
		},
	}
}

// inlining has statements that run do what the functions do that the present role may call.
func (r *reach) inlining(snap *catalog.Snapshot) *inline.Bodies {
	return &inline.Bodies{Role: r.user.Role(), Path: r.path(snap), Read: r.conform}
}

// optimizerOptions are those of the DB with what the store can do.
func (r *reach) optimizerOptions() *optimizer.Options {
	o := r.db.options.Rules
	o.Store = access.StoreOf(r.db.Store.Capabilities())
	if can := r.db.Store.Capabilities(); can.Divides() {
		o.Gathering = optimizer.Gathering{Workers: r.settings.Workers(), Least: r.settings.LeastGathered}
	}
	o.Env, o.Interrupted, o.Memory = &r.settings.Env, r.bounds.Interrupted, r.memory()
	return &o
}

// memory is how much a hash table or a sort may hold.
func (r *reach) memory() price.Memory { return price.Memory(r.settings.WorkMemory) }

// schemas are those of search_path that there are.
func (r *reach) schemas(snap *catalog.Snapshot) []string {
	return r.schemasOf.Named(snap, r.user.Rights(), r.settings.Path)
}

// path is where names without a schema are looked for.
func (r *reach) path(snap *catalog.Snapshot) []string {
	return statement.Path(snap, r.schemas(snap), r.txn.Temporary)
}

// names are what databases are called in the session.
func (r *reach) names() catalog.DatabaseNames {
	return catalog.DatabaseNames{Database: r.user.Database, Default: r.db.defaultName()}
}

// server is what SQL calls the place of tables that other programs own; empty: there is none.
func (r *reach) server() string {
	if o, ok := r.db.Store.(store.Outsider); ok {
		return o.Server()
	}
	return ""
}

// hides says whether the present role may not read a table, or not all of its rows, so that errors must not show
// them.
func (r *reach) hides(t *catalog.Table) bool {
	snap, role := r.txn.Schema(), r.user.Role()
	have, _ := snap.Privileges(role, t)
	return have&catalog.MaySelect == 0 || policy.Binds(snap, t, role)
}

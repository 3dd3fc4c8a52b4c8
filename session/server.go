package session

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/syscat"
	"zproxy/cluster"
	"zproxy/cluster/notify"
	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/metrics"
	"zproxy/session/export"
	"zproxy/session/observe"
	"zproxy/session/settings"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/heat"
	"zproxy/store/rowcache"
)

// server is what the databases of a process share.
type server struct {
	options   Options
	given     settings.Settings // that sessions begin with
	tables    *executor.Tables
	relations *syscat.Relations // the system's own
	exports   *export.Dir       // nil: partitions are not exported
	started   time.Time
	retries   *retry.Queue // of statements that met a conflict
	node      *cluster.Node

	transactions atomic.Uint64 // that got a number
	ids          expr.IDClock
	now          func() time.Time

	observed  observe.Shared
	sessions  registry
	databases databases
	caches
}

// caches are those of plans.
type caches struct {
	kept        *keptStatements // that all sessions use
	ownKept     budget          // of those that single sessions use
	cacheCounts cacheCounts
}

// databases are those that the process serves, by their numbers.
type databases struct {
	mu   sync.Mutex
	of   map[uint32]*DB
	shut []uint32 // by other processes
}

// newServer makes what databases share, on a store of which the catalog is not loaded.
func newServer(st store.Store, o Options) (*server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	o.Settings = defaultsOn(st.Capabilities(), o.Settings)
	v := &server{options: o, tables: executor.NewTables(), relations: syscat.All(), started: time.Now(),
		retries: retry.NewQueue(), now: o.Now,
		sessions:  registry{of: map[uint32]*Session{}, shut: map[uint32]int{}, used: map[string]bool{}},
		databases: databases{of: map[uint32]*DB{}},
		caches:    caches{kept: newKeptStatements(&budget{most: maxSharedKept}), ownKept: budget{most: maxOwnKept}}}
	var err error
	if v.given, err = settings.New("", o.Settings); err != nil {
		return nil, err
	}
	if o.ExportDir != "" {
		if v.exports, err = export.Open(o.ExportDir); err != nil {
			return nil, err
		}
	}
	v.tables.Store = st.Capabilities()
	v.observed.Statements = metrics.NewStatements(metrics.MostStatements)
	v.observed.Log, v.observed.Clock = o.Log, o.Now
	v.node = cluster.NewNode(st, o.Log, v.relations.System(), cluster.Hooks{
		Adopted:       v.follow,
		Close:         v.closeDatabases,
		Resume:        v.resume,
		DropTemporary: func(database uint32, schema string) error { return v.of(database).dropTemporary(schema) },
	})
	boundLocks(v.node.Locks, o.Memory)
	v.node.Rows = rowcache.New(cmp.Or(o.RowCache, defaultRowCache), executor.RowBytes, v.now)
	if v.given.Heat {
		v.node.Heat = heat.NewMeter(time.Now)
		if r, ok := st.(store.Pressed); ok {
			r.OnRefusal(v.node.Heat.Refused)
		}
	}
	return v, nil
}

// of is a database as the process serves it, from now on if it has not.
func (v *server) of(id uint32) *DB {
	v.databases.mu.Lock()
	defer v.databases.mu.Unlock()
	db := v.databases.of[id]
	if db == nil {
		db = &DB{Node: v.node, server: v, channels: notify.NewHub()}
		if id != v.node.Database() {
			db.Node = v.node.In(id)
		}
		db.works()
		v.databases.of[id] = db
	}
	return db
}

// all are the databases that the process serves, by their numbers.
func (v *server) all() (out []*DB) {
	v.databases.mu.Lock()
	defer v.databases.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(v.databases.of)) {
		out = append(out, v.databases.of[id])
	}
	return out
}

// defaultName is what the default database is called by sessions of others.
func (v *server) defaultName() string {
	return cmp.Or(v.options.Database, v.node.Whole().DefaultDatabase().Name, catalog.DefaultDatabaseName)
}

// name is what the database is called by itself.
func (db *DB) name() string {
	if d := db.Snapshot().Database(); d.ID != catalog.DatabaseID {
		return d.Name
	}
	return db.defaultName()
}

// answering is the database that answers to a name. Another process may just have made it, so that none is known, or
// only the one that answers to any name.
func (db *DB) answering(name string) (*DB, error) {
	const patience = 5 * time.Second
	d := db.Whole().Answering(name, db.options.Database)
	if d == nil || d.Name == "" && db.options.Database == "" {
		ctx, stop := context.WithTimeout(context.Background(), patience)
		defer stop()
		if _, err := db.Refresh(ctx, db.Snapshot()); err != nil {
			db.Log.Warn("looking for a database that another process has made", "error", err)
		}
		d = db.Whole().Answering(name, db.options.Database)
	}
	if d == nil {
		err := sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", name)
		if db.options.Database != "" {
			return nil, err
		}
		return nil, err.WithHint("The default database, which answers to any name until another is made, is called \"%s\".",
			db.defaultName())
	}
	return db.of(d.ID), nil
}

// follow makes the process work for each database that the catalog has, and for no other.
func (v *server) follow() {
	whole := v.node.Whole()
	for _, d := range whole.Databases() {
		v.of(d.ID).start()
	}
	for _, db := range v.all() {
		if id := db.Database(); whole.DatabaseByID(id) == nil {
			v.databases.mu.Lock()
			delete(v.databases.of, id)
			v.databases.mu.Unlock()
			db.Background.End()
			v.sessions.end(id)
		}
	}
}

// start starts what the process does by itself for the database, as far as there is something to do.
func (db *DB) start() {
	db.expiry.Start()
	db.keeper.start()
	db.analyzer.Start()
}

// load goes by the catalog of a store that no other process uses, and ends what the last process had begun.
func (v *server) load(ctx context.Context) error {
	txn, err := v.node.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer txn.Rollback()
	if err := v.node.Load(ctx, txn); err != nil {
		return err
	}
	for _, d := range v.node.Whole().Databases() {
		if err := v.of(d.ID).sweepTemporary(); err != nil {
			return err
		}
	}
	builds, err := catalogstore.Builds(ctx, txn)
	for _, b := range builds {
		if !b.Ended() {
			v.resume(b.Index)
		}
	}
	return err
}

// resume goes on with the build of an index that another process has left.
func (v *server) resume(index uint32) {
	in := uint32(catalog.DatabaseID)
	if snap := v.node.Whole().Holding(index); snap != nil {
		in = snap.Database().ID
	}
	v.of(in).builds.Begin(index)
}

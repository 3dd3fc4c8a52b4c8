package session

import (
	"cmp"
	"context"
	"crypto/subtle"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"zproxy/catalog/autovacuum"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/syscat"
	"zproxy/cluster"
	"zproxy/cluster/analyze"
	"zproxy/cluster/build"
	"zproxy/cluster/check"
	"zproxy/cluster/expiry"
	"zproxy/cluster/fleet"
	"zproxy/cluster/notify"
	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/internal/cpu"
	"zproxy/internal/memory"
	"zproxy/metrics"
	"zproxy/optimizer"
	"zproxy/session/export"
	"zproxy/session/identity"
	"zproxy/session/observe"
	"zproxy/session/settings"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/heat"
	"zproxy/store/rowcache"
)

// Options are what a DB is opened with.
type Options struct {
	Log *slog.Logger // nil: nothing is logged
	// Shared says that other processes may use the store, too, which then agree on the schema.
	Shared bool
	Fleet  fleet.Options // how, if they do
	// TempDir is where statements put what is too large for memory; empty: where the system
	// has its temporary files.
	TempDir string
	// ExportDir is where partitions are exported to; empty: this process exports none.
	ExportDir string
	// Database is the only name that clients may give the database; empty: they may give any.
	Database string
	// Build is what version() tells of the program, behind PostgreSQL's version; empty: nothing.
	Build string
	// Rules leaves optimizer rules and access paths out, for tests that compare answers.
	Rules optimizer.Options
	// Settings are what sessions begin with, by name; the rest have their own defaults.
	Settings  map[string]string
	Memory    *memory.Pool     // what all sessions may hold together; nil: nothing bounds it
	Scheduler *cpu.Scheduler   // of long statements on processors; nil: all at once
	RowCache  int64            // bytes of rows that are kept for queries; 0: some
	Now       func() time.Time // the clock that statements are timed with; nil: the system's
}

// DB is what all sessions share: the store, the catalog, and the list of sessions.
type DB struct {
	*cluster.Node
	options   Options
	tables    *executor.Tables
	relations *syscat.Relations // the system's own
	started   time.Time
	retries   *retry.Queue // of statements that met a conflict
	background
	channels *notify.Hub

	transactions atomic.Uint64 // that got a number
	ids          expr.IDClock
	now          func() time.Time

	observed observe.Shared
	sessions registry
}

// background is what the process does by itself.
type background struct {
	builds   *build.Builds
	expiry   *expiry.Remover
	analyzer *analyze.Analyzer
	keeper   partitionKeeper
}

// defaultRowCache is how many bytes of rows are kept where nothing is said.
const defaultRowCache = 32 << 20

// Open loads the catalog of a store. The store stays the caller's to close, after the DB.
func Open(ctx context.Context, st store.Store, o Options) (*DB, error) {
	db := &DB{options: o, tables: executor.NewTables(), relations: syscat.All(), started: time.Now(),
		sessions: registry{of: map[uint32]*Session{}}, retries: retry.NewQueue()}
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	db.tables.Store = st.Capabilities()
	db.Node = cluster.NewNode(st, log, db.relations.System(), cluster.Hooks{
		Adopted: func() {
			db.expiry.Start()
			db.keeper.start()
		},
		Resume:        func(index uint32) { db.builds.Begin(index) },
		DropTemporary: db.dropTemporary,
	})
	boundLocks(db.Locks, o.Memory)
	db.keeper = partitionKeeper{db: db, rest: map[uint32]time.Time{}}
	db.keeper.exporter = partitionExporter{db: db, rest: map[uint32]time.Time{}}
	if o.ExportDir != "" {
		var err error
		if db.keeper.exporter.dir, err = export.Open(o.ExportDir); err != nil {
			return nil, err
		}
	}
	db.channels = notify.NewHub()
	db.now = o.Now
	if db.now == nil {
		db.now = time.Now
	}
	db.observed.Statements, db.observed.Log, db.observed.Clock = metrics.NewStatements(metrics.MostStatements), log,
		db.now
	db.builds = build.New(db.Node, db.tables, db.now)
	db.options.Settings = defaultsOn(st.Capabilities(), o.Settings)
	given, err := settings.New("", db.options.Settings)
	if err != nil {
		return nil, err
	}
	db.Rows = rowcache.New(cmp.Or(o.RowCache, defaultRowCache), executor.RowBytes, db.now)
	if given.Heat {
		db.Heat = heat.NewMeter(time.Now)
		if r, ok := st.(store.Pressed); ok {
			r.OnRefusal(db.Heat.Refused)
		}
	}
	db.works(&given)
	if err := catalogstore.Open(ctx, st); err != nil {
		return nil, err
	}
	if o.Shared {
		err = db.Share(ctx, o.Fleet)
	} else {
		err = db.load(ctx)
	}
	if err != nil {
		return nil, err
	}
	db.expiry.Start()
	db.keeper.start()
	db.analyzer.Start()
	return db, nil
}

// works makes what the process does by itself with tables.
func (db *DB) works(given *settings.Settings) {
	db.expiry = &expiry.Remover{
		Node: db.Node, Tables: db.tables, Now: db.now, Off: db.options.Rules.Paths, Every: given.TTLInterval,
	}
	db.analyzer = &analyze.Analyzer{
		Node: db.Node, Tables: db.tables, Now: db.now, Units: given.AnalyzeUnits,
		Limits: autovacuum.Limits{Threshold: float64(given.StaleRows), Scale: given.StaleShare},
	}
	if given.Autovacuum {
		db.analyzer.Every = given.Naptime
	}
}

// load goes by the catalog of a store that no other process uses, and ends what the last process had begun.
func (db *DB) load(ctx context.Context) error {
	txn, err := db.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer txn.Rollback()
	err = db.Load(ctx, txn)
	if err == nil {
		err = db.sweepTemporary()
	}
	if err == nil {
		err = db.builds.Resume(ctx, txn)
	}
	return err
}

// Scheduler tells how many long statements wait for a processor.
func (db *DB) Scheduler() cpu.Counts { return db.options.Scheduler.Counts() }

// Memory tells how much of the pool sessions hold.
func (db *DB) Memory() memory.Counts { return db.options.Memory.Counts() }

// Cancel stops what a session is running, if the secret is the session's. False says that
// it is not; of a session that is not there nothing can be said.
func (db *DB) Cancel(pid uint32, secret []byte) bool {
	s := db.sessions.find(pid)
	if s == nil {
		return true
	}
	if subtle.ConstantTimeCompare(s.secret, secret) != 1 {
		return false
	}
	s.bounds.Request(sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to user request"))
	return true
}

// Checker checks the indexes of the store.
func (db *DB) Checker() check.Checker {
	return check.Checker{Node: db.Node, Tables: db.tables, Now: db.now}
}

// Authentication says what a client must show to be a user. Whether the user may then log
// in is for Connect to say, after the client has proved who it is.
func (db *DB) Authentication(user string) identity.Credential {
	return identity.CredentialOf(db.Snapshot(), user)
}

package session

import (
	"context"
	"crypto/subtle"
	"fmt"
	"iter"
	"log/slog"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/autovacuum"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster"
	"zproxy/cluster/analyze"
	"zproxy/cluster/build"
	"zproxy/cluster/check"
	"zproxy/cluster/expiry"
	"zproxy/cluster/fleet"
	"zproxy/cluster/notify"
	"zproxy/internal/cpu"
	"zproxy/internal/memory"
	"zproxy/optimizer"
	"zproxy/session/identity"
	"zproxy/sqlerr"
	"zproxy/store"
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

// DB is one database as its sessions share it: the store, the catalog, and what the process does by itself.
type DB struct {
	*cluster.Node
	*server
	background
	channels *notify.Hub
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

// Open loads the catalog of a store, and gives the default database. The store stays the caller's to close, after the
// DB.
func Open(ctx context.Context, st store.Store, o Options) (*DB, error) {
	v, err := newServer(st, o)
	if err != nil {
		return nil, err
	}
	if err := catalogstore.Open(ctx, st); err != nil {
		return nil, err
	}
	db := v.of(catalog.DatabaseID)
	if o.Shared {
		err = db.Share(ctx, o.Fleet)
	} else {
		err = v.load(ctx)
	}
	if err != nil {
		return nil, err
	}
	if d := db.Whole().Answering(o.Database, o.Database); d.ID != catalog.DatabaseID && o.Database != "" {
		db.Close()
		return nil, fmt.Errorf("database %q is not the default one, which can have another name only", o.Database)
	}
	v.follow()
	return db, nil
}

// works makes what the process does by itself with tables.
func (db *DB) works() {
	db.keeper = partitionKeeper{db: db, rest: map[uint32]time.Time{}}
	db.keeper.exporter = partitionExporter{db: db, rest: map[uint32]time.Time{}}
	db.keeper.exporter.dir = db.exports
	db.builds = build.New(db.Node, db.tables, db.now)
	db.expiry = &expiry.Remover{
		Node: db.Node, Tables: db.tables, Now: db.now, Off: db.options.Rules.Paths, Every: db.given.TTLInterval,
	}
	db.analyzer = &analyze.Analyzer{
		Node: db.Node, Tables: db.tables, Now: db.now, Units: db.given.AnalyzeUnits,
		Limits: autovacuum.Limits{Threshold: float64(db.given.StaleRows), Scale: db.given.StaleShare},
	}
	if db.given.Autovacuum {
		db.analyzer.Every = db.given.Naptime
	}
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

// Checker checks the indexes of the database, and the files of the store.
func (db *DB) Checker() check.Checker {
	return check.Checker{Node: db.Node, Tables: db.tables, Now: db.now}
}

// Finding is what is not right with an index of a database.
type Finding struct {
	check.Finding
	Database string // with a point behind it; empty: it is the default one
}

// Findings compares the indexes of all databases with their rows, and repairs what it can if that is asked for.
func (db *DB) Findings(ctx context.Context, repair bool) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		for _, of := range db.all() {
			name := ""
			if d := of.Snapshot().Database(); d.ID != catalog.DatabaseID {
				name = d.Name + "."
			}
			for f, err := range of.Checker().All(ctx, repair) {
				if !yield(Finding{f, name}, err) {
					return
				}
			}
		}
	}
}

// Authentication says what a client must show to be a user. Whether the user may then log
// in is for Connect to say, after the client has proved who it is.
func (db *DB) Authentication(user string) identity.Credential {
	return identity.CredentialOf(db.Snapshot(), user)
}

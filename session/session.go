package session

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"time"

	"zproxy/catalog/syscat"
	"zproxy/cluster/notify"
	"zproxy/parser/ast"
	"zproxy/session/activity"
	"zproxy/session/bounds"
	"zproxy/session/cursor"
	"zproxy/session/host"
	"zproxy/session/identity"
	"zproxy/session/observe"
	"zproxy/session/settings"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/types"
	"zproxy/types/charset"
)

// Startup is what a client says when it connects.
type Startup struct {
	User     string
	Database string
	Settings map[string]string
	// Terminate ends the connection for a reason; nil: no session can end it.
	Terminate func(error)
	// Client and Server are the ends of the connection, not valid when it is not one of a network.
	Client, Server netip.AddrPort
	// Wake says that a client which waits may be sent notifications; nil: it hears of them
	// with the next statement. It is called by other sessions.
	Wake func()

	// Proved says that the client has shown to be the user. Otherwise it is trusted, and
	// while no role has a password it need not even be the name of one.
	Proved bool
	// Internal says that it is the program itself, which may do everything.
	Internal bool

	SecretLen int // bytes of the secret that cancel requests carry: 4, or 32 in protocol 3.2
}

// Session is one client: text in, rows out. One goroutine uses it, but for the
// cancelling of what it runs. Its parts are in layers: those that own what the session has know nothing of the others,
// reach makes of them what statements run in, and the steps run statements with that.
type Session struct {
	parts
	reach   reach
	retries retries
	steps
}

// parts own what a session has.
type parts struct {
	db *DB
	client
	settings settings.Settings
	cache    statementCache
	named
	keyStatements map[string]*Statement // of foreign keys, by their kinds
	bounds        bounds.Bounds
	txn           transaction.Current
	atCommit      map[uint32]ast.OnCommit // what becomes of temporary tables
	running       observe.Running
	activity      activity.Activity
	listener      *notify.Listener
	calls         callState
}

// client is who is connected.
type client struct {
	user      *identity.User
	pid       uint32
	secret    []byte
	terminate func(error)
	ends      [2]netip.AddrPort // of the client and of the server
	internal  bool              // it is the program itself
}

// steps are those of the pipeline. Planning and admission know what there is, the others run one another, as an EXECUTE
// of a FETCH does, and so are views of the session.
type steps struct {
	planning  planning
	admission admission
	runner    runner
	copying   copying
	explainer explainer
	utilities utilities
	cursors   cursors
}

func newSteps(s *Session) steps {
	p := planning{&s.parts, &s.reach}
	return steps{p, admission{&s.parts, &s.reach, p}, runner{s}, copying{s}, explainer{s}, utilities{s}, cursors{s}}
}

// newSession makes the session of a client that is not let in yet, of its parts.
func newSession(db *DB, c *Startup) *Session {
	s := &Session{parts: parts{
		db: db,
		client: client{secret: make([]byte, max(c.SecretLen, 4)), terminate: c.Terminate,
			ends: [2]netip.AddrPort{c.Client, c.Server}, internal: c.Internal},
		listener: db.channels.Listener(c.Wake),
	}}
	s.steps = newSteps(s)
	s.user = identity.NewUser(c.User, c.Database, &s.settings, s.txn.Schema)
	s.cache = statementCache{shared: db.kept, own: newKeptStatements(&db.ownKept), counts: &db.cacheCounts}
	s.named = named{
		statements: statements{of: map[string]*Statement{}, memory: &s.bounds.Memory},
		portals: portals{of: map[string]*Portal{}, budget: cursor.Budget{Of: &s.bounds.Memory},
			settings: &s.settings, running: &s.running, open: s.runner.open},
	}
	s.retries = retries{db: db, txn: &s.txn, portals: &s.portals, settings: &s.settings, running: &s.running,
		write: s.runner.write}
	s.txn.Start(transaction.Session{
		Node: db.Node, Settings: &s.settings, Running: &s.running, Memory: &s.bounds.Memory, Channels: db.channels,
		Listener: s.listener, Portals: &s.portals, BeforeCommit: s.beforeCommit,
		Ended: s.retries.forget, Started: db.started, Numbers: &db.transactions,
	})
	s.bounds.Begin(db.options.Memory, db.options.Scheduler, &db.builds.Clients)
	s.running.Shared, s.running.Settings = &db.observed, &s.settings
	s.running.User, s.running.Database = s.user.Name, s.user.Database
	s.reach.begin(&s.parts)
	s.reach.routines = func(of *routines, ctx context.Context) { *of = routines{s.runner, ctx} }
	return s
}

// Connect begins a session in the database that answers to the name which the client gives, or if it is the program
// itself in this one.
func (db *DB) Connect(c Startup) (*Session, error) {
	if !c.Internal {
		var err error
		if db, err = db.answering(c.Database); err != nil {
			return nil, err
		}
	}
	return db.connect(c)
}

// connect begins a session in the database.
func (db *DB) connect(c Startup) (*Session, error) {
	s := newSession(db, &c)
	_, err := rand.Read(s.secret)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	if s.settings, err = settings.New(c.User, db.options.Settings); err != nil {
		return nil, err
	}
	s.settings.Env.Names, s.settings.Env.Work = host.Objects{Session: &s.reach.host}, s.bounds.Work
	s.settings.Env.Notices = &s.settings.PendingNotices
	s.settings.Store = db.Store.Capabilities()
	login := identity.Login{Proved: c.Proved, Internal: c.Internal}
	if err := s.user.Authenticate(login, db.Snapshot(), db.Log); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		if err := s.settings.Ask(name, c.Settings[name], false); err != nil {
			return nil, err
		}
	}
	s.settings.Begin()
	if err := db.sessions.add(s, db.Snapshot()); err != nil {
		return nil, err
	}
	s.txn.Join(s.pid)
	s.running.Waited = s.txn.Locks.Waited
	s.activity.Connect(syscat.Activity{
		Connection: syscat.Connection{DatabaseID: db.Database(), Database: c.Database, Client: c.Client},
		PID:        s.pid, UserID: s.user.Role(), User: c.User, Application: s.settings.ApplicationName,
	}, db.now())
	return s, nil
}

// Close ends the session: what it was doing is rolled back.
func (s *Session) Close() {
	s.txn.Rollback()
	s.endTemporary()
	s.db.sessions.remove(s) // behind what it does to its database, which may be dropped then
	s.txn.Locks.ReleaseAll()
	s.listener.Close()
	s.cache.own.clear()
	s.bounds.Close()
}

// Key is what a cancel request must name.
func (s *Session) Key() (pid uint32, secret []byte) { return s.pid, s.secret }

// Env is what text formats depend on.
func (s *Session) Env() *types.Env { return &s.settings.Env }

// Charset is the encoding of the client's texts; nil: they are in UTF-8.
func (s *Session) Charset() *charset.Charset { return s.settings.Charset }

// Parameters are all settings that clients are told of, at the start.
func (s *Session) Parameters() []settings.Parameter { return s.settings.Reported() }

// Changed are those that have another value since the last call.
func (s *Session) Changed() []settings.Parameter { return s.settings.Changed() }

// IdleLimit is how long the client may say nothing, 0 for ever, and what it is told when it
// has said nothing for so long.
func (s *Session) IdleLimit() (time.Duration, error) {
	switch {
	case s.txn.InBlock() && s.settings.Sooner(s.settings.IdleInTransaction) > 0:
		return s.settings.IdleInTransaction,
			sqlerr.New(sqlerr.IdleInTransactionTimeout, "terminating connection due to idle-in-transaction timeout")
	case !s.txn.InBlock() && s.settings.Idle > 0:
		return s.settings.Idle, sqlerr.New(sqlerr.IdleSessionTimeout,
			"terminating connection due to idle-session timeout")
	}
	return 0, nil
}

// Interrupted is why the statement that runs is to end, nil when it is not, or none runs.
func (s *Session) Interrupted() error { return s.bounds.Interrupted() }

package session

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"zproxy/catalog/ddl/index"
	"zproxy/cluster/lock"
	"zproxy/cluster/notify"
	"zproxy/expr"
	"zproxy/expr/work"
	"zproxy/internal/cpu"
	"zproxy/internal/memory"
	"zproxy/session/charge"
	"zproxy/session/copy"
	"zproxy/session/cursor"
	"zproxy/session/host"
	"zproxy/session/observe"
	"zproxy/session/settings"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Startup is what a client says when it connects.
type Startup struct {
	User     string
	Database string
	Settings map[string]string
	// Terminate ends the connection; nil: no session can end it.
	Terminate  func()
	ClientAddr string // of the network; empty: the connection has none
	// Wake says that a client which waits may be sent notifications; nil: it hears of them
	// with the next statement. It is called by other sessions.
	Wake func()
	// ClientPort and ServerPort are those of the connection, 0 when it has none.
	ClientPort, ServerPort int

	// Proved says that the client has shown to be the user. Otherwise it is trusted, and
	// while no role has a password it need not even be the name of one.
	Proved bool
	// Internal says that it is the program itself, which may do everything.
	Internal bool

	SecretLen int // bytes of the secret that cancel requests carry: 4, or 32 in protocol 3.2
}

// Session is one client: text in, rows out. One goroutine uses it, but for the
// cancelling of what it runs.
type Session struct {
	db *DB
	client
	settings settings.Settings
	named
	accounts
	txn     transaction
	several bool // the statement is one of several in a simple query
	random  expr.Random
	running observe.Running
	shown
	held
	watching
	reach
}

// client is who is connected.
type client struct {
	user, database string
	pid            uint32
	secret         []byte
	terminate      func()
	ports          [2]int // of the client and of the server
}

// named are the statements and portals that the client has.
type named struct {
	statements map[string]*Statement
	portals    map[string]*Portal
	lastPortal int // number
}

// accounts are what the session takes of the process, and is charged for.
type accounts struct {
	budget cursor.Budget
	memory memory.Account
	turn   cpu.Turn
	made   charge.Making // by the statement that runs, before its plan does
	work   *expr.Context // counts and charges what is computed before its plan runs
}

// shown is what other sessions see of this one.
type shown struct {
	activity activity
	copied   atomic.Pointer[copy.Counter]   // nil: it does not copy
	indexing atomic.Pointer[index.Progress] // nil: it neither builds nor checks indexes
}

// held is what the session holds longer than a transaction.
type held struct {
	locks     *lock.Holder // advisory ones
	temporary string       // its schema of temporary relations, if it has made one
	listener  *notify.Listener
}

// watching is what can end the statement that runs.
type watching struct {
	cancellation cancellation
	watched      context.Context // of the statement that runs, for what is given none
	unwatch      func()          // ends a statement that has no timeout
	retrying     bool            // a statement runs again after a conflict
}

// reach is what statements and functions reach of the session.
type reach struct {
	host      host.Session
	bound     bound
	schemasOf schemasOf
}

// Connect begins a session.
func (db *DB) Connect(c Startup) (*Session, error) {
	s := &Session{
		db: db,
		client: client{user: c.User, database: c.Database, secret: make([]byte, max(c.SecretLen, 4)),
			terminate: c.Terminate, ports: [2]int{c.ClientPort, c.ServerPort}},
		named: named{statements: map[string]*Statement{}, portals: map[string]*Portal{}},
		held:  held{listener: db.channels.Listener(c.Wake)},
	}
	s.txn = s.newTransaction()
	if _, err := rand.Read(s.secret); err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	s.unwatch = func() {
		s.db.builds.EndStatement()
		s.turn.End()
		s.watched = nil
		s.made.End()
		s.memory.End()
		s.cancellation.end()
	}
	s.memory = db.options.Memory.Account()
	s.turn.Join(db.options.Turns)
	s.made.Account, s.budget.Of = &s.memory, &s.memory
	s.running.Shared, s.running.Settings = &db.observed, &s.settings
	s.running.User, s.running.Database = s.user, s.database
	s.bound = boundTo(s)
	s.host = s.reached()
	var err error
	if s.settings, err = settings.New(c.User, db.options.Settings); err != nil {
		return nil, err
	}
	s.work = &expr.Context{Meter: work.Meter{Interrupt: s.interrupted, Memory: &s.made}}
	s.settings.Env.Names, s.settings.Env.Work = host.Objects{Session: &s.host}, s.work
	s.settings.Store = db.Store.Capabilities()
	if err := s.identity().authenticate(c); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(c.Settings)) {
		if err := s.settings.Ask(name, c.Settings[name], false); err != nil {
			return nil, err
		}
	}
	s.settings.Begin()
	if err := db.sessions.add(s, s.identity().crowded); err != nil {
		return nil, err
	}
	s.locks = db.Locks.Holder(s.pid)
	s.connected(&c)
	return s, nil
}

// Close ends the session: what it was doing is rolled back.
func (s *Session) Close() {
	s.db.sessions.remove(s)
	s.rollback()
	s.endTemporary()
	s.locks.ReleaseAll()
	s.listener.Close()
	s.cancellation.close()
	s.memory.Close()
}

// Key is what a cancel request must name.
func (s *Session) Key() (pid uint32, secret []byte) { return s.pid, s.secret }

// Env is what text formats depend on.
func (s *Session) Env() *types.Env { return &s.settings.Env }

// Parameters are all settings that clients are told of, at the start.
func (s *Session) Parameters() []settings.Parameter { return s.settings.Reported() }

// Changed are those that have another value since the last call.
func (s *Session) Changed() []settings.Parameter { return s.settings.Changed() }

// IdleLimit is how long the client may say nothing, 0 for ever, and what it is told when it
// has said nothing for so long.
func (s *Session) IdleLimit() (time.Duration, error) {
	switch {
	case s.txn.block && s.settings.IdleInTransaction > 0:
		return s.settings.IdleInTransaction,
			sqlerr.New(sqlerr.IdleInTransactionTimeout, "terminating connection due to idle-in-transaction timeout")
	case !s.txn.block && s.settings.Idle > 0:
		return s.settings.Idle, sqlerr.New(sqlerr.IdleSessionTimeout,
			"terminating connection due to idle-session timeout")
	}
	return 0, nil
}

// Interrupted is why the statement that runs is to end, nil when it is not, or none runs.
func (s *Session) Interrupted() error { return s.interrupted() }

// interrupted is why the statement is to end, nil when it is not.
func (s *Session) interrupted() error {
	if s.watched == nil {
		return nil
	}
	s.turn.Yield(s.watched)
	cause := context.Cause(s.watched)
	if cause != nil && !errors.As(cause, new(*sqlerr.Error)) {
		return sqlerr.Wrap(cause, sqlerr.QueryCanceled, "canceling statement due to user request")
	}
	return cause
}

// watch gives the context of one statement, which a cancel request or a timeout ends.
func (s *Session) watch(ctx context.Context) (context.Context, func()) {
	ctx = s.cancellation.begin(ctx)
	s.db.builds.BeginStatement()
	s.watched = ctx
	s.work.Begin()
	s.turn.Begin()
	limit := s.settings.StatementTimeout
	if limit <= 0 {
		s.memory.Begin(ctx)
		return ctx, s.unwatch
	}
	timeout := sqlerr.New(sqlerr.QueryCanceled, "canceling statement due to statement timeout")
	ctx, done := context.WithTimeoutCause(ctx, limit, timeout)
	s.watched = ctx
	s.memory.Begin(ctx)
	return ctx, func() { done(); s.unwatch() }
}

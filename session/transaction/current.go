// Package transaction is the transaction of a session: a block between BEGIN and COMMIT, or the implicit one around
// the statements of a message, or up to Sync. It has the savepoints of a block, the actions at the commit, and the
// access mode, and runs the statements that begin and end blocks. What a transaction is to the store and to other
// processes is in cluster.
//
// Read `Current` first, then `Current.Commit`.
package transaction

import (
	"context"
	"strings"
	"sync/atomic"
	"time"

	"zproxy/catalog"
	"zproxy/catalog/consistency"
	"zproxy/cluster"
	"zproxy/cluster/lock"
	"zproxy/cluster/notify"
	"zproxy/internal/memory"
	"zproxy/session/charge"
	"zproxy/session/descriptor"
	"zproxy/session/observe"
	"zproxy/session/settings"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/store/eventual"
)

// Current is the transaction that a session is in. When it ends, another one takes its place.
type Current struct {
	cluster.Transaction
	state
	// Several says that the statement is one of several in a simple query.
	Several bool
	// Inner says that a function runs the statement.
	Inner bool
	// Temporary is the session's schema of temporary relations; empty: it has made none.
	Temporary string
	// Locks are those of the session, of which most end with the transaction.
	Locks *lock.Owner

	of      Session
	applied func() // see store.Mode
	pid     uint32
	ended   uint64 // transactions
}

// Session is what a transaction knows of the session that is in it.
type Session struct {
	Node     *cluster.Node
	Settings *settings.Settings
	Running  *observe.Running
	Memory   *memory.Account
	Channels *notify.Hub
	Listener *notify.Listener
	Portals  Portals
	// BeforeCommit is the last that a transaction does.
	BeforeCommit func(ctx context.Context) error
	// Ended is called when a transaction has ended.
	Ended func()
	// Started and Numbers make numbers of transactions: when the process began, and how many it has numbered since.
	Started time.Time
	Numbers *atomic.Uint64
}

// Portals are those of a session, which end with its transactions.
type Portals interface {
	// Hold reads the cursors WITH HOLD of a transaction that is about to be committed.
	Hold(ctx context.Context) error
	// Keep notes that the transaction has been committed, which those that were held outlive.
	Keep()
	// End closes those that end with the transaction.
	End()
	// Outlive prepares those that loops of a procedure read, or that run it, for the end of the transaction in it.
	Outlive(ctx context.Context) error
	// Last is the number of the one that was made last.
	Last() int
	// CloseSince closes those that were made after one with a number.
	CloseSince(last int)
}

// state is what one transaction has come to.
type state struct {
	// Answered says that rows of a query were sent.
	Answered bool

	block      bool // BEGIN was said
	failed     bool // a statement failed; only ROLLBACK and COMMIT are heard
	committing bool // it may be in part or as a whole
	queried    bool // a query was planned in it, perhaps in vain
	noted      bool // its writes are among those that changes of the schema wait for

	locked     []*catalog.Table // by FOR UPDATE
	savepoints savepoints
	intents    []notify.Intent // of LISTEN, UNLISTEN and NOTIFY
	// Constraints is when foreign keys are checked.
	Constraints Constraints
	// Descriptors are the large objects that it has open.
	Descriptors descriptor.Table
	number      uint64 // for txid_current; 0: it was not asked for
}

// Start makes the first transaction of a session.
func (c *Current) Start(of Session) {
	c.of = of
	c.Transaction = cluster.NewTransaction(of.Node, owner{c})
}

// Join gives the session its number, under which it holds locks.
func (c *Current) Join(pid uint32) {
	c.pid, c.Locks = pid, c.of.Node.Locks.NewOwner(pid)
	c.Locks.Database = c.of.Node.Database()
	c.Locks.Memory = c.of.Memory
	c.applied = c.Locks.ReleaseWritten
}

// Status is what ReadyForQuery reports: idle, in a transaction, in a failed one.
func (c *Current) Status() byte {
	switch {
	case c.failed && c.block:
		return 'E'
	case c.block:
		return 'T'
	}
	return 'I'
}

// Outside says whether a statement is the only one of its transaction.
func Outside(c *Current) bool { return !c.block && !c.Several && !c.Inner }

// InBlock says whether BEGIN was said.
func (c *Current) InBlock() bool { return c.block }

// Nested says whether a part of it runs that can be undone by itself.
func Nested(c *Current) bool { return len(c.savepoints) > 0 }

// Committing says whether it may have been committed in part or as a whole.
func (c *Current) Committing() bool { return c.committing }

// Untouched says whether an implicit transaction has neither written nor locked anything so far.
func (c *Current) Untouched() bool {
	return c.Wrote == nil && !c.Large && c.locked == nil && c.Changed() == nil && !c.block
}

// Queries notes that a query is planned, which may rely on the modes of the transaction.
func (c *Current) Queries() { c.queried = true }

// hasFixedModes says whether the modes of the transaction cannot change any more, since a query may rely on them.
func (c *Current) hasFixedModes() bool { return c.queried || c.Txn() != nil }

// Touches notes that a query locks rows of tables and writes to others.
func (c *Current) Touches(locked, written []*catalog.Table) {
	c.locked, c.Wrote = append(c.locked, locked...), append(c.Wrote, written...)
}

// NoteWrites lets changes of the schema know that the transaction writes rows of tables, unless
// it can be run again.
func (c *Current) NoteWrites(tables []*catalog.Table, stream bool) {
	if len(tables) > 0 && (c.block || stream || len(c.Wrote) > 0) {
		locks := c.of.Node.Locks
		if !c.noted {
			locks.NoteWriter(c.pid, c.Wrote) // by a statement that could be run again so far
		}
		c.noted = true
		locks.NoteWriter(c.pid, tables)
	}
}

// Intend notes what is to happen at the commit.
func (c *Current) Intend(i notify.Intent) (err error) {
	c.intents, err = notify.Add(c.intents, i)
	return err
}

// Intends says whether something is to happen at the commit besides the writes.
func (c *Current) Intends() bool { return c.intents != nil }

// Strong is Store for what has to see all commits of a table, such as a comparison of an index with
// it. A transaction whose reads are eventual was promised nothing, either.
func (c *Current) Strong(ctx context.Context, t *catalog.Table) (store.Txn, error) {
	if c.Txn() != nil && !c.Reads(false).Of(consistency.IsEventual(t.Options)) {
		return c.Txn(), nil
	}
	return c.Transaction.Begin(ctx, c.mode(store.Mode{ReadOnly: !c.block || c.ReadOnly()}))
}

// Number is the number that txid_current gives: higher than any that this
// process gave, and, while it gives less than one in a microsecond, than those of the
// processes before it. Without take, there is one only if it was asked for before.
func (c *Current) Number(take bool) (uint64, bool) {
	if c.number == 0 && take {
		c.number = uint64(c.of.Started.UnixMicro()) + c.of.Numbers.Add(1)
		c.Locks.Transaction.Store(c.number)
	}
	return c.number, c.number != 0
}

// NotIn is the error of a statement that cannot be undone.
func (c *Current) NotIn(what string) error {
	if !c.block && !c.Several {
		if c.Inner {
			return sqlerr.New(sqlerr.ActiveSQLTransaction, "%s cannot be executed from a function", what)
		}
		return nil
	}
	return sqlerr.New(sqlerr.ActiveSQLTransaction, "%s cannot run inside a transaction block", what)
}

// OnlyIn is the error of a statement that means nothing outside of a block.
func (c *Current) OnlyIn(what string) error {
	if c.block || c.Inner {
		return nil
	}
	return sqlerr.New(sqlerr.NoActiveSQLTransaction, "%s can only be used in transaction blocks", what)
}

// RefuseFailed is the answer to a statement in a failed block.
func (c *Current) RefuseFailed() error {
	if c.failed && c.block {
		return sqlerr.New(sqlerr.InFailedSQLTransaction,
			"current transaction is aborted, commands ignored until end of transaction block")
	}
	return nil
}

// StepAside lets changes of the schema go on while a statement waits for them.
func (c *Current) StepAside() error {
	if !c.of.Node.Shared() {
		return nil
	}
	if err := c.NotIn("zproxy.wait_for_index()"); err != nil {
		return err
	}
	c.Transaction.StepAside()
	return nil
}

// LockWait is how long the statement that runs waits for a lock.
func (c *Current) LockWait(ctx context.Context) lock.Wait {
	s := c.of.Settings
	w := lock.Wait{Ctx: ctx, Limit: s.LockTimeout, DeadlockAfter: s.DeadlockTimeout, Owner: c.Locks}
	if s.LogLockWaits {
		w.Slow = c.logWait
	}
	return w
}

func (c *Current) logWait(s lock.Slow) {
	c.of.Node.Log.Info(s.String(), "holders", s.Holders, "queue", s.Queue)
}

// mode counts what a transaction reads for the statement that will run when it is committed.
func (c *Current) mode(m store.Mode) store.Mode {
	m.Stats = &c.of.Running.Used.Stats
	return m
}

// owner is a session as the transaction of its process sees it.
type owner struct{ c *Current }

// Locks implements cluster.Owner.
func (o owner) Locks() *lock.Owner { return o.c.Locks }

// Wait implements cluster.Owner.
func (o owner) Wait(ctx context.Context) lock.Wait { return o.c.LockWait(ctx) }

// Mode implements cluster.Owner. A block that may write begins to write at once, and so does a procedure.
func (o owner) Mode(write bool) store.Mode {
	c := o.c
	validated, ordered := c.Consistency().validated()
	write = write || (c.block || c.Inner || ordered) && c.MayWrite()
	m := store.Mode{ReadOnly: !write, Validated: validated, Serializable: ordered, Applied: c.applied}
	if !write && !c.oneState() {
		m.Eventual, m.Stale = o.eventual(), c.of.Settings.RowCache
	}
	return c.mode(m)
}

// NextStatement lets the statements from now on see what has been committed, unless the level of isolation keeps the
// transaction to one state.
func (c *Current) NextStatement() {
	if c.Txn() != nil && !c.Fixed() {
		c.Refresh()
	}
}

// Shared says whether other processes use the store, too.
func (c *Current) Shared() bool { return c.of.Node.Shared() }

// Fixed says whether the transaction keeps to one state of the store.
func (c *Current) Fixed() bool {
	level, _ := c.of.Settings.Get(settings.IsolationName)
	return !strings.HasPrefix(level, "read ")
}

// serializable says whether the transaction is to be in an order with others that are, which those of a store with
// snapshots are not by themselves.
func (c *Current) serializable() bool {
	level, _ := c.of.Settings.Get(settings.IsolationName)
	return level == "serializable" && c.of.Node.Store.Capabilities().Snapshots
}

// oneState says whether each query is promised one state of the store, so that it must not read rows as they were some
// time ago.
func (c *Current) oneState() bool { return c.Fixed() || c.of.Settings.ConsistentStatements }

// eventual says which reads may miss the last commits in a transaction that only reads, and is promised nothing. Where
// they would not be cheaper none may.
func (o owner) eventual() eventual.Reads {
	switch c := o.c; {
	case !c.of.Node.Store.Capabilities().Units:
		return eventual.Never
	case c.of.Settings.Eventual:
		return eventual.Always
	}
	return eventual.Spaces
}

// Order implements cluster.Owner.
func (o owner) Order() cluster.Order {
	switch {
	case !o.c.serializable():
		return cluster.Unordered
	case o.c.Consistency().deferrable():
		return cluster.Deferred
	}
	return cluster.Serializable
}

// Charge implements cluster.Owner.
func (o owner) Charge(txn store.Txn) store.Txn { return &charge.Txn{Txn: txn, Account: o.c.of.Memory} }

// Now implements cluster.Owner.
func (o owner) Now() time.Time { return o.c.of.Running.Now() }

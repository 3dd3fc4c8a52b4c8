// Package executor runs a plan in a transaction: rows come out, or are written.
//
// An operator is a function over streams of batches. Its state is its local variables,
// and it reads its input only as far as its own rows are wanted. What must stay true: no
// statement sees its own writes, and every index holds exactly one entry for each row, or if
// it is Loose, that one and perhaps others.
package executor

import (
	"context"
	"fmt"
	"iter"

	"zproxy/catalog"
	"zproxy/catalog/extent"
	"zproxy/catalog/tally"
	"zproxy/expr"
	"zproxy/internal/cpu"
	"zproxy/internal/memory"
	"zproxy/planner/firing"
	"zproxy/planner/plan"
	"zproxy/planner/referential"
	"zproxy/store"
	"zproxy/types"
)

// Rows is a stream of batches. An error is the last thing that it yields. A consumer may
// stop early; the producer then releases what it holds. A batch is the producer's and
// reused, but the consumer may change it while it has it; its values may be kept.
type Rows = iter.Seq2[*types.Batch, error]

// Env is what one run of a plan needs.
type Env struct {
	Txn     store.Txn
	Expr    *expr.Context
	Store   store.Capabilities
	Tables  *Tables       // shared by all sessions
	Profile *plan.Profile // nil, unless what the run takes is wanted node by node
	// Total is where all nodes count together without a Profile; nil: they are not counted.
	Total  *plan.NodeProfile
	Memory *memory.Account // of the session, which the statement is charged to; nil: it is not charged
	// Task lets other statements go on; it is shared with what Expr asks for interrupts.
	Task *cpu.Task
	// Locks lock rows that the run writes or is to lock; nil: the caller sees to it that no other writes them.
	Locks RowLocks
	Bounds
	Given
	Rules
	// Resume is where a run of a plan.Resumable begins, and how far it is; nil for other plans.
	Resume *Resume
	division
	state
}

// division is what scans read in the place of what they ask for, and what they leave out.
type division struct {
	// parts are the ranges that scans of a whole space read in its place; nil: it is read as one.
	parts []store.Range
	part  *store.Range // the range that a worker reads in the place of what its scan has; nil: it is none
	// built are the build sides of hash joins that are read before workers probe them.
	built map[*plan.JoinMethod]*builtSide
	// pushed are the tests that nodes have for the rows of scans below them.
	pushed map[*plan.Access][]pushed
}

// Bounds are what a run may take.
type Bounds struct {
	// WorkMemory is how many bytes a sort or a hash join holds before it goes to files, and
	// MaxMemory how many the whole statement may hold; 0 is the default.
	WorkMemory, MaxMemory int64
	TempDir               string // where those files are; empty: where the system has its own
	// MaxRead is how many keys the scans and lookups may examine together; 0: any number.
	MaxRead int64
	// MaxUnits is how many read units these may be charged together; 0: any number.
	MaxUnits int64
	// MaxWrites is how many write units the writes may be charged when they are committed; 0: any number.
	MaxWrites int64
	// Parallel is how many scans may be under way at once. Above 1 the transaction must do
	// nothing else but read until the rows are read to their end, or given up.
	Parallel int
	// Workers are how many parts of a scan may be computed at once, where Parallel may be above 1; below 2: none is.
	Workers int
}

// Given is what a client gives to a statement that writes.
type Given struct {
	Stream Rows         // what a plan.Stream delivers, row by row
	Rows   []Rows       // and what those with numbers do
	Line   func() int64 // of the client's data, from which Stream has its last row
	// Blind, if it is there, lets a node that may write blindly do so, and notes that.
	Blind *BlindWrite
}

// Rules are what the session says of tables.
type Rules struct {
	// ReadsAll is asked before a scan reads all of a table that its access path does not read
	// as a whole; an error ends the statement. Nil: nothing is asked.
	ReadsAll func(plan.Scan) error
	// Hides says whether errors must not show values of a table's rows; nil: none.
	Hides func(t *catalog.Table) bool
	// System computes the rows of a relation of the system. A row may be reused for the
	// next one. With keys, rows of others may be left out.
	System func(v *catalog.Virtual, keys []uint32) iter.Seq2[types.Row, error]
	// Later, if set, is a transaction: rows that are to be locked are not, and come out only if others have written
	// them later than it sees.
	Later store.Txn
	// References is what the session does for foreign keys; nil: they are checked at once, and nothing refers to what
	// is written.
	References referential.Session
	// Sorted says that the rows are new, and that the transaction finds those with equal keys by itself.
	Sorted   bool
	Triggers firing.Session // nil: none fires
	// Fired, if set, is told what triggers took.
	Fired *firing.Profile
	// Noted, if set, is what earlier runs of the same statement have noted of its changes.
	Noted *extent.Noted
	// Thought is what the run was thought to take; nil: that is not known.
	Thought Thought
	// Saw, if set, is called when a scan was read to its end, with the rows that it delivered. It may be called by
	// several goroutines.
	Saw func(s plan.Scan, rows int64)
}

// state is how far a run is.
type state struct {
	memory     account
	made       hold // by expressions, for the batches that are on their way
	subqueries subqueries
	refs       map[int]func() Rows // what the Refs of a number read
	memos      map[int]*memo       // of the Memoizes of a number
	overlap
	sharing sharing
	unread  plan.NodeProfile
	metering
	keys    *keyQueue // of foreign keys that are to be checked; nil: none
	extras  *extraQueue
	firings *firings // of triggers; nil: none
	outer   *Env     // of the statement whose foreign keys this one keeps; nil: it is the client's or a function's own
	// Tally is how many rows of which tables the run has changed so far.
	Tally tally.Log
}

// Run runs a plan that delivers rows.
func Run(ctx context.Context, n plan.Node, env *Env) Rows {
	f := frame{ctx: ctx, env: env}
	f.bind()
	if env.Txn != nil {
		if err := env.Txn.AwaitDurable(ctx); err != nil {
			return failed(err)
		}
	}
	return func(yield func(*types.Batch, error) bool) {
		defer f.env.release()
		for batch, err := range f.top(n) {
			if !yield(batch, err) || err != nil {
				return
			}
			f.env.made.release() // see source
		}
		if err := (keyKeeper{f}).keepAll(); err != nil {
			yield(nil, err)
		}
	}
}

// release gives back what is held until a run ends.
func (e *Env) release() {
	e.made.release()
	e.subqueries.kept.release()
	e.overlap.held.release()
	for _, m := range e.memos {
		m.held.release()
	}
}

// Write runs a plan that writes, and says how many rows it wrote and what it returns of
// them. The writes are in the transaction, which the caller commits. The rows come also when the context has ended:
// the commit may have been made.
func Write(ctx context.Context, n plan.Node, env *Env) (int64, Rows, error) {
	env.Parallel = 1
	env.Noted.Again()
	f := frame{ctx: ctx, env: env}
	f.bind()
	defer env.release()
	back := newReturned(f, n)
	count, err := f.write(n, back)
	if err == nil {
		err = keyKeeper{f}.keepAll()
	}
	f.ctx = context.WithoutCancel(ctx)
	return count, listed(f, back.kept.width, back.rows), err
}

// write runs a node that writes. What it returns depends on nothing that is not durable.
func (f frame) write(n plan.Node, back *returned) (int64, error) {
	count, err := f.writeWith(n, back)
	if err == nil && back.exprs != nil {
		err = f.env.Txn.AwaitDurable(f.ctx)
	}
	return count, err
}

func (f frame) writeWith(n plan.Node, back *returned) (int64, error) {
	if _, with := n.(plan.With); !with {
		f.env.itemCounts = itemCounts{writes: n}
	}
	return f.profileWrite(func() (int64, error) {
		return firer{f}.around(n, func() (int64, error) { return writeOne(f, n, back) })
	})
}

func writeOne(f frame, n plan.Node, back *returned) (int64, error) {
	switch n := n.(type) {
	case plan.Insert:
		return insert(f, n, back)
	case plan.Update:
		return update(f, n, back)
	case plan.Delete:
		return remove(f, n, back)
	case plan.MergeInto:
		return mergeInto(f, n, back)
	case plan.Instead:
		return instead(f, n, back)
	case plan.WriteEach:
		return writeEach(f, n, back)
	case plan.With:
		finish, done := f.common(n)
		defer done()
		count, err := f.below(n.Query).writeWith(n.Input, back)
		if err == nil {
			err = finish()
		}
		return count, err
	}
	return 0, fmt.Errorf("%T is no node that writes", n)
}

// frame is what one node of a plan runs in.
type frame struct {
	ctx    context.Context
	env    *Env
	number int // of the node in preorder
}

// input runs a node below. Those before it among the inputs, with all below them, are in
// the places between.
func (f frame) input(n plan.Node, before ...plan.Node) Rows { return rows(f.below(before...), n) }

// below is the frame of an input.
func (f frame) below(before ...plan.Node) frame {
	f.number++
	if f.env.Profile != nil {
		for _, b := range before {
			f.number += plan.CountNodes(b)
		}
	}
	return f
}

// rows runs a node.
func rows(f frame, n plan.Node) Rows {
	return f.profileRows(f.profileOpen(func() Rows { return operator(f, n) }))
}

func operator(f frame, n plan.Node) Rows {
	switch n := n.(type) {
	case plan.Scan:
		return f.source(needed(f, n, f.seen(n, scan(f, n))))
	case plan.Project:
		return project(f, n)
	case plan.Filter:
		return filter(f, f.input(n.Input), []expr.Expr{n.Cond}, &f.profile().Removed)
	case plan.Barrier:
		return f.input(n.Input)
	case plan.Gather:
		return gather(f, n)
	case plan.Limit:
		return limitNode(f, n)
	case plan.Sort:
		return f.source(sort(f, n))
	case plan.Nearest:
		return f.source(nearest(f, n))
	case plan.Values:
		return f.source(values(f, n))
	case plan.Aggregate:
		return f.source(aggregate(f, n))
	case plan.GroupingSets:
		return f.source(groupingSets(f, n))
	case plan.Distinct:
		return distinct(f, n)
	case plan.Memoize:
		return memoize(f, n)
	case plan.LockRows:
		return lockRows(f, n)
	case plan.Stream:
		if n.Number > 0 {
			return f.source(f.env.Rows[n.Number-1])
		}
		return f.source(f.env.Stream)
	case plan.Window:
		return f.source(windowed(f, n))
	case plan.FunctionScan:
		return f.source(functionScan(f, n))
	case plan.ProjectSet:
		return projectSet(f, n)
	case plan.Virtual:
		return f.source(virtual(f, n))
	}
	return combination(f, n)
}

// combination runs a node that makes one stream of several.
func combination(f frame, n plan.Node) Rows {
	switch n := n.(type) {
	case plan.Join:
		return join(f, n)
	case plan.Append:
		return appended(f, n)
	case plan.SetOp:
		return setOp(f, n)
	case plan.With:
		return with(f, n)
	case plan.Ref:
		return f.source(ref(f, n))
	case plan.Recursion:
		return recursion(f, n)
	case plan.Keys:
		return mergedKeys(f, n)
	}
	return failed(fmt.Errorf("%T is no node that delivers rows", n))
}

// failed delivers nothing but an error.
func failed(err error) Rows {
	return func(yield func(*types.Batch, error) bool) { yield(nil, err) }
}

// nothing delivers no rows.
func nothing(func(*types.Batch, error) bool) {}

// canceled says why the statement is to stop, nil when it is not. It is asked at least once a batch.
func (f frame) canceled() error {
	f.env.Task.Yield(f.ctx)
	if f.ctx.Err() != nil {
		return context.Cause(f.ctx)
	}
	return nil
}

// canceledAt is canceled in a loop over rows, by the number of the present one.
func (f frame) canceledAt(number int) error {
	if number%types.BatchRows != 0 {
		return nil
	}
	return f.canceled()
}

// interruptible lets the end of the context end expressions, too, unless something else does.
func (f frame) interruptible() {
	if c := f.env.Expr; c.Interrupt == nil {
		c.Interrupt = f.canceled
	}
}

// storeError tells a failure of the store from one that the end of the context made.
func (f frame) storeError(err error, what, name string) error {
	if cause := f.canceled(); cause != nil {
		return cause
	}
	return fmt.Errorf("%s %s: %w", what, name, err)
}

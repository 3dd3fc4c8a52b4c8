package copy

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"zproxy/catalog"
	"zproxy/cluster"
	"zproxy/cluster/failure"
	"zproxy/cluster/lock"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/expr/work"
	"zproxy/optimizer/cost"
	"zproxy/planner/plan"
	"zproxy/planner/stored"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// On a store whose transactions are small a COPY outside of a block is a load: its rows are written
// in parts, each in a transaction of its own, several at once. The session's goroutine reads the data
// and stages rows. A window of them is shuffled before it is cut into parts, so that the parts
// at work go to all partitions, also where the data is in the order of the key.

const (
	// windowRows and windowBytes bound what is shuffled together, whichever is reached first. As much
	// again may wait to be written.
	windowRows  = 4096
	windowBytes = 4 << 20
	// singleItemRows is how many rows are written together where each stands for itself.
	singleItemRows = 500
	// firstWorkers write at once before it shows how many the store bears.
	firstWorkers = 4
)

// LoadsInParts says whether the rows of a COPY may be written in parts: where a transaction may not be large, and
// nothing is promised but that a row is there or is not. That nothing else is part of the transaction is for the
// session to know.
func LoadsInParts(planned plan.Node, c store.Capabilities) bool {
	n, ok := planned.(plan.Insert)
	return ok && c.MostTogether > 0 &&
		n.Conflict == plan.ConflictError && !n.Overwrite && n.Returning == nil && len(plan.Subqueries(n)) == 0 &&
		!n.FiresAny() &&
		!slices.ContainsFunc(n.To, refersToItself)
}

// StandsAlone says whether each row that an Insert puts stands alone: whether it may be there depends on no other row,
// nor does anything else depend on it.
func StandsAlone(n plan.Insert) bool {
	return n.Partitions == nil && n.Conflict == plan.ConflictError && !n.Overwrite && n.Returning == nil &&
		len(plan.Subqueries(n)) == 0 && !n.FiresAny() && len(n.To) == 0 && len(n.From) == 0 &&
		n.Table.KeyName() == "" &&
		!slices.ContainsFunc(n.Table.Indexes, func(x catalog.Index) bool { return x.Unique })
}

// refersToItself says whether a row may refer to another one of the same data, which may be in another part.
func refersToItself(r plan.Reference) bool { return r.Child.ID == r.Parent.ID }

// Load is what writing in parts needs besides the rows.
type Load struct {
	Node        *cluster.Node
	LockTimeout time.Duration
	Locks       *lock.Owner   // has a lock of the table
	Hold        *cluster.Hold // of the table; nil: it is not held
}

// Run writes the rows of an input in parts, and says how many were written and what that took, also with an error.
func (l *Load) Run(
	ctx context.Context, planned plan.Node, env *executor.Env, in *Input,
) (int64, plan.NodeProfile, error) {
	n, ok := planned.(plan.Insert)
	if !ok {
		return 0, plan.NodeProfile{}, errors.New("the plan of a COPY is no Insert any more")
	}
	in.inParts = true
	env.Stream, env.Line, env.Parallel = in.Rows(ctx), in.Line, 1
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := &loadRun{Load: l, into: n, env: env, values: *env.Expr.Env, input: in}
	for _, c := range n.Table.Columns {
		r.columns = append(r.columns, c.ID)
	}
	bound := max(env.Store.Parallel, 1)
	if in.workers > 0 {
		bound = in.workers
	}
	r.pool = newWorkerPool(ctx, bound, r.write)
	r.pool.charge = env.MaxWrites
	err := r.stage(ctx, partRows(n, env.Store), !in.inOrder)
	done := r.pool.finish(err != nil)
	if done.err != nil && (err == nil || errors.Is(err, errPart)) {
		err = notAtLine(failure.Explain(ctx, l.known(), done.err), n.Table.Name)
	}
	return done.written, done.used, done.counted(failure.Explain(ctx, l.known(), err))
}

// known is what errors of the store are explained by.
func (l *Load) known() failure.Known {
	return failure.Known{Catalog: l.Node.Snapshot(), Heat: l.Node.Heat}
}

// loadRun is one COPY that writes in parts.
type loadRun struct {
	*Load
	into    plan.Insert
	columns []uint32      // of the table, by which rows are known
	env     *executor.Env // of the session, which stages rows
	values  types.Env
	input   *Input
	pool    *workerPool
}

// notAtLine is an error about a part, which is not about the line at which the data is being read.
func notAtLine(err error, table string) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || e.Where != "" || errors.As(err, new(*executor.LineError)) {
		return err
	}
	c := *e
	c.Where = "COPY " + table
	return &c
}

// errPart ends the reading of data when a part could not be written.
var errPart = errors.New("a part of the rows could not be written")

// singleItems says whether each row of a version of a table stands for itself: it is one item, which needs no other.
func singleItems(t *catalog.Table) bool {
	return t.Space.In == nil && t.Primary.Random() == nil && !slices.ContainsFunc(t.Indexes,
		func(x catalog.Index) bool { return x.State.Deletes() })
}

// single says whether that is so for the table that an Insert puts rows into, and for its partitions.
func single(n plan.Insert) bool {
	if n.Partitions != nil && slices.ContainsFunc(n.Partitions.Of,
		func(p plan.Indexed) bool { return !singleItems(p.Table) }) {
		return false
	}
	return singleItems(n.Table)
}

// singleIn says whether that is so in a schema.
func singleIn(schema *catalog.Snapshot, n plan.Insert) bool {
	t, ok := schema.ByID(n.Table.ID).(*catalog.Table)
	return ok && !slices.ContainsFunc(append(schema.Descendants(t.ID), t),
		func(t *catalog.Table) bool { return !singleItems(t) })
}

// partRows is how many rows are written together, which depends on how many items one of them is written to.
func partRows(n plan.Insert, c store.Capabilities) int {
	if single(n) {
		return singleItemRows
	}
	items := 0
	for _, step := range cost.WorkOf(n, false, c.Loose)[0].Steps {
		if step.Together() {
			items += step.Times
		}
	}
	return max(c.MostTogether/max(items, 1), 1)
}

// stage reads the data, window by window, and hands parts to the workers.
func (r *loadRun) stage(ctx context.Context, size int, shuffled bool) error {
	random := rand.New(rand.NewPCG(uint64(r.into.Table.ID), 0)) // any order does, as long as it is none
	var window []executor.Staged
	bytes := int64(0)
	flush := func() error {
		if shuffled {
			random.Shuffle(len(window), func(i, j int) { window[i], window[j] = window[j], window[i] })
		}
		for rows := range slices.Chunk(window, size) {
			slices.SortFunc(rows, func(a, b executor.Staged) int { return int(a.Line - b.Line) })
			if !r.pool.take(newPart(rows)) {
				return errPart
			}
		}
		window, bytes = nil, 0
		return nil
	}
	for row, err := range executor.Stage(ctx, r.into, r.env, windowRows) {
		if err == nil && r.pool.failed() {
			err = errPart
		}
		if err != nil {
			return err
		}
		window, bytes = append(window, row), bytes+row.Bytes
		if len(window) < windowRows && bytes < windowBytes {
			continue
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return flush()
}

// begin begins a transaction for a part. How the table that it sees lets rows be written is decided for each part
// anew: the schema may have moved on since they were staged.
func (r *loadRun) begin(ctx context.Context, p *part, used *plan.NodeProfile) (store.Txn, plan.Insert, error) {
	for {
		alone := singleIn(r.Node.Snapshot(), r.into)
		txn, schema, err := r.Node.Begin(ctx, store.Mode{NonAtomic: alone, Stats: &used.Stats})
		if err != nil {
			return nil, r.into, fmt.Errorf("begin: %w", err)
		}
		n, err := r.insert(schema)
		if most := partRows(n, r.env.Store); err == nil && len(p.rows) > most {
			err = &tooMany{most}
		}
		switch {
		case err == nil && single(n) == alone:
			return txn, n, nil
		case err != nil:
			txn.Rollback()
			return nil, n, err
		}
		txn.Rollback() // it has changed in between
	}
}

// write makes one try at a part, and says how many of its rows are written by then.
func (r *loadRun) write(ctx context.Context, p *part, used *plan.NodeProfile) (int, error) {
	txn, n, err := r.begin(ctx, p, used)
	if err != nil {
		return 0, err
	}
	defer txn.Rollback()
	values, now := r.values, r.env.Expr.Statement
	scalars := &expr.Context{Env: &values, Transaction: now, Statement: now, Meter: work.Meter{Interrupt: ending(ctx)}}
	values.Work = scalars
	env := &executor.Env{
		Txn: txn, Tables: r.env.Tables, Store: r.env.Store, Total: used,
		Bounds: executor.Bounds{MaxMemory: r.env.MaxMemory},
		Expr:   scalars,
	}
	rows := p.rows
	if p.doubt {
		if rows, err = executor.Unwritten(ctx, n, p.rows, env); err != nil {
			return 0, err
		}
	}
	if len(rows) > 0 {
		if err := executor.Load(ctx, n, rows, env); err != nil {
			return 0, err
		}
		wait := lock.Wait{Ctx: ctx, Limit: r.LockTimeout, Owner: r.Locks}
		if err := r.Node.CommitRows(wait, txn, plan.Targets(n), r.Hold); err != nil {
			p.doubt = p.doubt || single(n) || errors.Is(err, store.ErrUnknown) ||
				errors.Is(err, store.ErrUnreachable)
			return 0, err
		}
		r.Node.Tally.Add(env.Tally)
	}
	r.input.tuples.Add(int64(len(p.rows)))
	return len(p.rows), nil
}

// ending tells why a context has ended, nil while it has not.
func ending(ctx context.Context) func() error {
	return func() error {
		if ctx.Err() == nil {
			return nil
		}
		return context.Cause(ctx)
	}
}

// insert is the Insert for the table as a transaction sees it. Staged rows need the columns that
// they were staged with, and have been held only against what was asked of them then.
func (r *loadRun) insert(schema *catalog.Snapshot) (plan.Insert, error) {
	n := r.into
	t, _ := schema.ByID(n.Table.ID).(*catalog.Table)
	switch {
	case t == n.Table && n.Partitions == nil:
		return n, nil
	case t == nil || len(t.Columns) != len(r.columns):
		return n, errSchemaMoved
	}
	for i, c := range t.Columns {
		if was := n.Table.Columns[i]; c.ID != r.columns[i] || !c.Type.Same(was.Type) || c.NotNull && !was.NotNull {
			return n, errSchemaMoved
		}
	}
	for _, c := range t.Checks {
		if at := n.Table.Check(c.Name); at < 0 || n.Table.Checks[at].Text != c.Text {
			return n, errSchemaMoved
		}
	}
	indexed, err := stored.In(schema).Indexed(t)
	indexed.Checks = n.Checks
	n.Keep(indexed)
	if n.Table = t; err == nil {
		n.Partitions, err = stored.In(schema).Partitions(t)
	}
	return n, err
}

// errSchemaMoved is about a table that changed while rows for it were on their way.
var errSchemaMoved = sqlerr.New(sqlerr.SerializationFailure, "the table was changed while rows were copied into it")

package session

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
	// apartRows is how many rows are written together where each stands for itself.
	apartRows = 500
	// firstWorkers write at once before it shows how many the store bears.
	firstWorkers = 4
)

// loads says whether a COPY is a load: where a transaction may not be large, and nothing is promised
// but that a row is there or is not.
func (s *Session) loads(p *Portal, st *Statement) bool {
	n, ok := st.plan.(plan.Insert)
	return ok && s.db.Store.Capabilities().MostWrites > 0 && p.last && s.txn.untouched() && s.repeatable() &&
		n.Conflict == plan.ConflictError && !n.Overwrite && n.Returning == nil && len(plan.Subqueries(n)) == 0
}

// load is one COPY that writes in parts.
type load struct {
	db      *DB
	into    plan.Insert
	columns []uint32 // of the table, by which rows are known
	wait    lock.Wait
	env     types.Env
	now     time.Time
	most    int64 // memory
	hold    *cluster.Hold
	pool    *workerPool
	told    *copying
}

// loadRows writes the rows of a COPY in parts, and says how many were written, also with an error.
func (s *Session) loadRows(ctx context.Context, st *Statement, rows copiedRows, o copyOptions) (int64, error) {
	if err := s.awaitTurn(ctx); err != nil {
		return 0, err
	}
	s.noteWrites(st.written, true) // so that changes of the schema wait for all of it
	planned, env, err := s.env(ctx, st, nil, true)
	if err != nil {
		return 0, err
	}
	n, ok := planned.(plan.Insert)
	if !ok {
		return 0, errors.New("the plan of a COPY is no Insert any more")
	}
	env.Stream, env.Line, env.Parallel = s.copyRows(ctx, rows, streamColumns(n)), rows.Line, 1
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	l := &load{db: s.db, into: n, wait: s.lockWait(ctx), env: s.settings.Env, now: env.Expr.Statement,
		most: s.settings.StatementMemory, hold: s.txn.Hold, told: s.copying.Load()}
	l.told.loads = true
	for _, c := range n.Table.Columns {
		l.columns = append(l.columns, c.ID)
	}
	bound := max(env.Store.Parallel, 1)
	if o.workers > 0 {
		bound = o.workers
	}
	l.pool = newWorkerPool(ctx, bound, l.write)
	err = l.stage(ctx, env, partRows(n, env.Store), !o.inOrder)
	written, used, failed := l.pool.finish(err != nil)
	s.running.used.Add(&used)
	if failed != nil && (err == nil || errors.Is(err, errPart)) {
		err = notAtLine(failure.Explain(ctx, s.db.Snapshot(), failed), n.Table.Name)
	}
	return written, l.counted(failure.Explain(ctx, s.db.Snapshot(), err), written)
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

// standApart says whether each row of a version of a table stands for itself: it is one item.
func standApart(t *catalog.Table) bool {
	return t.Primary.Random() == nil && !slices.ContainsFunc(t.Indexes,
		func(x catalog.Index) bool { return x.State.Deletes() })
}

// partRows is how many rows are written together, which depends on how many items one of them is written to.
func partRows(n plan.Insert, c store.Capabilities) int {
	if standApart(n.Table) {
		return apartRows
	}
	items := 0
	for _, step := range cost.WorkOf(n, false, c.Loose)[0].Steps {
		if writes := step.Do == cost.Put || step.Do == cost.Remove || step.Do == cost.Reserve; writes && !step.Apart {
			items += step.Times
		}
	}
	return max(c.MostWrites/max(items, 1), 1)
}

// stage reads the data, window by window, and hands parts to the workers.
func (l *load) stage(ctx context.Context, env *executor.Env, size int, shuffled bool) error {
	random := rand.New(rand.NewPCG(uint64(l.into.Table.ID), 0)) // any order does, as long as it is none
	var window []executor.Staged
	bytes := int64(0)
	flush := func() error {
		if shuffled {
			random.Shuffle(len(window), func(i, j int) { window[i], window[j] = window[j], window[i] })
		}
		for rows := range slices.Chunk(window, size) {
			slices.SortFunc(rows, func(a, b executor.Staged) int { return int(a.Line - b.Line) })
			if !l.pool.take(newPart(rows)) {
				return errPart
			}
		}
		window, bytes = nil, 0
		return nil
	}
	for r, err := range executor.Stage(ctx, l.into, env, windowRows) {
		if err == nil && l.pool.failed() {
			err = errPart
		}
		if err != nil {
			return err
		}
		window, bytes = append(window, r), bytes+r.Bytes
		if len(window) < windowRows && bytes < windowBytes {
			continue
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return flush()
}

// part is some rows that are written together.
type part struct {
	rows  []executor.Staged
	bytes int64
	// doubt says that rows may be there by a try of which the end is not known.
	doubt bool
	tries int
}

func newPart(rows []executor.Staged) *part {
	p := &part{rows: rows}
	for _, r := range rows {
		p.bytes += r.Bytes
	}
	return p
}

// tooMany are more rows than go into one part of the table as it is now.
type tooMany struct{ most int }

// Error implements error.
func (t *tooMany) Error() string {
	return fmt.Sprintf("more than %d rows: %v", t.most, store.ErrTooLarge)
}

// Unwrap makes it an ErrTooLarge.
func (t *tooMany) Unwrap() error { return store.ErrTooLarge }

// begin begins a transaction for a part. How the table that it sees lets rows be written is decided for each part
// anew: the schema may have moved on since they were staged.
func (l *load) begin(ctx context.Context, p *part, used *plan.NodeProfile) (store.Txn, plan.Insert, error) {
	for {
		now, _ := l.db.Snapshot().ByID(l.into.Table.ID).(*catalog.Table)
		apart := now != nil && standApart(now)
		txn, schema, err := l.db.Begin(ctx, store.Mode{Apart: apart, Stats: &used.Stats})
		if err != nil {
			return nil, l.into, fmt.Errorf("begin: %w", err)
		}
		n, err := l.insert(schema)
		if most := partRows(n, l.db.Store.Capabilities()); err == nil && len(p.rows) > most {
			err = &tooMany{most}
		}
		switch {
		case err == nil && standApart(n.Table) == apart:
			return txn, n, nil
		case err != nil:
			txn.Rollback()
			return nil, n, err
		}
		txn.Rollback() // it has changed in between
	}
}

// write makes one try at a part, and says how many of its rows are written by then.
func (l *load) write(ctx context.Context, p *part, used *plan.NodeProfile) (int, error) {
	txn, n, err := l.begin(ctx, p, used)
	if err != nil {
		return 0, err
	}
	defer txn.Rollback()
	local := l.env
	scalars := &expr.Context{Env: &local, Transaction: l.now, Statement: l.now, Meter: work.Meter{Interrupt: ending(ctx)}}
	local.Work = scalars
	env := &executor.Env{
		Txn: txn, Tables: l.db.tables, Store: l.db.Store.Capabilities(), Total: used, MaxMemory: l.most,
		Expr: scalars,
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
		wait := l.wait
		wait.Ctx = ctx
		if err := l.db.CommitRows(wait, txn, []*catalog.Table{n.Table}, l.hold); err != nil {
			p.doubt = p.doubt || standApart(n.Table) || errors.Is(err, store.ErrUnknown) ||
				errors.Is(err, store.ErrUnreachable)
			return 0, err
		}
	}
	l.told.tuples.Add(int64(len(p.rows)))
	return len(p.rows), nil
}

// insert is the Insert for the table as a transaction sees it. Staged rows need the columns that
// they were staged with, and have been held only against what was asked of them then.
func (l *load) insert(schema *catalog.Snapshot) (plan.Insert, error) {
	n := l.into
	t, _ := schema.ByID(n.Table.ID).(*catalog.Table)
	switch {
	case t == n.Table:
		return n, nil
	case t == nil || len(t.Columns) != len(l.columns):
		return n, errSchemaMoved
	}
	for i, c := range t.Columns {
		if was := n.Table.Columns[i]; c.ID != l.columns[i] || c.Type != was.Type || c.NotNull && !was.NotNull {
			return n, errSchemaMoved
		}
	}
	for _, c := range t.Checks {
		if at := n.Table.Check(c.Name); at < 0 || n.Table.Checks[at].Text != c.Text {
			return n, errSchemaMoved
		}
	}
	indexed, err := stored.In(schema).Indexed(t)
	n.Table, n.Holds = t, indexed.Holds
	return n, err
}

// errSchemaMoved is about a table that changed while rows for it were on their way.
var errSchemaMoved = sqlerr.New(sqlerr.SerializationFailure, "the table was changed while rows were copied into it")

// counted is an error with how many rows are there in spite of it, if any are.
func (l *load) counted(err error, written int64) error {
	var e *sqlerr.Error
	if !errors.As(err, &e) || written == 0 && !l.pool.doubt {
		return err
	}
	text := fmt.Sprintf("%d rows were written.", written)
	if l.pool.doubt {
		text = fmt.Sprintf("At least %d rows were written.", written)
	}
	if e.Detail != "" {
		text = e.Detail + "\n" + text
	}
	counted := e.WithDetail("%s", text)
	var line *executor.LineError
	if errors.As(err, &line) {
		return executor.AtLine(counted, line.Line)
	}
	return counted
}

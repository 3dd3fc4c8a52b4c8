package session

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"zproxy/cluster/lock"
	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/expr"
	"zproxy/expr/builtin/system"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/cursor"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// Ask is what an Execute asks for.
type Ask struct {
	MaxRows int  // 0 is all
	Last    bool // nothing follows in the implicit transaction
}

// runner runs portals.
type runner struct{ *Session }

// Execute runs a portal of the extended protocol.
func (s *Session) Execute(ctx context.Context, p *Portal, ask Ask, c Client) error {
	ctx, stop := s.bounds.Watch(ctx, s.settings.Sooner(s.settings.StatementTimeout))
	defer stop()
	if p.statement.tree == nil {
		return c.Done(Outcome{Empty: true})
	}
	if !transaction.Exits(p.statement.tree) {
		if err := s.txn.RefuseFailed(); err != nil {
			return err
		}
	}
	if !p.ran && !p.pos.Opened() && !transaction.Exits(p.statement.tree) {
		s.txn.NextStatement()
	}
	s.running.Start(&p.statement.subject, s.activate(p.statement.text))
	o, err := s.runner.answer(ctx, p, ask, c)
	err = s.db.explain(ctx, err)
	s.ends(p, o, err)
	if err != nil {
		return err
	}
	return c.Done(o)
}

// answer runs a portal and sends its rows, but not its end. The rows of a statement that
// writes are sent when they are there to stay, if that can be known: behind the last
// statement of an implicit transaction comes the commit.
func (s runner) answer(ctx context.Context, p *Portal, ask Ask, c Client) (Outcome, error) {
	if s.settings.Unwanted != nil {
		c = noticeFilter{c, s.settings.Unwanted}
	}
	before := s.calls
	s.calls.client, s.calls.mayEnd = c, !s.txn.InBlock() && !s.txn.Several
	o, err := s.answerTarget(ctx, p, ask, c)
	s.calls.client, s.calls.mayEnd = before.client, before.mayEnd
	if err == nil {
		s.settings.NoteInertClauses(p.clauses())
	}
	return o, cmp.Or(err, s.tell(c))
}

// answerTarget answers for the portal whose rows a portal has.
func (s runner) answerTarget(ctx context.Context, p *Portal, ask Ask, c Client) (Outcome, error) {
	p, err := s.target(ctx, p)
	if err != nil {
		return Outcome{}, err
	}
	p.last = ask.Last
	s.running.Of = &p.statement.subject
	if err := p.runnable(); err != nil {
		return Outcome{}, err
	}
	defer p.activate()()
	if p.isSelect() {
		o, err := s.selectRows(ctx, p, ask.MaxRows, c)
		return o, s.failed(ctx, p, err)
	}
	if !p.ran {
		if err := s.runOnce(ctx, p, ask.MaxRows > 0, c); err != nil {
			return Outcome{}, s.failed(ctx, p, err)
		}
	}
	if ask.Last {
		if err := s.retries.finish(ctx); err != nil {
			return Outcome{}, err
		}
	} else if s.retries.redo != nil {
		s.retries.redo.announced = true
	}
	return p.tell(ctx, ask.MaxRows, c)
}

// failed is the error of a portal, if any, as the client gets it.
func (s runner) failed(ctx context.Context, p *Portal, err error) error {
	if err == nil {
		return nil
	}
	p.failed = true
	err = s.txn.Consistency().Cause(ctx, err)
	s.running.Meet(err)
	return locate(err, p.statement.text)
}

// clauses are those of what a portal runs.
func (p *Portal) clauses() []ast.Clause {
	if p.inner != nil {
		p = p.inner
	}
	return p.statement.clauses
}

// activate says that a portal runs, until the answer is called.
func (p *Portal) activate() (end func()) {
	p.active = true
	return func() {
		p.active = false
		if p.closed {
			p.pos.Kept.Clear()
		}
	}
}

// runnable is the error about a portal that cannot be run again.
func (p *Portal) runnable() error {
	if !p.failed && !p.active && (!p.ran || p.Columns != nil) {
		return nil
	}
	return sqlerr.New(sqlerr.ObjectNotInPrerequisiteState, "portal %q cannot be run", p.name)
}

// target is the portal whose rows a portal has: its own, or that of the statement which
// an EXECUTE names.
func (s runner) target(ctx context.Context, p *Portal) (*Portal, error) {
	tree, ok := p.statement.tree.(*ast.ExecutePrepared)
	if !ok {
		return p, nil
	}
	if p.inner == nil {
		inner, err := s.executePrepared(ctx, tree, p)
		if err != nil {
			return nil, locate(err, p.statement.text)
		}
		p.inner = inner
	}
	return p.inner, nil
}

// runOnce runs a statement that is no SELECT. Rows that are not to be sent at once are
// kept in the portal.
func (s runner) runOnce(ctx context.Context, p *Portal, keep bool, c Client) error {
	kept := p.pos.List()
	if keep && p.Columns != nil {
		c = &keeping{Client: c, rows: &kept}
	}
	if err := s.notify(ctx, p, c); err != nil {
		return err
	}
	o, err := s.run(ctx, p, c)
	if err != nil {
		return err
	}
	p.ran, p.result = true, o
	p.pos.Fill(kept, len(p.Columns))
	return nil
}

// keeping keeps the rows that are sent to a client.
type keeping struct {
	Client
	rows *cursor.Rows
}

// Rows implements Client.
func (k *keeping) Rows(_ *Portal, rows *types.Batch) error {
	return k.rows.Add(rows)
}

// tell sends the rows that were kept of a statement that has run.
func (p *Portal) tell(ctx context.Context, maxRows int, c Client) (Outcome, error) {
	limit := limitOf(maxRows)
	if e := p.written; e != nil {
		p.result, p.written = counted(e.verb, e.count), nil
		if limit == cursor.All {
			return p.result, send(e.rows, p, c)
		}
		if err := p.pos.FillFrom(e.rows, len(p.Columns)); err != nil {
			return Outcome{}, err
		}
	}
	o := p.result
	n, err := p.pos.Forward(ctx, limit, func(b *types.Batch) error { return c.Rows(p, b) })
	switch {
	case err != nil:
		return Outcome{}, err
	case n == limit:
		return Outcome{Suspended: true, Count: n}, nil
	case o.Counted && p.pos.Kept.Len() > 0:
		o.Count = n
	}
	return o, nil
}

// send sends all rows of a portal.
func send(rows executor.Rows, p *Portal, c Client) error {
	for batch, err := range rows {
		if err != nil {
			return err
		}
		p.pos.Passed(batch.Len())
		if err := c.Rows(p, batch); err != nil {
			return err
		}
	}
	p.pos.End()
	return nil
}

func limitOf(maxRows int) int64 {
	if maxRows <= 0 {
		return cursor.All
	}
	return int64(maxRows)
}

// run runs a statement that is no SELECT.
func (s runner) run(ctx context.Context, p *Portal, c Client) (Outcome, error) {
	switch tree := p.statement.tree.(type) {
	case *ast.Insert:
		return s.change(ctx, p, "INSERT", "INSERT 0")
	case *ast.Update:
		return s.change(ctx, p, "UPDATE", "UPDATE")
	case *ast.Delete:
		return s.change(ctx, p, "DELETE", "DELETE")
	case *ast.Merge:
		return s.change(ctx, p, "MERGE", "MERGE")
	case *ast.Copy:
		return s.copying.copy(ctx, tree, p, c)
	case *ast.Explain:
		return s.explainer.explainPlan(ctx, tree, p, c)
	default:
		return s.utilities.utility(ctx, p, c)
	}
}

// run is one run of a statement.
type run struct {
	statement *Statement
	params    []types.Value
	write     bool
	shown     bool // EXPLAIN tells of its plan
}

// begin locks the tables of a statement, and gives the transaction of the store to run it in. The plan is made anew if
// the transaction sees another schema.
func (s runner) begin(ctx context.Context, st *Statement, write bool) (store.Txn, error) {
	if err := s.txn.LockTables(ctx, st.tables, lock.Block); err != nil {
		return nil, err
	}
	txn, err := s.txn.Store(ctx, write)
	if err != nil {
		return nil, err
	}
	return txn, s.planning.current(st)
}

// env is the plan of a statement for the values of a run, and what the run needs. The plan is made anew if the
// transaction sees another schema.
func (s runner) env(ctx context.Context, r run) (plan.Node, *executor.Env, error) {
	st := r.statement
	txn, err := s.begin(ctx, st, r.write)
	if err != nil {
		return nil, nil, err
	}
	if err := s.admission.allow(st); err != nil {
		return nil, nil, err
	}
	if !r.shown {
		if err := st.populated(); err != nil {
			return nil, nil, err
		}
	}
	space := s.reach.spaces.take()
	env := s.reach.know(&space.knowledge, ctx, r.params)
	n, err := s.admission.admit(st, env, r.shown)
	if err != nil {
		return nil, nil, err
	}
	saw := s.expect(st, n, env)
	host := env.Host.(*system.Host)
	host.Session.Query = st.text
	host.Session.Sleep = func(d time.Duration) error {
		return s.db.builds.Wait(func() error {
			return store.Sleep(ctx,
				d)
		})
	}
	out := s.executes(&space.run, txn, env)
	out.ReadsAll, out.Thought, out.Saw = s.admission.wholeSpace(st, env), s.thought(st, n, env), saw
	return n, out, nil
}

// executes is what any plan needs that runs in the transaction, in memory for it.
func (s runner) executes(in *executor.Env, txn store.Txn, values *expr.Context) *executor.Env {
	*in = executor.Env{
		Locks: rowLocks{&s.txn}, Txn: txn, Expr: values, Store: s.db.Store.Capabilities(), Tables: s.db.tables,
		Total: &s.running.Used, Memory: &s.bounds.Memory, Task: &s.bounds.Task,
		Bounds: executor.Bounds{
			WorkMemory: s.settings.WorkMemory, MaxMemory: s.settings.StatementMemory, TempDir: s.db.options.TempDir,
			MaxRead: s.settings.MaxRead, MaxUnits: s.settings.MaxUnits, MaxWrites: s.settings.MaxWrites,
		},
		Rules: executor.Rules{Hides: s.reach.bound.hides, System: s.reach.bound.system,
			References: foreignKeys{s.Session, in}, Triggers: triggers{s}},
	}
	in.Rows = s.calls.given
	return in
}

// selectRows sends rows of a SELECT.
func (s runner) selectRows(ctx context.Context, p *Portal, maxRows int, c Client) (Outcome, error) {
	if !p.pos.Opened() {
		if err := s.notify(ctx, p, c); err != nil {
			return Outcome{}, err
		}
	}
	if !p.pos.Opened() && s.txn.Consistency().OfQueries() && !p.statement.writes() {
		if err := s.readValid(ctx, p); err != nil {
			return Outcome{}, err
		}
	}
	s.txn.Answered = true
	if maxRows <= 0 && !p.pos.Opened() {
		n, env, err := s.wholeEnv(ctx, p, false)
		if err == nil {
			release := s.pin(p.statement, env)
			err = send(executor.Run(ctx, n, env), p, c)
			release()
			if p.statement.onlyReads() {
				s.reach.spaces.done(env)
			}
		}
		return counted("SELECT", p.pos.At), err
	}
	if err := s.open(ctx, p); err != nil {
		return Outcome{}, err
	}
	limit := limitOf(maxRows)
	n, err := p.pos.Forward(ctx, limit, func(b *types.Batch) error { return c.Rows(p, b) })
	switch {
	case err != nil:
		return Outcome{}, err
	case n == limit:
		return Outcome{Suspended: true, Count: n}, nil
	}
	p.pos.Close()
	return counted("SELECT", n), nil
}

// validPatience is how long a SELECT is read again until its rows are of one state of the store.
const validPatience = 30 * time.Second

// readValid reads all rows of a SELECT, until they are of one state of the store.
func (s runner) readValid(ctx context.Context, p *Portal) error {
	began := time.Now()
	for try := 1; ; try++ {
		n, env, err := s.wholeEnv(ctx, p, false)
		if err == nil {
			err = p.pos.FillFrom(executor.Run(ctx, n, env), len(p.Columns))
		}
		if err = s.txn.Consistency().Validate(ctx, err); err == nil {
			return nil
		}
		p.pos.Kept.Clear()
		if !errors.Is(err, store.ErrConflict) || time.Since(began) > validPatience || !s.txn.Consistency().Again() {
			return err
		}
		if err := retry.Pause(ctx, try); err != nil {
			return err
		}
	}
}

// wholeEnv is the plan and the env of a SELECT that is read to its end before the session does anything
// else, so that several scans may be under way at once if it does not write itself.
func (s runner) wholeEnv(ctx context.Context, p *Portal, shown bool) (plan.Node, *executor.Env, error) {
	n, env, err := s.selectEnv(ctx, p, shown)
	if err == nil && p.statement.onlyReads() {
		env.Parallel = cmp.Or(s.settings.ParallelScans, env.Store.Parallel)
		env.Workers = s.settings.Workers()
	}
	return n, env, err
}

// selectEnv is the plan and the env of a SELECT. One that locks rows writes in the eyes of the store, and
// one may have a WITH that writes.
func (s runner) selectEnv(ctx context.Context, p *Portal, shown bool) (plan.Node, *executor.Env, error) {
	st := p.statement
	if err := s.txn.RefuseWrites(st.locked, lockingName(st.tree)); err != nil {
		return nil, nil, err
	}
	if err := s.txn.RefuseWrites(st.written, "SELECT"); err != nil {
		return nil, nil, err
	}
	write := st.writes() || st.volatile && s.txn.MayWrite()
	n, env, err := s.env(ctx, run{statement: st, params: p.params, write: write, shown: shown})
	if write { // by the plan as it is now
		s.retries.forget() // it would not do this again
		s.txn.NoteWrites(st.locked, true)
		s.txn.NoteWrites(st.written, true)
	}
	s.txn.Touches(st.locked, st.written)
	return n, env, err
}

// lockingName is what a SELECT that locks rows is called in an error.
func lockingName(tree ast.Statement) string {
	if q, ok := tree.(*ast.Select); ok && len(q.Locking) > 0 {
		return "SELECT FOR " + strings.ToUpper(q.Locking[0].Strength)
	}
	return "SELECT FOR UPDATE"
}

// counted is the outcome of a statement that tells how many rows it was about.
func counted(verb string, rows int64) Outcome {
	return Outcome{Tag: verb, Count: rows, Counted: true}
}

// AppendTag appends the tag as clients see it.
func (o Outcome) AppendTag(dst []byte) []byte {
	dst = append(dst, o.Tag...)
	if o.Counted {
		dst = strconv.AppendInt(append(dst, ' '), o.Count, 10)
	}
	return dst
}

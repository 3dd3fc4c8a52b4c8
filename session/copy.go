package session

import (
	"context"
	"errors"
	"slices"

	"zproxy/catalog"
	"zproxy/cluster"
	"zproxy/cluster/lock"
	"zproxy/executor"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/copy"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// copying runs COPY.
type copying struct{ *Session }

// copy runs COPY. As in PostgreSQL, what it names is looked up when it runs: until then the
// table need not exist.
func (s copying) copy(ctx context.Context, tree *ast.Copy, p *Portal, c Client) (Outcome, error) {
	if tree.To {
		return s.copyTo(ctx, tree, p, c)
	}
	return s.copyFrom(ctx, tree, p, c)
}

// planCopied plans what a COPY reads or writes, with the schema that it will meet.
func (s copying) planCopied(ctx context.Context, p *Portal, tree ast.Statement, c Client) (*Statement, error) {
	_, reads := tree.(*ast.Select)
	writes := !reads && s.txn.MayWrite()
	if writes {
		if err := s.retries.pass(ctx); err != nil {
			return nil, err
		}
	}
	st := &Statement{source: source{tree: tree, part: tree, text: p.statement.text}, noParams: true}
	if err := s.planning.plan(st); err != nil {
		return nil, err
	}
	if _, err := s.runner.begin(ctx, st, writes); err != nil {
		return nil, err
	}
	if err := s.admission.allow(st); err != nil {
		return nil, err
	}
	return st, st.notify(c)
}

// copyFrom runs COPY FROM STDIN: rows of the client's data are written like those of an
// INSERT, all of them or none.
func (s copying) copyFrom(ctx context.Context, tree *ast.Copy, p *Portal, c Client) (Outcome, error) {
	if err := s.holdCopied(ctx, p, tree); err != nil {
		return Outcome{}, err
	}
	st, err := s.planCopied(ctx, p, tree, c)
	if err != nil {
		return Outcome{}, err
	}
	if err := s.runner.mayWrite(st, "COPY FROM"); err != nil {
		return Outcome{}, err
	}
	in, err := copy.NewInput(tree, st.plan)
	if err != nil {
		return Outcome{}, err
	}
	data, err := c.CopyIn(CopyFormat{Columns: in.Width(), Binary: in.Binary})
	if err != nil {
		return Outcome{}, err
	}
	if in.Freeze && !s.madeHere(plan.Target(st.plan)) {
		return Outcome{}, sqlerr.New(sqlerr.ObjectNotInPrerequisiteState,
			"cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction")
	}
	in.Open(data, s.Env(), s.Charset())
	defer s.activity.Copies(&in.Counter)()
	var n int64
	if s.loads(p, st) {
		n, err = s.load(ctx, st, in)
	} else {
		e := &execution{statement: st, stream: in.Rows(ctx), line: in.Line, verb: "COPY"}
		if e.into, err = s.newTable(ctx, st); err == nil {
			err = s.runner.write(ctx, e)
		}
		n = e.count
	}
	if err != nil {
		return Outcome{}, in.Locate(err)
	}
	return counted("COPY", n), nil
}

// loads says whether the rows of a COPY FROM are written in parts.
func (s copying) loads(p *Portal, st *Statement) bool {
	return copy.LoadsInParts(st.plan, s.db.Store.Capabilities()) && p.last && s.txn.Untouched() &&
		s.retries.repeatable()
}

// load writes the rows of a COPY FROM in parts, and says how many.
func (s copying) load(ctx context.Context, st *Statement, in *copy.Input) (int64, error) {
	if err := s.retries.pass(ctx); err != nil {
		return 0, err
	}
	s.txn.NoteWrites(st.written, true) // so that changes of the schema wait for all of it
	n, env, err := s.runner.env(ctx, run{statement: st, write: true})
	if err != nil {
		return 0, err
	}
	l := copy.Load{Node: s.db.Node, LockTimeout: s.settings.LockTimeout, Locks: s.txn.Locks, Hold: s.txn.Hold}
	written, used, err := l.Run(ctx, n, env, in)
	s.running.Used.Add(&used)
	return written, err
}

// madeHere says whether a table was created or truncated since the last savepoint.
func (s copying) madeHere(t *catalog.Table) bool {
	return slices.ContainsFunc(s.txn.Changed().Created(s.txn.LastSavepoint()),
		func(sp store.Space) bool { return sp.Name == t.TableSpace().Name })
}

// newTable is the table of a COPY that fills spaces which the transaction has made, and in which nothing is yet; nil:
// it is another one.
func (s copying) newTable(ctx context.Context, st *Statement) (*catalog.Table, error) {
	n, ok := st.plan.(plan.Insert)
	if !ok || !copy.StandsAlone(n) || s.txn.Txn() == nil || !s.txn.Txn().Adopt() {
		return nil, nil
	}
	made := s.txn.Changed().Created(nil)
	for _, space := range cluster.SpacesOf(n.Table) {
		if !slices.ContainsFunc(made, func(m store.Space) bool { return m.ID == space.ID }) {
			return nil, nil
		}
	}
	if empty, err := executor.Empty(ctx, s.txn.Txn(), s.db.tables, n.Table); err != nil || !empty {
		return nil, err
	}
	return n.Table, nil
}

// copyTo runs COPY TO STDOUT: the rows of a query are sent as data instead.
func (s copying) copyTo(ctx context.Context, tree *ast.Copy, p *Portal, c Client) (Outcome, error) {
	query, err := s.reach.planner(s.txn.Schema()).CopyQuery(tree)
	if err != nil {
		return Outcome{}, err
	}
	options, err := copy.ParseOptions(tree)
	if err != nil {
		return Outcome{}, err
	}
	st, err := s.planCopied(ctx, p, query, c)
	if err != nil {
		return Outcome{}, err
	}
	st.allowFiltering = p.statement.allowFiltering || tree.Query == nil // who copies a table wants all of it
	from := copy.Copied{Columns: st.Columns, All: st.Columns, Table: tree.Table.Name, Client: s.Charset()}
	if t, err := s.reach.planner(s.txn.Schema()).Table(tree.Table); err == nil && tree.Query == nil {
		from.All, from.OID = copy.VisibleColumns(t), t.ID
	}
	out, err := copy.NewOutput(&options, &from, s.Env())
	if err != nil {
		return Outcome{}, err
	}
	data, err := c.CopyOut(CopyFormat{Columns: len(st.Columns), Binary: options.Binary})
	if err == nil {
		err = out.Begin(data)
	}
	if err != nil {
		return Outcome{}, err
	}
	defer s.activity.Copies(&out.Counter)()
	inner := &Portal{Columns: st.Columns, Formats: make([]int16, len(st.Columns)), statement: st}
	if err := s.copyRowsOut(ctx, inner, copyingOut{c, out}); err != nil {
		return Outcome{}, err
	}
	return counted("COPY", out.Rows()), out.End()
}

// copyRowsOut runs the query of a COPY. Rows that a write returns are sent at once, so that
// it cannot run again should the commit meet a conflict.
func (s copying) copyRowsOut(ctx context.Context, inner *Portal, out copyingOut) error {
	if inner.isSelect() {
		_, err := s.runner.selectRows(ctx, inner, 0, out)
		return err
	}
	if _, err := s.runner.run(ctx, inner, out); err != nil {
		return err
	}
	s.retries.forget()
	_, err := inner.tell(ctx, 0, out)
	return err
}

// copyingOut is a client that is sent data instead of rows.
type copyingOut struct {
	Client
	out *copy.Output
}

// Rows implements Client.
func (o copyingOut) Rows(_ *Portal, rows *types.Batch) error { return o.out.Write(rows) }

// holdCopied holds the table of a COPY that is a transaction of its own, before it is planned. What a name means
// may change while it waits.
func (s copying) holdCopied(ctx context.Context, p *Portal, tree *ast.Copy) error {
	if !p.last || !s.txn.Untouched() || s.txn.ReadOnly() {
		return nil
	}
	if err := s.retries.pass(ctx); err != nil { // before: it would hold up the statement that insists
		return err
	}
	for {
		since := s.db.Snapshot()
		t, err := s.reach.planner(since).Table(tree.Table)
		if err != nil {
			if news, failed := s.db.Refresh(ctx, since); news && failed == nil {
				continue
			}
			return nil // planning tells what is wrong
		}
		// First: one that has the table locked may wait for the end of a hold.
		before := s.txn.Locks.Mark()
		if err := s.txn.LockTables(ctx, tableLocks(lock.RowExclusive, since.Leaves(t)), lock.Block); err != nil {
			return err
		}
		h, err := s.db.HoldTable(s.txn.LockWait(ctx), t.ID)
		if errors.Is(err, lock.ErrAwaited) {
			s.txn.Locks.RollbackTo(before) // then it waits for the lock, behind the change
			continue
		}
		if err != nil {
			return err
		}
		now, err := s.reach.planner(s.db.Snapshot()).Table(tree.Table)
		if err != nil || now.ID == t.ID {
			s.txn.Hold = h
			return nil
		}
		h.End()
	}
}

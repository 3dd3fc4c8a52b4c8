package session

import (
	"context"
	"math"
	"strconv"

	"zproxy/executor"
	"zproxy/parser"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// execution is one run of a statement that writes.
type execution struct {
	statement *Statement
	params    []types.Value
	stream    executor.Rows // of a COPY, which cannot be read twice
	count     int64
	told      bool // the client knows the count
}

// Query runs the statements of a simple query as one implicit transaction. The error is
// the one that the client is to see.
func (s *Session) Query(ctx context.Context, text string, c Client) error {
	ctx, stop := s.watch(ctx)
	defer stop()
	list, err := parser.Parse(text)
	if err != nil {
		s.Fail(err)
		return place(err, text)
	}
	if len(list) == 0 {
		return c.Done(Outcome{Empty: true})
	}
	for i, parsed := range list {
		if err := s.simple(ctx, parsed, text, i == len(list)-1, c); err != nil {
			s.Fail(err)
			return place(explain(ctx, err), text)
		}
	}
	return nil
}

// simple runs one statement of a simple query. The last one commits before the client
// hears that it is done.
func (s *Session) simple(ctx context.Context, parsed ast.Parsed, text string, last bool, c Client) error {
	st := &Statement{tree: parsed.Statement}
	if !st.endsTransaction() {
		if err := s.refuseFailed(); err != nil {
			return err
		}
	}
	st, err := s.prepare(parsed, text, nil)
	if err != nil {
		return err
	}
	if len(st.Params) > 0 {
		return sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $1")
	}
	p := &Portal{Columns: st.Columns, Formats: make([]int16, len(st.Columns)), statement: st}
	rows := &announcing{Client: c, columns: st.Columns}
	o, err := s.run(ctx, p, 0, rows)
	if err == nil {
		err = rows.announce()
	}
	if err != nil {
		return err
	}
	if last {
		if err := s.finish(ctx); err != nil {
			return err
		}
	} else if s.txn.redo != nil {
		s.txn.redo.told = true
	}
	return c.Done(o)
}

// announcing sends the columns of a statement before its first rows, or at its end: a
// statement that fails before it has rows should look as if it had failed to begin.
type announcing struct {
	Client
	columns []plan.Column
	done    bool
}

func (a *announcing) announce() error {
	if a.done || a.columns == nil {
		return nil
	}
	a.done = true
	return a.Client.Columns(a.columns)
}

// Rows implements Client.
func (a *announcing) Rows(p *Portal, rows *types.Batch) error {
	if err := a.announce(); err != nil {
		return err
	}
	return a.Client.Rows(p, rows)
}

// Execute runs a portal of the extended protocol, for at most maxRows rows; 0 is all.
func (s *Session) Execute(ctx context.Context, p *Portal, maxRows int, c Client) error {
	ctx, stop := s.watch(ctx)
	defer stop()
	if p.statement.tree == nil {
		return c.Done(Outcome{Empty: true})
	}
	if !p.statement.endsTransaction() {
		if err := s.refuseFailed(); err != nil {
			return err
		}
	}
	o, err := s.run(ctx, p, maxRows, c)
	if err != nil {
		return place(explain(ctx, err), p.statement.text)
	}
	if s.txn.redo != nil {
		s.txn.redo.told = true
	}
	return c.Done(o)
}

// run runs a statement and sends its rows, but not its end.
func (s *Session) run(ctx context.Context, p *Portal, maxRows int, c Client) (Outcome, error) {
	st := p.statement
	if err := st.notify(c); err != nil {
		return Outcome{}, err
	}
	switch tree := st.tree.(type) {
	case *ast.Select:
		return s.query(ctx, p, maxRows, c)
	case *ast.Insert:
		return s.change(ctx, p, "INSERT 0")
	case *ast.Update:
		return s.change(ctx, p, "UPDATE")
	case *ast.Delete:
		return s.change(ctx, p, "DELETE")
	case *ast.Copy:
		return s.copyFrom(ctx, tree, p, c)
	case *ast.Explain:
		return s.explainPlan(ctx, tree, p, c)
	default:
		return s.utility(ctx, p, c)
	}
}

// env is what a run of a statement's plan needs. The plan is made anew if the
// transaction sees another schema.
func (s *Session) env(ctx context.Context, st *Statement, params []types.Value, write bool) (*executor.Env, error) {
	txn, err := s.store(ctx, write)
	if err != nil {
		return nil, err
	}
	if err := s.current(st); err != nil {
		return nil, err
	}
	return &executor.Env{Txn: txn, Expr: s.context(params), Store: s.db.store.Capabilities(), Tables: s.db.tables}, nil
}

// query sends the rows of a SELECT.
func (s *Session) query(ctx context.Context, p *Portal, maxRows int, c Client) (Outcome, error) {
	if p.done {
		return Outcome{Tag: "SELECT 0"}, nil
	}
	sent := 0
	if maxRows > 0 || p.next != nil {
		return s.queryPart(ctx, p, maxRows, c)
	}
	env, err := s.env(ctx, p.statement, p.params, false)
	if err != nil {
		return Outcome{}, err
	}
	for batch, err := range executor.Run(ctx, p.statement.plan, env) {
		if err != nil {
			return Outcome{}, err
		}
		sent += batch.Len()
		if err := c.Rows(p, batch); err != nil {
			return Outcome{}, err
		}
	}
	p.done = true
	return Outcome{Tag: counted("SELECT", int64(sent))}, nil
}

// counted is the tag that tells how many rows a statement was about.
func counted(verb string, rows int64) string { return verb + " " + strconv.FormatInt(rows, 10) }

// queryPart sends some rows of a portal that can be suspended.
func (s *Session) queryPart(ctx context.Context, p *Portal, maxRows int, c Client) (Outcome, error) {
	if maxRows <= 0 {
		maxRows = math.MaxInt
	}
	if p.next == nil {
		env, err := s.env(ctx, p.statement, p.params, false)
		if err != nil {
			return Outcome{}, err
		}
		p.open(ctx, env)
	}
	defer context.AfterFunc(ctx, func() { p.cancel(context.Cause(ctx)) })()
	sent, more, err := p.pull(maxRows, c)
	switch {
	case err != nil:
		return Outcome{}, err
	case more:
		return Outcome{Suspended: true}, nil
	}
	p.close()
	return Outcome{Tag: counted("SELECT", int64(sent))}, nil
}

// change runs an INSERT, UPDATE or DELETE.
func (s *Session) change(ctx context.Context, p *Portal, verb string) (Outcome, error) {
	if p.done {
		return Outcome{Tag: verb + " 0"}, nil
	}
	p.done = true
	e := &execution{statement: p.statement, params: p.params}
	if err := s.write(ctx, e); err != nil {
		return Outcome{}, err
	}
	return Outcome{Tag: counted(verb, e.count)}, nil
}

// write runs a statement that writes, in the transaction.
func (s *Session) write(ctx context.Context, e *execution) error {
	env, err := s.env(ctx, e.statement, e.params, true)
	if err != nil {
		return err
	}
	env.Stream = e.stream
	if e.count, _, err = executor.Write(ctx, e.statement.plan, env); err != nil {
		return err
	}
	s.txn.redo = nil
	if s.txn.wrote == nil && !s.txn.block && e.stream == nil {
		s.txn.redo = e
	}
	s.txn.wrote = append(s.txn.wrote, plan.Target(e.statement.plan))
	return nil
}

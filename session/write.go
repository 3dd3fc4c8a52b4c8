package session

import (
	"context"

	"zproxy/catalog"
	"zproxy/catalog/extent"
	"zproxy/cluster"
	"zproxy/executor"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// execution is one run of a statement that writes.
type execution struct {
	statement *Statement
	params    []types.Value
	stream    executor.Rows        // of a COPY, which cannot be read twice
	line      func() int64         // of the data of a COPY
	into      *catalog.Table       // of a COPY, if the transaction has made its spaces and fills them
	last      bool                 // nothing follows in the implicit transaction
	blind     *executor.BlindWrite // what it has written without a look; nil: it may not
	table     *catalog.Table       // to which blind belongs
	verb      string
	count     int64
	rows      executor.Rows // of RETURNING
	announced bool          // the client knows the count
	noted     extent.Noted
}

// change runs an INSERT, UPDATE or DELETE.
func (s runner) change(ctx context.Context, p *Portal, name, verb string) (Outcome, error) {
	if err := s.mayWrite(p.statement, name); err != nil {
		return Outcome{}, err
	}
	p.written = &execution{statement: p.statement, params: p.params, verb: verb, last: p.last}
	return Outcome{}, s.write(ctx, p.written)
}

// mayWrite refuses a statement that writes in a transaction which only reads.
func (s runner) mayWrite(st *Statement, name string) error {
	if st.plan != nil && plan.FiresInstead(st.plan) {
		return s.txn.RefuseReadOnly(name)
	}
	return s.txn.RefuseWrites(st.written, name)
}

// write runs a statement that writes, in the transaction.
func (s runner) write(ctx context.Context, e *execution) error {
	if err := s.retries.pass(ctx); err != nil {
		return err
	}
	once := e.stream != nil || s.txn.Inner // it cannot be run again
	// Before it is known what the transaction sees, so that no change of the schema comes between.
	s.txn.NoteWrites(e.statement.written, once)
	n, env, err := s.env(ctx, run{statement: e.statement, params: e.params, write: true})
	if err != nil {
		return err
	}
	s.txn.NoteWrites(e.statement.written, once) // the plan may be another now
	env.Stream, env.Line, env.Blind, env.Noted = e.stream, e.line, s.blindWrite(e), &e.noted
	s.calls.fixed++
	defer func() { s.calls.fixed-- }()
	alone := s.txn.Untouched() && e.stream == nil // before the actions of foreign keys write, too
	if e.into == nil {
		e.count, e.rows, err = executor.Write(ctx, e.planOf(n), env)
	} else {
		err = s.fillTable(ctx, e, e.planOf(n), env)
	}
	blind := env.Blind != nil && env.Blind.Done
	if err == nil && blind { // it is the only statement of its transaction
		err = foreignKeys{Session: s.Session}.atEnd(ctx)
	}
	if err != nil {
		if blind && sqlerr.Has(err, sqlerr.ForeignKeyViolation) {
			s.txn.Rollback() // a key that is taken goes before a foreign key
			return s.write(ctx, e)
		}
		return err
	}
	s.retries.forget()
	if alone {
		s.retries.redo = e
	}
	s.txn.Wrote, s.txn.Tally = append(s.txn.Wrote, e.statement.written...), append(s.txn.Tally, env.Tally...)
	return nil
}

// fillTable writes the first rows of a table that the transaction has made.
func (s runner) fillTable(ctx context.Context, e *execution, n plan.Node, env *executor.Env) error {
	to := cluster.NewSpaces{Spaces: cluster.SpacesOf(e.into), Table: e.into}
	return s.txn.FillNew(ctx, to, func(in cluster.Filling) (err error) {
		env.Txn, env.Sorted = in, in.Sorted
		if in.Sorted {
			env.Locks = nil
		}
		e.count, e.rows, err = executor.Write(ctx, n, env)
		return err
	})
}

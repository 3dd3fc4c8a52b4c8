package session

import (
	"context"

	"zproxy/metrics"
	"zproxy/parser/ast"
	"zproxy/session/observe"
	"zproxy/session/transaction"
	"zproxy/types"
)

// Query runs the statements of a Query message as one implicit transaction. The error is
// the one that the client is to see.
func (s *Session) Query(ctx context.Context, text string, c Client) error {
	ctx, stop := s.bounds.Watch(ctx, s.settings.Sooner(s.settings.StatementTimeout))
	defer stop()
	s.portals.close("")
	s.statements.close("")
	s.running.StartNew(observe.Subject{Kind: metrics.Unparsed}, s.activate(text))
	defer s.deactivate()
	text, err := s.reach.conform(text)
	var list []query
	if err == nil {
		list, err = s.queries(text)
	}
	if err != nil {
		s.ends(nil, Outcome{}, err)
		s.Fail(err)
		return locate(err, text)
	}
	if len(list) == 0 {
		return c.Done(Outcome{Empty: true})
	}
	s.txn.Several = len(list) > 1
	defer func() { s.txn.Several = false }()
	for i := range list {
		s.running.Own = list[i].subject
		o, err := s.runner.simple(ctx, &list[i], text, i == len(list)-1, c)
		err = s.db.explain(ctx, err)
		s.running.StartNew(observe.Subject{}, s.ends(nil, o, err))
		if err == nil {
			err = c.Done(o)
		}
		if err != nil {
			s.Fail(err)
			return s.db.explain(ctx, err)
		}
	}
	return nil
}

// query is one statement of a Query message.
type query struct {
	tree    ast.Statement
	subject observe.Subject
	parsed  *ast.Parsed // nil: it is in the cache
	cached  *Statement  // nil: it is not
	alone   bool        // in its message, so that the cache may keep it
}

// queries are the statements of a text, from the cache if it is there.
func (s *Session) queries(text string) ([]query, error) {
	known := s.planning.findShape(text)
	if known != nil && known.statement != nil {
		st := known.statement
		return []query{{tree: st.tree, subject: st.subject.Like(s.cache.shape.Source), cached: st, alone: true}}, nil
	}
	list, err := s.reach.parse(text)
	out := make([]query, len(list))
	for i := range list {
		out[i] = query{tree: list[i].Statement, subject: observe.SubjectOf(&list[i], text), parsed: &list[i],
			alone: len(list) == 1 && known == nil}
	}
	return out, err
}

// planned is a statement of a Query message with its plan, and the values of its parameters.
func (s runner) planned(q *query, text string) (*Statement, []types.Value, error) {
	if q.alone {
		if st, params := s.fromShape(q, text); st != nil {
			return st, params, nil
		}
	}
	if q.parsed == nil {
		list, err := s.reach.parse(text)
		if err != nil {
			return nil, nil, err
		}
		q.parsed = &list[0]
	}
	st := newStatement(q.parsed, text)
	st.noParams = !explainsGeneric(q.tree)
	return st, nil, s.planning.plan(st)
}

// simple runs one statement of a Query message. The last one commits before the client
// hears that it is done.
func (s runner) simple(ctx context.Context, q *query, text string, last bool, c Client) (Outcome, error) {
	if !transaction.Exits(q.tree) {
		s.txn.NextStatement()
		if err := s.txn.RefuseFailed(); err != nil {
			return Outcome{}, err
		}
	}
	st, params, err := s.planned(q, text)
	if err != nil {
		return Outcome{}, locate(err, text)
	}
	p := &Portal{Columns: s.columns(st), statement: st, params: params}
	p.Formats = s.formats(p)
	rows := &announcing{Client: c, portal: p}
	o, err := s.answer(ctx, p, Ask{Last: last}, rows)
	if err == nil {
		err = rows.announce()
	}
	if err == nil && last {
		err = s.retries.finish(ctx)
	}
	return o, err
}

// formats are those of a portal of the simple protocol: text, but for the rows of a
// binary cursor.
func (s runner) formats(p *Portal) []int16 {
	if tree, ok := p.statement.tree.(*ast.Fetch); ok {
		if from, ok := s.portals.of[tree.Cursor]; ok && from.cursor && p.Columns != nil {
			return from.Formats
		}
	}
	return make([]int16, len(p.Columns))
}

// announcing sends the columns of a statement before its first rows, or at its end: a
// statement that fails before it has rows should look as if it had failed to begin.
type announcing struct {
	Client
	portal *Portal
	done   bool
}

func (a *announcing) announce() error {
	if a.done || a.portal.Columns == nil {
		return nil
	}
	a.done = true
	return a.Client.Columns(a.portal)
}

// Rows implements Client.
func (a *announcing) Rows(p *Portal, rows *types.Batch) error {
	if err := a.announce(); err != nil {
		return err
	}
	return a.Client.Rows(p, rows)
}

package session

import (
	"context"
	"iter"

	"zproxy/executor"
	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Portal is a statement with its parameters, perhaps half read.
type Portal struct {
	Columns []plan.Column
	Formats []int16 // of the columns, as the client asked for them

	name      string
	statement *Statement
	params    []types.Value
	next      func() (*types.Batch, error, bool) // of rows being pulled; nil before the first Execute with a limit
	stop      func()
	cancel    context.CancelCauseFunc // of the reading, which outlives one Execute
	rest      *types.Batch            // rows that were pulled and not sent
	done      bool
}

// Binding is what a portal is made of. Formats are the result formats as sent: none, one
// for all columns, or one for each.
type Binding struct {
	Statement *Statement
	Params    []types.Value
	Formats   []int16
}

// Bind makes a portal; the unnamed one is replaced.
func (s *Session) Bind(_ context.Context, name string, b Binding) error {
	if _, there := s.portals[name]; there && name != "" {
		return sqlerr.New(sqlerr.DuplicateCursor, "cursor %q already exists", name)
	}
	if !b.Statement.endsTransaction() {
		if err := s.refuseFailed(); err != nil {
			return err
		}
	}
	if err := s.current(b.Statement); err != nil {
		return place(err, b.Statement.text)
	}
	p := &Portal{name: name, Columns: b.Statement.Columns, statement: b.Statement, params: b.Params}
	switch len(b.Formats) {
	case 0:
		p.Formats = make([]int16, len(p.Columns))
	case 1:
		for range p.Columns {
			p.Formats = append(p.Formats, b.Formats[0])
		}
	case len(p.Columns):
		p.Formats = b.Formats
	default:
		return sqlerr.New(sqlerr.ProtocolViolation, "bind message has %d result formats but query has %d columns", len(b.Formats), len(p.Columns))
	}
	s.ClosePortal(name)
	s.portals[name] = p
	return nil
}

// Portal finds a portal.
func (s *Session) Portal(name string) (*Portal, error) {
	if p, ok := s.portals[name]; ok {
		return p, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidCursorName, "portal %q does not exist", name)
}

// ClosePortal forgets a portal and stops what it reads.
func (s *Session) ClosePortal(name string) {
	if p, ok := s.portals[name]; ok {
		p.close()
		delete(s.portals, name)
	}
}

// closePortals ends all portals, as the end of a transaction does.
func (s *Session) closePortals() {
	for name := range s.portals {
		s.ClosePortal(name)
	}
}

func (p *Portal) close() {
	if p.stop != nil {
		p.stop()
		p.cancel(nil)
		p.next, p.stop = nil, nil
	}
	p.done = true
}

// open begins to read rows that may be sent by several Executes.
func (p *Portal) open(ctx context.Context, env *executor.Env) {
	ctx, p.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	p.next, p.stop = iter.Pull2(executor.Run(ctx, p.statement.plan, env))
}

// pull sends at most limit rows and says how many it sent and whether there may be more.
func (p *Portal) pull(limit int, c Client) (sent int, more bool, err error) {
	out := types.NewBatch(len(p.Columns))
	for sent < limit {
		if p.rest == nil {
			batch, err, ok := p.next()
			if err != nil {
				return sent, false, err
			}
			if !ok {
				return sent, false, nil
			}
			p.rest = batch
		}
		out.Reset(len(p.Columns))
		n := min(limit-sent, p.rest.Len())
		for i := range n {
			out.Append(p.rest.Row(i))
		}
		p.drop(n)
		if err := c.Rows(p, out); err != nil {
			return sent, false, err
		}
		sent += n
	}
	return sent, true, nil
}

// drop forgets the first n rows that wait to be sent.
func (p *Portal) drop(n int) {
	left := types.NewBatch(p.rest.Width())
	for i := n; i < p.rest.Len(); i++ {
		left.Append(p.rest.Row(i))
	}
	p.rest = left
	if left.Len() == 0 {
		p.rest = nil
	}
}

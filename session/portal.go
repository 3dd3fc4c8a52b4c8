package session

import (
	"context"
	"slices"
	"time"

	"zproxy/executor"
	"zproxy/metrics"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/cursor"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// Portal is a statement with its parameters, perhaps half read: what Bind makes, and
// what DECLARE calls a cursor.
type Portal struct {
	Columns []plan.Column
	Formats []int16 // of the columns, as the client asked for them

	name      string
	made      time.Time // zero: it has no name
	number    int       // of the session's portals, in the order of their making
	statement *Statement
	params    []types.Value
	inner     *Portal      // of the prepared statement that an EXECUTE runs
	last      bool         // nothing follows in the implicit transaction
	sofar     *metrics.Run // what it took in the messages before; nil: nothing
	pos       cursor.Position
	resumes   *resumption // nil: it has no tokens
	unpin     func()      // ends the use of what it sees of the store; nil: it sees what its transaction sees
	progress
	lifetime
}

// progress is how far a portal has come.
type progress struct {
	ran     bool       // a statement that is no SELECT has run; its rows, if any, are kept
	result  Outcome    // of that
	written *execution // of that, if it wrote
	failed  bool       // it cannot be run again
	closed  bool       // it is known no more
	active  bool       // it is running: a FETCH may name the portal of a FETCH
}

// lifetime is how long a portal lives.
type lifetime struct {
	cursor bool // made by DECLARE
	hold   bool // WITH HOLD
	held   bool // the transaction that made it has ended
	looped bool // a loop of a function reads it
	spared bool // it runs what ends the transaction, and lives on
}

// Binding is what a portal is made of. Formats are the result formats as sent: none, one
// for all columns, or one for each. Located, if there is one, adds to an error about the value of a parameter which one
// that is.
type Binding struct {
	Statement *Statement
	Params    []types.Value
	Formats   []int16
	Located   func(err error, param int) error
}

// Bind makes a portal; the unnamed one is replaced.
func (s *Session) Bind(ctx context.Context, name string, b Binding) error {
	if !transaction.Exits(b.Statement.tree) {
		if err := s.txn.RefuseFailed(); err != nil {
			return err
		}
	}
	if err := s.Revalidate(b.Statement); err != nil {
		return err
	}
	if b.Located != nil && b.Statement.rules != nil {
		if err := b.check(s.reach.context(ctx, nil)); err != nil {
			return err
		}
	}
	p := &Portal{Columns: s.columns(b.Statement), statement: b.Statement, params: b.Params}
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
		return sqlerr.New(sqlerr.ProtocolViolation, "bind message has %d result formats but query has %d columns",
			len(b.Formats), len(p.Columns))
	}
	if name == "" {
		s.portals.close(name)
	}
	return s.portals.add(name, p)
}

// Portal finds a portal.
func (s *Session) Portal(name string) (*Portal, error) {
	if p, ok := s.portals.of[name]; ok {
		return p, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidCursorName, "portal %q does not exist", name)
}

// ClosePortal forgets a portal and stops what it reads.
func (s *Session) ClosePortal(name string) { s.portals.close(name) }

// close gives up what a portal has. Rows that are being sent stay until they are.
func (p *Portal) close() {
	p.closed = true
	p.pos.Close()
	p.letGo()
	if !p.active {
		p.pos.Kept.Clear()
	}
	if p.inner != nil {
		p.inner.close()
	}
}

// letGo ends the use of what a portal sees of the store, when it reads no more of that.
func (p *Portal) letGo() {
	if p.unpin != nil {
		p.unpin()
		p.unpin = nil
	}
}

// toBeHeld says whether a portal is to be read before the commit of its transaction, which it outlives.
func (p *Portal) toBeHeld() bool { return p.hold && !p.held }

// isSelect says whether the rows of a portal are read as they are asked for.
func (p *Portal) isSelect() bool {
	_, ok := p.statement.tree.(*ast.Select)
	return ok
}

// explainable says whether a portal is of a statement that EXPLAIN tells of.
func (p *Portal) explainable() bool {
	switch p.statement.tree.(type) {
	case *ast.Select, *ast.Insert, *ast.Update, *ast.Delete, *ast.Merge:
		return true
	}
	return false
}

// open begins to read the rows of a SELECT, once.
func (s runner) open(ctx context.Context, p *Portal) error {
	if p.pos.Opened() {
		return nil
	}
	n, env, err := s.selectEnv(ctx, p, false)
	if err != nil {
		return err
	}
	if p.statement.written == nil {
		env.Txn, p.unpin = store.Past(env.Txn) // statements that come between do not change what is read
	}
	if p.resumes != nil {
		if n, err = p.resumes.begin(n, env); err != nil {
			return err
		}
		p.pos.Delivered = env.Resume.Delivered
	}
	p.pos.Open(ctx, func(ctx context.Context) executor.Rows { return executor.Run(ctx, n, env) },
		len(p.Columns)+p.pos.Hidden)
	return nil
}

// reads says whether a portal is, or may begin, to read rows of a table.
func (p *Portal) reads(id uint32) bool {
	return p.isSelect() && !p.failed && !p.held &&
		slices.ContainsFunc(plan.Scans(p.statement.plan), func(scan plan.Scan) bool { return scan.Table.ID == id })
}

package session

import (
	"context"

	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/cursor"
	"zproxy/sqlerr"
	"zproxy/types"
)

// cursors declares, reads and closes the cursors of a session.
type cursors struct{ *Session }

// declare runs DECLARE CURSOR: a portal by another name, which sees what is there now.
func (s cursors) declare(ctx context.Context, tree *ast.DeclareCursor, p *Portal) error {
	if !tree.Hold && !s.txn.Several {
		if err := s.txn.OnlyIn("DECLARE CURSOR"); err != nil {
			return err
		}
	}
	st := *p.statement
	st.tree = tree.Query
	st.Columns = resultColumns(&st)
	c := &Portal{Columns: st.Columns, Formats: make([]int16, len(st.Columns)), statement: &st, params: p.params,
		lifetime: lifetime{cursor: true, hold: tree.Hold}}
	c.pos.Hidden = st.hidden()
	if tree.Binary {
		for i := range c.Formats {
			c.Formats[i] = 1
		}
	}
	switch {
	case tree.Scroll:
		c.pos.Scroll = cursor.AnyRows
	case !tree.NoScroll && st.locked == nil:
		c.pos.Scroll = cursor.FewRows
	}
	if tree.Resumable {
		var err error
		if c.resumes, err = s.resumption(ctx, tree, c); err != nil {
			return err
		}
		c.pos.Scroll = cursor.ForwardOnly
	}
	if err := s.portals.add(tree.Name, c); err != nil {
		return err
	}
	if err := s.runner.open(ctx, c); err != nil {
		s.portals.close(tree.Name)
		return err
	}
	return nil
}

// hidden is how many of the last columns of the plan of a cursor its rows do not have.
func (st *Statement) hidden() (n int) {
	for _, i := range st.identities {
		n += i.Keys
	}
	return n
}

// checkCursor refuses combinations that mean nothing.
func checkCursor(tree *ast.DeclareCursor, n plan.Node) error {
	if tree.Resumable && (tree.Hold || tree.Scroll) {
		return sqlerr.New(sqlerr.InvalidCursorDefinition, "a resumable cursor cannot be declared with %s",
			map[bool]string{true: "WITH HOLD", false: "SCROLL"}[tree.Hold])
	}
	option := ""
	switch {
	case plan.Locked(n) == nil:
		return nil
	case tree.Hold:
		option = "CURSOR WITH HOLD ..."
	case tree.Scroll:
		option = "SCROLL CURSOR ..."
	default:
		return nil
	}
	e := sqlerr.New(sqlerr.FeatureNotSupported, "DECLARE %s FOR UPDATE is not supported", option)
	if tree.Hold {
		return e.WithDetail("Holdable cursors must be READ ONLY.")
	}
	return e.WithDetail("Scrollable cursors must be READ ONLY.")
}

// fetch runs FETCH and MOVE.
func (s cursors) fetch(ctx context.Context, tree *ast.Fetch, p *Portal, c Client) (Outcome, error) {
	from, err := s.portals.cursor(tree.Cursor)
	if err != nil {
		return Outcome{}, err
	}
	if from == p {
		return Outcome{}, sqlerr.New(sqlerr.ObjectInUse, "cursor %q is already active", tree.Cursor)
	}
	verb, emit := "FETCH", func(b *types.Batch) error { return c.Rows(p, b) }
	if tree.Move {
		verb, emit = "MOVE", cursor.Skip
	}
	_, n, err := s.read(ctx, reading{from, tree, c}, emit)
	return counted(verb, n), err
}

// reading is what is read of a cursor.
type reading struct {
	from   *Portal
	to     *ast.Fetch
	client Client
}

// read goes where a FETCH or MOVE says, and emits the rows there. It gives the columns of the cursor.
func (s cursors) read(ctx context.Context, r reading, emit func(*types.Batch) error) ([]plan.Column, int64, error) {
	from, err := s.runner.target(ctx, r.from)
	if err != nil {
		return nil, 0, err
	}
	if err := from.runnable(); err != nil {
		return nil, 0, err
	}
	if from.Columns == nil {
		return nil, 0, sqlerr.New(sqlerr.InternalError, "unsupported portal strategy")
	}
	defer from.activate()()
	if err := s.ready(ctx, from, r.client); err != nil {
		from.failed = true
		return nil, 0, err
	}
	n, err := from.pos.Fetch(ctx, r.to, emit)
	from.failed = err != nil
	return from.Columns, n, err
}

// ready makes the rows of a portal ready to be read one after the other.
func (s cursors) ready(ctx context.Context, p *Portal, c Client) error {
	if p.isSelect() {
		return s.runner.open(ctx, p)
	}
	if p.ran {
		return nil
	}
	if err := s.runner.runOnce(ctx, p, true, c); err != nil || p.written == nil {
		return err
	}
	e := p.written
	p.result, p.written = counted(e.verb, e.count), nil
	return p.pos.FillFrom(e.rows, len(p.Columns))
}

// closeCursors runs CLOSE.
func (s cursors) closeCursors(name string, running *Portal) (Outcome, error) {
	if name != "" {
		return tag("CLOSE CURSOR", s.portals.drop(name))
	}
	for name, p := range s.portals.of {
		if p == running {
			continue
		}
		if err := s.portals.drop(name); err != nil {
			return Outcome{}, err
		}
	}
	return tag("CLOSE CURSOR ALL", nil)
}

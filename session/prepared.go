package session

import (
	"context"

	"zproxy/cluster/notify"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/host"
	"zproxy/sqlerr"
	"zproxy/types"
)

// prepareStatement runs PREPARE.
func (s utilities) prepareStatement(tree *ast.Prepare, text string) error {
	var params []types.OID
	for _, name := range tree.Types {
		t, err := s.planner(s.schema()).TypeNamed(name)
		if err != nil {
			return err
		}
		params = append(params, t.OID)
	}
	parsed := ast.Parsed{Statement: tree.Statement, Params: tree.Params, Notices: tree.Notices, Clauses: tree.Clauses,
		AllowFiltering: tree.AllowFiltering}
	st, err := s.planning().prepare(&parsed, text, params)
	if err != nil {
		return err
	}
	st.sql = true
	return s.addStatement(tree.Name, st)
}

// executePrepared makes the portal that an EXECUTE runs.
func (s runner) executePrepared(ctx context.Context, tree *ast.ExecutePrepared, p *Portal) (*Portal, error) {
	st, err := s.Statement(tree.Name)
	if err != nil {
		return nil, err
	}
	if len(tree.Args) != len(st.Params) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "wrong number of parameters for prepared statement %q", tree.Name).
			WithDetail("Expected %d parameters but got %d.", len(st.Params), len(tree.Args))
	}
	if _, err := s.store(ctx, false); err != nil {
		return nil, err
	}
	if err := s.planning().current(st); err != nil {
		return nil, place(err, st.text)
	}
	args, err := s.planner(s.schema()).Arguments(tree.Args, st.Params)
	if err != nil {
		return nil, err
	}
	inner := &Portal{Columns: st.Columns, Formats: p.Formats, statement: st, params: make([]types.Value, len(args))}
	known := s.context(ctx, nil)
	for i, arg := range args {
		if inner.params[i], err = arg.Eval(known, nil); err != nil {
			return nil, err
		}
	}
	inner.pos.ChargeTo(p.pos.Kept.Budget)
	if len(inner.Formats) != len(inner.Columns) {
		inner.Formats = make([]int16, len(inner.Columns))
	}
	return inner, nil
}

// columns are those of the rows that a statement delivers if it runs now.
func (s *Session) columns(st *Statement) []plan.Column {
	switch tree := st.tree.(type) {
	case *ast.ExecutePrepared:
		if of, ok := s.statements[tree.Name]; ok {
			return of.Columns
		}
		return nil
	case *ast.Fetch:
		if of, ok := s.portals[tree.Cursor]; ok && !tree.Move {
			return of.Columns
		}
		return nil
	}
	return st.Columns
}

// deallocate runs DEALLOCATE. The unnamed statement of the protocol stays.
func (s utilities) deallocate(name string) (Outcome, error) {
	if name == "" {
		s.deallocateAll()
		return tag("DEALLOCATE ALL", nil)
	}
	_, err := s.Statement(name)
	s.CloseStatement(name)
	return tag("DEALLOCATE", err)
}

func (s *Session) deallocateAll() {
	for name := range s.statements {
		if name != "" {
			s.CloseStatement(name)
		}
	}
}

// discard runs DISCARD.
func (s utilities) discard(ctx context.Context, what string, running *Portal) (Outcome, error) {
	switch what {
	case "all":
		if err := s.notInBlock("DISCARD ALL"); err != nil {
			return Outcome{}, err
		}
		s.cursors().closeAll(running)
		if err := s.settings.ResetAll(); err != nil {
			return Outcome{}, err
		}
		s.settings.Noticed = nil
		s.deallocateAll()
		s.host.Numbers = host.LastNumbers{}
		s.locks.ReleaseAll()
		if err := s.dropTemporary(ctx); err != nil {
			return Outcome{}, err
		}
		return tag("DISCARD ALL", s.txn.intend(notify.Unlisten("")))
	case "plans":
		for _, st := range s.statements {
			st.schema = nil // so that it is planned anew
		}
		return tag("DISCARD PLANS", nil)
	case "sequences":
		s.host.Numbers = host.LastNumbers{}
		return tag("DISCARD SEQUENCES", nil)
	case "temp", "temporary":
		return tag("DISCARD TEMP", s.dropTemporary(ctx))
	}
	return Outcome{}, sqlerr.Unsupported("DISCARD %s", what)
}

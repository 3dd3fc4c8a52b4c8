package session

import (
	"context"

	"zproxy/catalog"
	"zproxy/cluster/notify"
	"zproxy/parser/ast"
	"zproxy/session/host"
	"zproxy/sqlerr"
	"zproxy/types"
)

// prepareStatement runs PREPARE.
func (s utilities) prepareStatement(tree *ast.Prepare, text string) error {
	var params []types.OID
	for _, name := range tree.Types {
		t, err := s.reach.planner(s.txn.Schema()).TypeNamed(name)
		if err != nil {
			return err
		}
		params = append(params, t.Number())
	}
	parsed := ast.Parsed{Statement: tree.Statement, Params: tree.Params, Notices: tree.Notices, Clauses: tree.Clauses,
		AllowFiltering: tree.AllowFiltering}
	st, err := s.planning.prepare(&parsed, text, params)
	if err != nil {
		return err
	}
	st.sql = true
	return s.statements.add(tree.Name, st)
}

// executePrepared makes the portal that an EXECUTE runs.
func (s runner) executePrepared(ctx context.Context, tree *ast.ExecutePrepared, p *Portal) (*Portal, error) {
	st, err := s.named.statement(tree.Name)
	if err != nil {
		return nil, err
	}
	if len(tree.Args) != len(st.Params) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "wrong number of parameters for prepared statement %q", tree.Name).
			WithDetail("Expected %d parameters but got %d.", len(st.Params), len(tree.Args))
	}
	if _, err := s.txn.Store(ctx, false); err != nil {
		return nil, err
	}
	if err := s.planning.current(st); err != nil {
		return nil, locate(err, st.text)
	}
	args, err := s.reach.planner(s.txn.Schema()).Arguments(tree.Args, st.Params)
	if err != nil {
		return nil, err
	}
	inner := &Portal{Columns: st.Columns, Formats: p.Formats, statement: st, params: make([]types.Value, len(args))}
	known := s.reach.context(ctx, nil)
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

// deallocate runs DEALLOCATE. The unnamed statement of the protocol stays.
func (s utilities) deallocate(name string) (Outcome, error) {
	if name == "" {
		s.statements.closeNamed()
		return tag("DEALLOCATE ALL", nil)
	}
	_, err := s.named.statement(name)
	s.statements.close(name)
	return tag("DEALLOCATE", err)
}

// discard runs DISCARD.
func (s utilities) discard(ctx context.Context, what string, running *Portal) (Outcome, error) {
	switch what {
	case "all":
		if err := s.txn.NotIn("DISCARD ALL"); err != nil {
			return Outcome{}, err
		}
		s.portals.closeBut(running)
		if err := s.settings.ResetAll(); err != nil {
			return Outcome{}, err
		}
		s.settings.Noticed = nil
		s.statements.closeNamed()
		s.cache.own.clear()
		s.reach.host.Numbers = host.LastNumbers{}
		s.txn.Locks.ReleaseAll()
		if err := s.txn.Retry(func() error { return s.dropTemporary(ctx) }); err != nil {
			return Outcome{}, err
		}
		return tag("DISCARD ALL", s.txn.Intend(notify.Unlisten("")))
	case "plans":
		s.statements.forgetPlans()
		s.cache.own.clear()
		return tag("DISCARD PLANS", nil)
	case "sequences":
		s.reach.host.Numbers = host.LastNumbers{}
		return tag("DISCARD SEQUENCES", nil)
	case "temp", "temporary":
		return tag("DISCARD TEMP", s.txn.Retry(func() error { return s.dropTemporary(ctx) }))
	}
	return Outcome{}, sqlerr.Unsupported("DISCARD %s", what)
}

// hasType says whether there is a type with an OID.
func hasType(snap *catalog.Snapshot, oid types.OID) bool {
	row, _ := snap.RowTypeOf(uint32(oid))
	user, _ := snap.TypeOf(oid)
	return row != nil || user != nil || types.InfoOf(oid).OID == oid
}

// resultTypeChanged is the error by whose routine drivers know that they should prepare the
// statement anew.
func resultTypeChanged() error {
	e := sqlerr.New(sqlerr.FeatureNotSupported, "cached plan must not change result type")
	e.Routine = "RevalidateCachedQuery"
	return e
}

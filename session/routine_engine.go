package session

import (
	"zproxy/parser/ast"
	"zproxy/plpgsql"
	"zproxy/plpgsql/interpret"
	"zproxy/session/transaction"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Print implements interpret.Engine.
func (e *plEngine) Print(v interpret.Value) string {
	return types.FormatText(v.V, v.T, &e.settings.Env)
}

// Undo implements interpret.Engine.
func (e *plEngine) Undo(do func() error) error { return transaction.Within(&e.txn, do) }

// End implements interpret.Engine.
func (e *plEngine) End(s *plpgsql.End) error {
	if !e.calls.mayEnd {
		return sqlerr.New("2D000", "invalid transaction termination")
	}
	tree := &ast.Transaction{Kind: ast.Commit, Chain: s.Chain}
	if s.Rollback {
		tree.Kind = ast.Rollback
	}
	if err := transaction.Follow(e.ctx, &e.txn, tree); err != nil {
		return err
	}
	e.bounds.EndTransaction()
	e.limitTransaction()
	e.txn.Began = e.db.now()
	return nil
}

// Tell implements interpret.Engine.
func (e *plEngine) Tell(n *sqlerr.Error) error {
	if n == nil {
		return e.bounds.Interrupted()
	}
	if n.Severity == "DEBUG" || n.Severity == "LOG" || e.calls.client == nil {
		return nil
	}
	return e.calls.client.Notice(n)
}

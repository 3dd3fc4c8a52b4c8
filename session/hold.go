package session

import (
	"context"

	"zproxy/parser/ast"
)

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
		h, err := s.db.HoldTable(s.txn.LockWait(ctx), t.ID)
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

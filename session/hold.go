package session

import (
	"context"

	"zproxy/cluster/lock"
	"zproxy/parser/ast"
)

// lockWait is how long the statement that runs waits for a lock.
func (s *Session) lockWait(ctx context.Context) lock.Wait {
	return lock.Wait{Ctx: ctx, Limit: s.settings.LockTimeout}
}

// holdCopied holds the table of a COPY that is a transaction of its own, before it is planned. What a name means
// may change while it waits.
func (s copying) holdCopied(ctx context.Context, p *Portal, tree *ast.Copy) error {
	if !p.last || !s.txn.untouched() || s.readOnly() {
		return nil
	}
	if err := s.runner.awaitTurn(ctx); err != nil { // before: it would hold up who has the turn
		return err
	}
	for {
		since := s.db.Snapshot()
		t, err := s.planner(since).Table(tree.Table)
		if err != nil {
			if news, failed := s.db.Refresh(ctx, since); news && failed == nil {
				continue
			}
			return nil // planning tells what is wrong
		}
		h, err := s.db.HoldTable(s.lockWait(ctx), t.ID)
		if err != nil {
			return err
		}
		now, err := s.planner(s.db.Snapshot()).Table(tree.Table)
		if err != nil || now.ID == t.ID {
			s.txn.Hold = h
			return nil
		}
		h.End()
	}
}

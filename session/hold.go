package session

import (
	"context"
	"sync/atomic"
	"time"

	"zproxy/cluster/lock"
	"zproxy/parser/ast"
	"zproxy/store"
)

// hold keeps whole changes of a table waiting from the start of a COPY to its end, as PostgreSQL's lock of the table
// does: those of which rows by the version before would be wrong. The states of indexes move on.
type hold struct {
	db    *DB
	id    uint32
	life  uint64 // of the process: in a later one others have not waited for it
	ended atomic.Bool
}

// lockWait is how long the statement that runs waits for a lock.
func (s *Session) lockWait(ctx context.Context) lock.Wait {
	return lock.Wait{Ctx: ctx, Limit: s.settings.lockTimeout}
}

// holdTable waits until no session changes a table, and holds it then.
func (db *DB) holdTable(p lock.Wait, id uint32) (*hold, error) {
	h := &hold{db: db, id: id}
	if db.shared != nil {
		var err error
		if h.life, err = db.shared.life(p.Ctx); err != nil {
			return nil, err
		}
	}
	return h, db.locks.HoldTable(p, id)
}

// end lets changes of the table go on.
func (h *hold) end() {
	if h != nil && !h.ended.Swap(true) {
		h.db.locks.ReleaseTables(map[uint32]bool{h.id: true})
	}
}

// table is the number of the table that is held; 0: none is.
func (h *hold) table() uint32 {
	if h == nil || h.ended.Load() {
		return 0
	}
	return h.id
}

// over is table for the commit of a transaction. One of a later life than the hold finds that others may have
// changed the table, or be at it: then nothing is held any more.
func (h *hold) over(txn store.Txn) uint32 {
	if t := sharedOf(txn); t != nil && h != nil && t.life != h.life {
		h.end()
	}
	return h.table()
}

// holdCopied holds the table of a COPY that is a transaction of its own, before it is planned. What a name means
// may change while it waits.
func (s *Session) holdCopied(ctx context.Context, p *Portal, tree *ast.Copy) error {
	if !p.last || !s.txn.untouched() || s.readOnly() {
		return nil
	}
	if err := s.awaitTurn(ctx); err != nil { // before: it would hold up who has the turn
		return err
	}
	for {
		since := s.db.snapshot()
		t, err := s.planner(since).Table(tree.Table)
		if err != nil {
			if news, failed := s.db.refresh(ctx, since); news && failed == nil {
				continue
			}
			return nil // planning tells what is wrong
		}
		h, err := s.db.holdTable(s.lockWait(ctx), t.ID)
		if err != nil {
			return err
		}
		now, err := s.planner(s.db.snapshot()).Table(tree.Table)
		if err != nil || now.ID == t.ID {
			s.txn.hold = h
			return nil
		}
		h.end()
	}
}

// onTheWay is how long a request may be under way that is not waited for any more.
const onTheWay = 10 * time.Second

// endCommit ends a commit of rows of tables. While writes of it may still arrive the tables are held, and the
// transaction counts as open: they would come by a version that is not known any more.
func (db *DB) endCommit(txn store.Txn, tables map[uint32]bool, written bool) {
	if t := sharedOf(txn); t != nil && t.late {
		db.locks.HoldTables(tables)
		db.shared.afterArrival(func() { db.locks.ReleaseTables(tables) })
	}
	db.locks.EndCommit(tables, written)
}

// afterArrival does something when no request of a commit can be under way any more.
func (h *shared) afterArrival(do func()) {
	h.late.Add(1)
	if !h.db.background.run(func(ctx context.Context) {
		if store.Sleep(ctx, onTheWay) == nil {
			h.late.Add(-1)
		}
		do()
	}) {
		do()
	}
}

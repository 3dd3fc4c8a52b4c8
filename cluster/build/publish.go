package build

import (
	"context"
	"fmt"

	"zproxy/catalog"
	"zproxy/cluster"
	"zproxy/cluster/backfill"
	"zproxy/cluster/lock"
	"zproxy/planner/plan"
	"zproxy/planner/stored"
	"zproxy/store"
)

// publisher implements backfill.Catalog.
type publisher struct{ b *Builds }

// Begin implements backfill.Catalog.
func (p publisher) Begin(ctx context.Context, m store.Mode) (store.Txn, *catalog.Snapshot, error) {
	return p.b.node.Begin(ctx, m)
}

// Commit implements backfill.Catalog.
func (p publisher) Commit(ctx context.Context, t *catalog.Table, txn store.Txn) error {
	locks, tables := p.b.node.Locks, map[uint32]bool{t.ID: true}
	if err := locks.BeginCommit(lock.Wait{Ctx: ctx}, tables, 0); err != nil {
		return err
	}
	defer p.b.node.EndCommit(txn, tables, false) // of the rows none has changed
	if now, _ := p.b.node.Snapshot().ByID(t.ID).(*catalog.Table); now == nil || !now.Accepts(t.Version) {
		return fmt.Errorf("the schema changed: %w", store.ErrConflict)
	}
	return txn.Commit(ctx)
}

// Drained implements backfill.Catalog.
func (p publisher) Drained(ctx context.Context, snap *catalog.Snapshot, t *catalog.Table) error {
	return p.b.node.Drained(ctx, snap, t)
}

// Indexed implements backfill.Catalog.
func (p publisher) Indexed(snap *catalog.Snapshot, t *catalog.Table) (plan.Indexed, error) {
	return stored.In(snap).Indexed(t)
}

// Publish implements backfill.Catalog.
func (p publisher) Publish(ctx context.Context, table uint32, change func(backfill.Edit) error) error {
	w := p.b.node.NewWorker(p.b.now)
	defer w.End()
	t := cluster.NewTransaction(p.b.node, w)
	defer t.End()
	e := &edit{ctx: ctx, Transaction: &t}
	err := cluster.WithTable(ctx, &t, table, func(now *catalog.Table) error {
		if e.table = now; now == nil {
			return nil
		}
		return t.AloneHere(ctx, now) // states get on with their neighbours elsewhere
	})
	if err == nil {
		err = change(e)
	}
	if err != nil {
		return err
	}
	return t.Commit(ctx)
}

// edit implements backfill.Edit.
type edit struct {
	*cluster.Transaction
	ctx   context.Context
	table *catalog.Table
}

// Table implements backfill.Edit.
func (e *edit) Table() *catalog.Table { return e.table }

// Put implements backfill.Edit.
func (e *edit) Put(t *catalog.Table) error { return e.Transaction.Put(e.ctx, t) }

// Txn implements backfill.Edit.
func (e *edit) Txn() (store.Txn, error) { return e.Store(e.ctx, true) }

// Create implements backfill.Edit.
func (e *edit) Create(s *store.Space) error { return e.Transaction.Create(e.ctx, s) }

// Drop implements backfill.Edit.
func (e *edit) Drop(s *store.Space) { e.Changed().DropLater(*s) }

package check

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"zproxy/catalog"
	"zproxy/cluster/lock"
	"zproxy/cluster/retry"
	"zproxy/executor"
	"zproxy/planner/plan"
	"zproxy/planner/stored"
	"zproxy/store"
)

// Table is a check of indexes and foreign keys of one table.
type Table struct {
	Checker
	Table  plan.Indexed
	Keys   []plan.Reference // the foreign keys
	Repair bool
	Read   executor.IndexCheck // with the transaction that reads, and without an index
	Enter  Enter               // nil: how far it is is not told
}

// Enter begins to compare an index, or with 0 a foreign key, which is about so many rows and entries, and gives what
// counts them.
type Enter func(index uint32, total float64) *executor.Seen

// repairBatch is how many findings are repaired in one transaction.
const repairBatch = 64

// Findings are those of an index or a foreign key, or of all with an empty name. What is repaired is repaired
// when it is yielded.
func (c Table) Findings(ctx context.Context, name string) iter.Seq2[Finding, error] {
	return func(yield func(Finding, error) bool) {
		for i := range c.Table.Indexes {
			x := &c.Table.Indexes[i]
			if name != "" && x.Name != name {
				continue
			}
			more, err := c.ofIndex(ctx, x, yield)
			if err != nil {
				more = yield(Finding{Table: c.Table.Table, Name: x.Name}, err) && isDamage(err)
			}
			if !more {
				return
			}
		}
		for i := range c.Keys {
			if r := &c.Keys[i]; (name == "" || r.Key.Name == name) && !c.orphans(ctx, r, yield) {
				return
			}
		}
	}
}

// orphans yields the rows that refer by a foreign key to none, and says whether more is wanted. Nothing repairs them.
func (c Table) orphans(ctx context.Context, r *plan.Reference, yield func(Finding, error) bool) bool {
	check := c.on(c.Read.Txn, c.Table, nil)
	if c.Enter != nil {
		check.Seen = c.Enter(0, c.Table.Stats.Rows)
	}
	for f, err := range check.Orphans(ctx, r) {
		if !yield(Finding{c.Table.Table, r.Key.Name, f, false}, err) || err != nil && !isDamage(err) {
			return false
		}
	}
	return true
}

// ofIndex yields the findings of one index, and says whether more is wanted.
func (c Table) ofIndex(ctx context.Context, x *catalog.Index, yield func(Finding, error) bool) (bool, error) {
	check := c.on(c.Read.Txn, c.Table, x)
	if c.Enter != nil {
		check.Seen = c.Enter(x.ID, 2*c.Table.Stats.Rows)
	}
	var waiting []*executor.Finding
	for f, err := range check.Findings(ctx) {
		if err != nil {
			return false, err
		}
		if waiting = append(waiting, f); c.Repair && len(waiting) < repairBatch {
			continue
		}
		if more, err := c.emit(ctx, x, waiting, yield); err != nil || !more {
			return false, err
		}
		waiting = nil
	}
	return c.emit(ctx, x, waiting, yield)
}

// on is the check of an index in a transaction; nil: of no index.
func (c Table) on(txn store.Txn, t plan.Indexed, x *catalog.Index) executor.IndexCheck {
	check := c.Read
	check.Txn, check.Tables, check.Table, check.Index = txn, c.Tables, t, x
	check.Loose = c.Node.Store.Capabilities().Loose
	if c.Node.Store.Capabilities().Expires {
		check.Now = c.Now
	}
	return check
}

// emit yields findings, which it repairs if that is wanted.
func (c Table) emit(ctx context.Context, x *catalog.Index, found []*executor.Finding,
	yield func(Finding, error) bool) (bool, error) {
	repaired := make([]bool, len(found))
	if c.Repair && len(found) > 0 {
		if err := c.repairAll(ctx, x, found, repaired); err != nil {
			return false, err
		}
	}
	for i, f := range found {
		if !yield(Finding{c.Table.Table, x.Name, f, repaired[i]}, nil) {
			return false, nil
		}
	}
	return true, nil
}

// repairAll repairs findings in a transaction of its own, until no other transaction conflicts with it, and says
// of which ones nothing is left. What is too much for one transaction of the store is repaired in halves: how many
// items a repair writes shows only when it does, since a missing entry takes the row with it.
func (c Table) repairAll(ctx context.Context, x *catalog.Index, found []*executor.Finding, repaired []bool) error {
	for try := 1; ; try++ {
		err := c.repairOnce(ctx, x, found, repaired)
		if n := len(found) / 2; errors.Is(err, store.ErrTooLarge) && n > 0 {
			if err := c.repairAll(ctx, x, found[:n], repaired[:n]); err != nil {
				return err
			}
			return c.repairAll(ctx, x, found[n:], repaired[n:])
		}
		if !errors.Is(err, store.ErrConflict) && !errors.Is(err, store.ErrUnknown) || try == retry.Most {
			return err
		}
		if err := retry.Pause(ctx, try); err != nil {
			return err
		}
	}
}

// repairOnce repairs by the table as it is now. An index that is gone has nothing left to repair.
func (c Table) repairOnce(ctx context.Context, x *catalog.Index, found []*executor.Finding, repaired []bool) error {
	txn, schema, err := c.Node.Begin(ctx, store.Mode{})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	t, _ := schema.ByID(c.Table.ID).(*catalog.Table)
	if t != nil {
		x = t.IndexByID(x.ID)
	}
	if t == nil || x == nil {
		for i := range repaired {
			repaired[i] = true
		}
		return nil
	}
	indexed, err := stored.In(schema).Indexed(t)
	if err != nil {
		return err
	}
	for i, f := range found {
		if repaired[i], err = c.on(txn, indexed, x).Repair(ctx, f); err != nil {
			return err
		}
	}
	if err := c.Node.CommitRows(lock.Wait{Ctx: ctx}, txn, []*catalog.Table{t}, nil); err != nil {
		return err
	}
	return c.stayed(ctx, x, found, repaired)
}

// stayed finds which leftovers are still there behind their repair.
func (c Table) stayed(ctx context.Context, x *catalog.Index, found []*executor.Finding, repaired []bool) error {
	if !slices.ContainsFunc(found, (*executor.Finding).Harmless) {
		return nil
	}
	txn, err := c.Node.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	for i, f := range found {
		if !repaired[i] || !f.Harmless() {
			continue
		}
		stays, err := c.on(txn, c.Table, x).Stays(ctx, f)
		if err != nil {
			return err
		}
		repaired[i] = !stays
	}
	return nil
}

package transaction

import (
	"context"

	"zproxy/catalog"
	"zproxy/cluster/lock"
)

// LockTables locks tables that a statement uses until the transaction ends, so that LOCK TABLE waits for that, and
// waits for those that have them locked. It comes before the statement sees rows, which those may have written.
func (c *Current) LockTables(ctx context.Context, m lock.Mode, tables []*catalog.Table) error {
	for _, t := range tables {
		if _, err := c.Locks.Acquire(c.LockWait(ctx), lock.Relation(t.ID), m, lock.Block); err != nil {
			return err
		}
	}
	return nil
}

package transaction

import (
	"context"

	"zproxy/catalog"
	"zproxy/cluster/lock"
)

// TableLock is a table that a statement uses, and the mode in which it locks it until the transaction ends.
type TableLock struct {
	Table *catalog.Table
	Mode  lock.Mode
}

// LockTables locks tables that a statement uses. Changes of their schema wait for that, and it waits for those that
// have them locked. What these have committed is seen by the statement then, unless the transaction keeps to one state.
func (c *Current) LockTables(ctx context.Context, tables []TableLock) error {
	waited := false
	for _, t := range tables {
		g, err := c.Locks.Acquire(c.LockWait(ctx), lock.Relation(t.Table.ID), t.Mode, lock.Block)
		if err != nil {
			return err
		}
		waited = waited || g.Waited
	}
	if waited || c.Behind() {
		c.NextStatement()
	}
	return nil
}

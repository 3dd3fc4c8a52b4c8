package transaction

import (
	"context"

	"zproxy/catalog"
	"zproxy/cluster/lock"
	"zproxy/sqlerr"
)

// TableLock is a table that a statement uses, and the mode in which it locks it until the transaction ends.
type TableLock struct {
	Table *catalog.Table
	Mode  lock.Mode
}

// LockTables locks tables that a statement uses, by a policy. Changes of their schema wait for that, and it may wait
// for those that have them locked. What these have committed is seen by the statement then, unless the transaction
// keeps to one state.
func (c *Current) LockTables(ctx context.Context, tables []TableLock, p lock.Policy) error {
	waited := false
	for _, t := range tables {
		g, err := c.Locks.Acquire(c.LockWait(ctx), lock.Relation(t.Table.ID), t.Mode, p)
		if err != nil {
			return err
		}
		if !g.Granted {
			return sqlerr.New(sqlerr.LockNotAvailable, "could not obtain lock on relation \"%s\"", t.Table.Name)
		}
		waited = waited || g.Waited
	}
	if waited || c.Behind() {
		c.NextStatement()
	}
	if !c.Shared() || c.Changed() != nil || !c.Behind() {
		return nil
	}
	// Of a store that processes share it sees the rows as they are now.
	used := make([]*catalog.Table, len(tables))
	for i := range tables {
		used[i] = tables[i].Table
	}
	return c.of.Node.Moved(used)
}

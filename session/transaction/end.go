package transaction

import (
	"context"

	"zproxy/cluster"
)

// Commit ends the transaction and keeps what it wrote. The schema cannot change
// meanwhile, and must not have changed since the writes were made.
func (c *Current) Commit(ctx context.Context) error {
	if c.failed {
		c.Rollback()
		return nil
	}
	err := c.of.Portals.Hold(ctx)
	if err == nil {
		err = c.of.BeforeCommit(ctx)
	}
	if err != nil {
		c.Rollback()
		return err
	}
	// Among processes a lock of a row is a write, unless it protects no other statement.
	if c.Shared() && (len(c.Wrote) > 0 || c.block) {
		c.Wrote = append(c.Wrote, c.locked...)
	}
	if err := c.of.Channels.RefuseFull(c.intents); err != nil {
		c.Rollback()
		return err
	}
	c.committing = true
	_, validated := c.Consistency().validated()
	if len(c.Wrote) > 0 || c.Large || c.Changed() != nil || c.Txn() != nil && (c.serializable() || validated) {
		if err := c.Transaction.Commit(ctx); err != nil {
			c.of.Running.Meet(err)
			c.Rollback()
			return err
		}
	}
	c.of.Settings.Commit()
	c.of.Listener.Fulfil(c.pid, c.intents)
	c.of.Portals.Keep()
	c.end()
	return nil
}

// Rollback ends the transaction: what it wrote is forgotten, and so are its settings.
func (c *Current) Rollback() {
	c.of.Settings.Rollback()
	c.end()
}

// Fail notes that a message failed: a block can only be rolled back, and an implicit
// transaction is.
func (c *Current) Fail() {
	if c.block {
		c.failed = true
		last := c.savepoints.last() // of what came later nothing can be needed
		c.RollbackChangeTo(last.change)
		c.Locks.RollbackTo(last.locks)
		return
	}
	c.Rollback()
}

// end ends the transaction and everything that lives in it.
func (c *Current) end() {
	c.of.Portals.End()
	if c.noted {
		c.of.Node.Locks.ForgetWriter(c.pid)
	}
	ended := c.Transaction
	c.Transaction, c.state = cluster.NewTransaction(c.of.Node, owner{c}), state{}
	c.of.Ended()
	ended.End()
	c.Locks.RollbackTo(0) // others go on with what is there now
	c.Locks.Transaction.Store(0)
	c.ended++
	c.Reuse(&ended)
}

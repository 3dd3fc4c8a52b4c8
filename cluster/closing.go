package cluster

import (
	"context"
	"slices"
	"time"

	"zproxy/cluster/lock"
)

// closing takes the tables for itself that another process has closed, and keeps them until it opens them: as long as
// their schema changes no transaction of this process uses them. It stays in their queues, so that it comes in turn,
// and that transactions which wait for it and for each other are found. One goroutine at a time, which renews, uses it.
type closing struct {
	tables []uint32
	owner  *lock.Owner
	taken  chan struct{} // closed when it has the tables, or has been stopped; nil: it never began
	got    bool          // it has the tables; behind taken
	stop   context.CancelFunc
}

// want says which tables are closed now.
func (c *closing) want(n *Node, tables []uint32) {
	if slices.Equal(tables, c.tables) {
		return
	}
	if c.taken != nil {
		c.stop()
		<-c.taken
	}
	if more := len(tables) > len(c.tables) && slices.Equal(tables[:len(c.tables)], c.tables); !more && c.owner != nil {
		c.owner.RollbackTo(0)
	}
	c.tables = tables
	n.Locks.Close(tables)
	if len(tables) > 0 {
		c.take(n)
	}
}

// take begins to wait for the tables.
func (c *closing) take(n *Node) {
	if c.owner == nil {
		c.owner = n.Locks.NewOwner(0)
	}
	taken := make(chan struct{})
	stopped, stop := context.WithCancel(context.Background())
	c.taken, c.got, c.stop = taken, false, stop
	if !n.Background.Run(func(ctx context.Context) {
		defer close(taken)
		defer context.AfterFunc(ctx, stop)()
		w := lock.Wait{Ctx: stopped, DeadlockAfter: never}
		for _, id := range c.tables {
			if _, err := c.owner.Acquire(w, lock.Relation(id), lock.AccessExclusive, lock.Block); err != nil {
				return
			}
		}
		c.got = true
	}) {
		close(taken)
	}
}

// never is longer than it waits: where it is in a circle of waits, a transaction is to give up, not it.
const never = 24 * time.Hour

// done waits until it has all the tables, and says whether it does.
func (c *closing) done(ctx context.Context) bool {
	if len(c.tables) == 0 {
		return true
	}
	select {
	case <-c.taken:
		return c.got
	case <-ctx.Done():
		return false
	}
}

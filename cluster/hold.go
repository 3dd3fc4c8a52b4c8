package cluster

import (
	"context"
	"sync/atomic"
	"time"

	"zproxy/cluster/lock"
	"zproxy/store"
)

// Hold keeps whole changes of a table waiting from the start of a COPY to its end, as PostgreSQL's lock of the table
// does: those of which rows by the version before would be wrong. The states of indexes move on.
type Hold struct {
	node  *Node
	id    uint32
	life  uint64 // of the process: in a later one others have not waited for it
	ended atomic.Bool
}

// HoldTable waits until no session changes a table, and holds it then.
func (n *Node) HoldTable(p lock.Wait, id uint32) (*Hold, error) {
	h := &Hold{node: n, id: id}
	if n.shared != nil {
		var err error
		if h.life, err = n.shared.life(p.Ctx); err != nil {
			return nil, err
		}
	}
	return h, n.Locks.HoldTable(p, id)
}

// End lets changes of the table go on.
func (h *Hold) End() {
	if h != nil && !h.ended.Swap(true) {
		h.node.Locks.ReleaseTables(map[uint32]bool{h.id: true})
	}
}

// Table is the number of the table that is held; 0: none is.
func (h *Hold) Table() uint32 {
	if h == nil || h.ended.Load() {
		return 0
	}
	return h.id
}

// over is Table for the commit of a transaction. One of a later life than the hold finds that others may have
// changed the table, or be at it: then nothing is held any more.
func (h *Hold) over(txn store.Txn) uint32 {
	if t := sharedOf(txn); t != nil && h != nil && t.life != h.life {
		h.End()
	}
	return h.Table()
}

// onTheWay is how long a request may be under way that is not waited for any more.
const onTheWay = 10 * time.Second

// afterArrival does something when no request of a commit can be under way any more.
func (h *shared) afterArrival(do func()) {
	h.late.Add(1)
	if !h.node.Background.Run(func(ctx context.Context) {
		if store.Sleep(ctx, onTheWay) == nil {
			h.late.Add(-1)
		}
		do()
	}) {
		do()
	}
}

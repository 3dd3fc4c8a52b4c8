package cluster

import (
	"context"
	"fmt"
	"sync"

	"zproxy/cluster/serial"
	"zproxy/sqlerr"
	"zproxy/store"
)

// exports are the snapshots that open transactions of the process let others use, by their identifiers.
type exports struct {
	mu   sync.Mutex
	of   map[string]exported
	last uint32 // how many there have been
}

// exported is what a transaction saw when it let others use that.
type exported struct {
	sight
	pin      store.Mark
	database uint32
	order    Order
	readOnly bool
	watched  *serial.Txn // nil: the transaction is in no order with others
}

// Export lets other transactions of the process see what one sees, while it is open, and gives the identifier by which
// they ask for that.
func Export(ctx context.Context, t *Transaction) (string, error) {
	if !t.node.Store.Capabilities().Snapshots {
		return "", sqlerr.Unsupported("exporting a snapshot of a store that has none").
			WithHint("pg_dump needs one only for several jobs.")
	}
	txn, err := t.Store(ctx, false)
	if err != nil {
		return "", err
	}
	watched, _ := txn.(*serial.Txn)
	id := t.node.exports.add(t.owner.Locks().PID(), exported{sight: t.sight, pin: txn.Pin(), database: t.node.database,
		order: t.owner.Order(), readOnly: !t.writes, watched: watched})
	t.exported = append(t.exported, id)
	return id, nil
}

// add lets others use what a session exports.
func (x *exports) add(pid uint32, e exported) string {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.last++
	id := fmt.Sprintf("%08X-%08X-1", pid, x.last)
	if x.of == nil {
		x.of = map[string]exported{}
	}
	x.of[id] = e
	return id
}

// end ends the use of what a transaction has exported.
func (x *exports) end(t *Transaction) {
	if len(t.exported) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, id := range t.exported {
		t.txn.Unpin(x.of[id].pin)
		delete(x.of, id)
	}
	t.exported = nil
}

// Import begins the transaction of the store with what another one has exported.
func Import(ctx context.Context, t *Transaction, id string) error {
	x := &t.node.exports
	x.mu.Lock() // the other one does not end meanwhile
	defer x.mu.Unlock()
	e, there := x.of[id]
	if !there {
		return sqlerr.New(sqlerr.InvalidParameterValue, "invalid snapshot identifier: \"%s\"", id)
	}
	m, order := t.owner.Mode(false), t.owner.Order()
	if err := e.refuses(order, m.ReadOnly, t.node.database); err != nil {
		return err
	}
	m.As = &e.pin
	if _, err := t.Begin(ctx, m); err != nil {
		return err
	}
	if order == Serializable && e.watched != nil {
		t.txn.(*serial.Txn).As(e.watched)
	}
	t.seen = e.seen
	t.goBy(e.base)
	return nil
}

// refuses is the error of a transaction that may not use what was exported.
func (e *exported) refuses(order Order, readOnly bool, database uint32) error {
	refusal := ""
	switch {
	case order != Unordered && e.order == Unordered:
		refusal = "a serializable transaction cannot import a snapshot from a non-serializable transaction"
	case order != Unordered && e.readOnly && !readOnly:
		refusal = "a non-read-only serializable transaction cannot import a snapshot from a read-only transaction"
	case e.database != database:
		refusal = "cannot import a snapshot from a different database"
	case order == Deferred:
		refusal = "a snapshot-importing transaction must not be READ ONLY DEFERRABLE"
	default:
		return nil
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s", refusal)
}

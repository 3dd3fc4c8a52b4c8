package cluster

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/catalog/tally"
	"zproxy/cluster/lock"
	"zproxy/cluster/serial"
	"zproxy/store"
	"zproxy/store/heat"
	"zproxy/store/rowcache"
)

// Node is one database as a process on a store has it. What belongs to the process its nodes share.
type Node struct {
	*process
	Background *Background
	database   uint32
}

// process is one process on a store: the catalog that it goes by, the locks of its transactions, and its membership of
// the processes that share the store.
type process struct {
	Store      store.Store
	Log        *slog.Logger
	Locks      *lock.Manager
	Serial     *serial.Order
	Heat       *heat.Meter     // counts what transactions of rows ask for; nil: nothing does
	Rows       *rowcache.Cache // nil: no rows are kept
	Tally      *tally.Counter  // of the rows that commits have changed
	hooks      Hooks
	numbers    *numbers
	system     *catalog.System
	current    atomic.Pointer[catalog.Whole]
	exports    exports
	large      atomic.Bool // the space of large objects is there
	publishing sync.Mutex  // held from the newest catalog to the one that a commit makes of it
	shared     *shared     // nil: no other process uses the store
}

// Hooks are what a node asks of the sessions that it serves.
type Hooks struct {
	// Adopted is called when the process goes by another catalog.
	Adopted func()
	// Resume goes on with the build of an index, which another process has left.
	Resume func(index uint32)
	// DropTemporary drops a temporary schema of a database, whose session did not live to do so.
	DropTemporary func(database uint32, schema string) error
	// Close keeps sessions from beginning in databases, and in no others, until it is called again. It ends those of
	// some of them, and says how many sessions use them. nil: there are none.
	Close func(frozen, closed []uint32) int
}

// NewNode makes the node of the default database in a process that is alone on a store. Its catalog is not loaded.
func NewNode(st store.Store, log *slog.Logger, system *catalog.System, h Hooks) *Node {
	return &Node{&process{Store: st, Log: log, Locks: lock.NewManager(), Serial: serial.NewOrder(),
		Tally: tally.NewCounter(), numbers: newNumbers(), system: system, hooks: h},
		newBackground(log), catalog.DatabaseID}
}

// In is the node of another database in the same process. What it does by itself ends with this one, or before.
func (n *Node) In(database uint32) *Node {
	return &Node{n.process, n.Background.within(n.Background.ctx), database}
}

// Database is the number of the database.
func (n *Node) Database() uint32 { return n.database }

// Load makes the node go by the catalog as it is in the store, where no other process uses it, and drops what belongs
// to nothing.
func (n *Node) Load(ctx context.Context, txn store.Txn) error {
	whole, err := catalogstore.Load(ctx, txn)
	if err != nil {
		return err
	}
	n.current.Store(whole.Over(n.system))
	n.noteStatistics()
	states, err := catalogstore.OrphanStates(ctx, txn, whole)
	if err != nil {
		return err
	}
	return errors.Join(n.forgetStates(ctx, states), n.sweep(ctx, whole), n.sweepNested(ctx))
}

// Shared says whether other processes use the store, too.
func (n *Node) Shared() bool { return n.shared != nil }

// noteStatistics lets what is counted from now on be since the statistics of the catalog. A commit has counted its own
// rows before, since statistics that it has made know of them.
func (n *Node) noteStatistics() {
	for _, t := range n.Whole().Tables() {
		n.Tally.Has(t.ID, t.Stats.Made())
	}
}

// Snapshot is the catalog of the database as it is now.
func (n *Node) Snapshot() *catalog.Snapshot { return n.current.Load().In(n.database) }

// Whole is the catalog of all databases as it is now.
func (n *process) Whole() *catalog.Whole { return n.current.Load() }

// forgetStates forgets states of sequences that no sequence has any more.
func (n *process) forgetStates(ctx context.Context, states []uint64) error {
	if len(states) == 0 {
		return nil
	}
	n.numbers.forget(states)
	return n.InOwnTxn(ctx, func(txn store.Txn) error { return catalogstore.DeleteStates(txn, states) })
}

// sweep drops spaces that nothing owns: an index build or a drop was cut short.
func (n *Node) sweep(ctx context.Context, whole *catalog.Whole) error {
	orphans, err := catalogstore.Orphans(ctx, n.Store, whole)
	if err != nil {
		return err
	}
	for i := range orphans {
		n.Log.Info("dropping a space that nothing owns", "space", orphans[i].Name)
		if err := n.Store.Drop(ctx, &orphans[i]); err != nil {
			return err
		}
	}
	return nil
}

// InOwnTxn does something in a small transaction of its own, perhaps more than once.
func (n *process) InOwnTxn(ctx context.Context, f func(store.Txn) error) error {
	return store.InOwnTxn(ctx, n.Store, f)
}

// NextID takes a number in a commit of its own, so that a change which fails or dies
// never leaves one to be used twice.
func (n *process) NextID(ctx context.Context) (id uint64, err error) { return n.NextIDs(ctx, 1) }

// NextIDs is NextID for so many numbers, one behind the other, of which it gives the first.
func (n *process) NextIDs(ctx context.Context, count int) (first uint64, err error) {
	err = n.InOwnTxn(ctx, func(txn store.Txn) error {
		first, err = catalogstore.NextIDs(ctx, txn, count)
		return err
	})
	return first, err
}

package cluster

import (
	"context"
	"fmt"
	"sync"

	"zproxy/catalog"
	"zproxy/catalog/catalogstore"
	"zproxy/cluster/lock"
	"zproxy/sqlerr"
	"zproxy/store"
)

// numbers are what the process has taken from sequences, by the state of the sequence. It
// hands them out in order, to whichever session asks.
type numbers struct {
	mu     sync.Mutex
	states map[uint64]*numberBlock
}

// numberBlock is held while the store is asked for the next block.
type numberBlock struct {
	mu sync.Mutex
	catalogstore.Block
	size int64 // of the last one
	// altered says that a transaction has altered the sequence. Should it be rolled back,
	// the block goes on.
	altered bool
}

func newNumbers() *numbers { return &numbers{states: map[uint64]*numberBlock{}} }

func (n *numbers) of(state uint64) *numberBlock {
	n.mu.Lock()
	defer n.mu.Unlock()
	b := n.states[state]
	if b == nil {
		b = &numberBlock{}
		n.states[state] = b
	}
	return b
}

func (n *numbers) forget(states []uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, state := range states {
		delete(n.states, state)
	}
}

// A block is small at first, since what is left of it when the process ends is lost, and
// twice as large each time, since it costs a commit.
const (
	minBlock = 32
	maxBlock = 4096
)

// take gives a number of the block, if there is one.
func (b *numberBlock) take() (int64, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.Left == 0 || b.altered {
		return 0, false
	}
	return b.Take(), true
}

// next gives a number, of a new block if need be.
func (b *numberBlock) next(ctx context.Context, n *Node, q *catalog.Sequence) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.altered = false
	if b.Left > 0 {
		return b.Take(), nil
	}
	size := max(min(max(2*b.size, minBlock), maxBlock), q.Cache)
	err := n.InOwnTxn(ctx, func(txn store.Txn) error {
		var err error
		b.Block, err = catalogstore.TakeBlock(ctx, txn, q, size)
		return err
	})
	if err != nil {
		b.Left = 0
		return 0, err
	}
	b.size = size
	return b.Take(), nil
}

// TakeNumber gives a number of a sequence that the process has taken before, if there is one.
func (n *Node) TakeNumber(q *catalog.Sequence) (int64, bool) { return n.numbers.of(q.State).take() }

// NextNumber gives a number of a sequence, and takes more from the store if need be. The caller keeps others from
// altering the sequence.
func (n *Node) NextNumber(ctx context.Context, q *catalog.Sequence) (int64, error) {
	return n.numbers.of(q.State).next(ctx, n, q)
}

// SetNumber moves a sequence. What the process has taken from it is not given out any more.
func (n *Node) SetNumber(ctx context.Context, q *catalog.Sequence, to catalogstore.State) error {
	b := n.numbers.of(q.State)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Left = 0
	return n.InOwnTxn(ctx, func(txn store.Txn) error {
		if _, err := catalogstore.ReadState(ctx, txn, q); err != nil {
			return err
		}
		return catalogstore.PutState(txn, q, to)
	})
}

// StateOf is where a sequence stands, without what the process has taken from it and not
// given out, if no other process has taken more.
func (n *Node) StateOf(ctx context.Context, seq *catalog.Sequence) (catalogstore.State, error) {
	b := n.numbers.of(seq.State)
	b.mu.Lock()
	defer b.mu.Unlock()
	txn, err := n.Store.Begin(ctx, store.Mode{ReadOnly: true})
	if err != nil {
		return catalogstore.State{}, fmt.Errorf("begin: %w", err)
	}
	defer txn.Rollback()
	at, err := catalogstore.ReadState(ctx, txn, seq)
	if err == nil && b.Left > 0 && b.End() == at.Last {
		at.Last = b.Given()
	}
	return at, err
}

// Steady does something with a sequence as it is now, while no other session alters it.
func (t *Transaction) Steady(ctx context.Context, seq *catalog.Sequence, f func(*catalog.Sequence) error) error {
	if _, err := t.owner.Locks().Acquire(t.owner.Wait(ctx), lock.Relation(seq.ID), lock.RowExclusive,
		lock.Block); err != nil {
		return err
	}
	now, err := FindSequence(t.change.on(t.node.Snapshot()), seq.ID) // others may have dropped it
	if err != nil {
		return err
	}
	return f(now)
}

// LockSequence keeps other sessions from a sequence until the end of the transaction, and returns its state.
func (t *Transaction) LockSequence(ctx context.Context, seq *catalog.Sequence) (catalogstore.State, error) {
	if err := (objectLocks{t}).lock(ctx, lock.Relation(seq.ID), lock.ShareRowExclusive); err != nil {
		return catalogstore.State{}, err
	}
	b := t.node.numbers.of(seq.State)
	b.mu.Lock()
	b.altered = true
	b.mu.Unlock()
	return t.node.StateOf(ctx, seq)
}

// FindSequence is the sequence with a number.
func FindSequence(snap *catalog.Snapshot, id uint32) (*catalog.Sequence, error) {
	name := ""
	switch r := snap.Numbered(id).(type) {
	case *catalog.Sequence:
		return r, nil
	case nil:
		composite := snap.TypeByID(id)
		if composite == nil || !composite.Composite {
			return nil, sqlerr.New(sqlerr.UndefinedTable, "could not open relation with OID %d", id)
		}
		name = composite.Name
	default:
		name = r.Ref().Name
	}
	return nil, sqlerr.New(sqlerr.WrongObjectType, "%q is not a sequence", name)
}

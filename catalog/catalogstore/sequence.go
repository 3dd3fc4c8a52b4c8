package catalogstore

import (
	"context"

	"zproxy/catalog"
	"zproxy/sqlerr"
	"zproxy/store"
)

// State is how far a sequence is in the store. Last was given out, or is part of a block
// that a process took, if Called; else it comes next.
type State struct {
	Last   int64
	Called bool
}

// Block is numbers that one process took, to be given out in order.
type Block struct {
	Next      int64
	Left      int64
	Increment int64
}

// Given is the number that was given last; one always was.
func (b *Block) Given() int64 {
	if b.Left > 0 {
		return b.Next - b.Increment
	}
	return b.Next
}

// End is the last number of the block.
func (b *Block) End() int64 { return b.Next + max(b.Left-1, 0)*b.Increment }

// Take gives the next number of a block that is not empty.
func (b *Block) Take() int64 {
	n := b.Next
	b.Left--
	if b.Left > 0 { // behind the last one there may be no number
		b.Next += b.Increment
	}
	return n
}

// ReadState is the state of a sequence, which the transaction may then change.
func ReadState(ctx context.Context, txn store.Txn, q *catalog.Sequence) (State, error) {
	s := State{Last: q.From, Called: q.FromCalled}
	_, err := read(ctx, txn, kindState, q.State, &s)
	return s, err
}

// PutState changes a state that ReadState has read, unless another transaction does so
// first.
func PutState(txn store.Txn, q *catalog.Sequence, s State) error {
	return putRead(txn, kindState, q.State, s)
}

// DeleteStates forgets states that no sequence has any more.
func DeleteStates(txn store.Txn, states []uint64) error {
	for _, state := range states {
		if err := txn.Delete(space, keyOf(kindState, state), store.Always); err != nil {
			return err
		}
	}
	return nil
}

// OrphanStates lists the states that no sequence of a catalog has, like Orphans.
func OrphanStates(ctx context.Context, txn store.Txn, whole *catalog.Whole) ([]uint64, error) {
	owned := map[uint64]bool{}
	for _, snap := range whole.Snapshots() {
		for _, q := range snap.Sequences() {
			owned[q.State] = true
		}
	}
	var out []uint64
	err := each(ctx, txn, kindState, func(id uint64, _ string) error {
		if !owned[id] {
			out = append(out, id)
		}
		return nil
	})
	return out, err
}

// TakeBlock takes up to want numbers. They are the caller's once the transaction is
// committed, and no other process ever gets them.
func TakeBlock(ctx context.Context, txn store.Txn, q *catalog.Sequence, want int64) (Block, error) {
	s, err := ReadState(ctx, txn, q)
	if err != nil {
		return Block{}, err
	}
	first, err := next(q, s)
	if err != nil {
		return Block{}, err
	}
	b := Block{Next: first, Left: min(want, 1+steps(q, first)), Increment: q.Increment}
	return b, PutState(txn, q, State{Last: first + (b.Left-1)*q.Increment, Called: true})
}

// next is the number that follows a state.
func next(q *catalog.Sequence, s State) (int64, error) {
	switch {
	case !s.Called:
		return s.Last, nil
	case steps(q, s.Last) > 0:
		return s.Last + q.Increment, nil
	case q.Cycle && q.Increment > 0:
		return q.Min, nil
	case q.Cycle:
		return q.Max, nil
	case q.Increment > 0:
		return 0, sqlerr.New(sqlerr.SequenceLimitExceeded, "nextval: reached maximum value of sequence \"%s\" (%d)",
			q.Name, q.Max)
	}
	return 0, sqlerr.New(sqlerr.SequenceLimitExceeded, "nextval: reached minimum value of sequence \"%s\" (%d)", q.Name,
		q.Min)
}

// steps is how many numbers there are behind one. Differences are unsigned, since they
// may be larger than any int64; so is the one step that may be missing to 2^64.
func steps(q *catalog.Sequence, from int64) int64 {
	var n uint64
	switch {
	case q.Increment > 0 && from < q.Max:
		n = (uint64(q.Max) - uint64(from)) / uint64(q.Increment)
	case q.Increment < 0 && from > q.Min:
		n = (uint64(from) - uint64(q.Min)) / -uint64(q.Increment)
	}
	return int64(min(n, 1<<62))
}

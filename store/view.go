package store

import "context"

// Mark is a position in the writes of a transaction. Its fields are the store's own affair;
// the zero Mark is before the first write.
type Mark struct {
	Writes int
	Epoch  uint32
	Bytes  int64
	State  any // of the store, if the mark is pinned
}

// marker goes back to a position in the writes of a transaction, as often as is wanted.
type marker interface {
	// Mark is the present position. A transaction with bulk writes has none.
	Mark() Mark
	// RollbackTo forgets the writes since a mark, and the marks made since. Scans that
	// began after the mark must have ended; those that began before go on as they were.
	RollbackTo(m Mark)
}

// Viewer says what a transaction sees of what others commit.
type Viewer interface {
	// Refresh lets the reads that begin from now on see what has been committed. What was written before stays guarded
	// from when it was written, and what was read before counts for no write from now on.
	Refresh()
	// Pin is Mark, but reads At it see the state of the store that the transaction sees now, until Unpin.
	Pin() Mark
	// Unpin ends the use of a pinned mark, once. It may come after the end of the transaction.
	Unpin(m Mark)
	// Overtaken says whether others have committed a write of a key that is later than the state which the
	// transaction sees, or saw at a pinned mark, also if it has read the Latest since. A store without Snapshots knows
	// commits of its own process, and sometimes says so of one that there was not.
	Overtaken(s *Space, key Key, at *Mark) bool
	// AwaitDurable waits until what was read is durable, which a Get of the Latest need not wait for, nor reads after
	// the next Refresh, that see all of its commit. A Commit waits for it, too.
	AwaitDurable(ctx context.Context) error
	// Wrote says whether the transaction has written a key.
	Wrote(s *Space, key Key) bool
}

// adopter takes over what was written in another transaction.
type adopter interface {
	// Adopt lets reads see spaces as a Bulk transaction has filled them, which was committed after this one began. They
	// were empty, and nothing else has seen them; a RollbackTo a mark from before empties them again. It says whether
	// it can: whether Bulk transactions of the store, of which nothing is there before their commits, sort what they
	// write, in bounded memory, and find with a Duplicate that two items are at one key against the guard of one.
	Adopt(spaces ...Space) bool
}

// divider divides what scans read at once.
type divider interface {
	// Divide are the parts of a range that are worth a scan each when several run at once, in their order. Fewer than
	// two: the range is read as one. Only in a store that Divides.
	Divide(s *Space, r Range) ([]Range, error)
}

// validator tells whether reads were of one state.
type validator interface {
	// Validate looks a second time at what was read since the last Refresh, if it was noted: it is an ErrConflict where
	// that was not all of one state of the store.
	Validate(ctx context.Context) error
}

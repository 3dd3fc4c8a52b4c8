package executor

import (
	"sync/atomic"

	"zproxy/types"
)

// buffered is batches that goroutines have made and the consumer has not given back. Only the consumer holds memory.
type buffered struct {
	bytes atomic.Int64
	held  hold
}

// aheadBatch is a batch that was made ahead, or the error in its place.
type aheadBatch struct {
	batch *types.Batch
	bytes int64
	err   error
}

// take keeps the rows of a batch, which stays its producer's.
func (b *buffered) take(tables *Tables, batch *types.Batch, err error) aheadBatch {
	out := aheadBatch{err: err}
	if err == nil {
		out.batch = tables.batches.Get(batch.Width())
		out.batch.Swap(batch)
		out.bytes = batchBytes(out.batch)
		b.bytes.Add(out.bytes)
	}
	return out
}

// hold holds what the batches take at present.
func (b *buffered) hold() error { return b.held.add(b.bytes.Load() - b.held.bytes) }

// giveBack takes back a batch that was consumed.
func (b *buffered) giveBack(tables *Tables, of aheadBatch) {
	if of.batch != nil {
		b.bytes.Add(-of.bytes)
		tables.batches.Put(of.batch)
	}
}

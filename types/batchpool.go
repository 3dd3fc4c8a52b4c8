package types

import "sync"

// BatchPool keeps batches that are done with, so that a short query need not grow its
// own. The zero value is ready.
type BatchPool struct{ pool sync.Pool }

// Get gives an empty batch of rows of width values.
func (p *BatchPool) Get(width int) *Batch {
	b, ok := p.pool.Get().(*Batch)
	if !ok {
		return NewBatch(width)
	}
	b.Reset(width)
	return b
}

// Put takes a batch back. It may not be used any more; its values may still be kept. Old
// values stay in it until others take their places or the pool is emptied.
func (p *BatchPool) Put(b *Batch) {
	if cap(b.values) > maxPooled {
		return // an unusually wide one
	}
	p.pool.Put(b)
}

// maxPooled is the most values that a batch in a pool has room for: a full batch of 16
// columns.
const maxPooled = 16 * BatchRows

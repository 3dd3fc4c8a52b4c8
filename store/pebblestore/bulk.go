package pebblestore

import (
	"bytes"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/internal/routine"
	"zproxy/store"
	"zproxy/store/overlay"
)

const (
	// bulkBatch is how many bytes a bulk transaction writes at once.
	bulkBatch = 4 << 20
	// compactAfter is how many bytes of a bulk transaction are worth a compaction. From a
	// memtable, where they may stay for long, an entry was measured to take 400 ns, from a
	// table 50; and what does not fit into a memtable leaves tables that overlap if it came
	// in no order.
	compactAfter = 1 << 20
)

// bulk is what a bulk transaction has yet to write, and where it wrote.
type bulk struct {
	batch     *pebble.Batch
	low, high []byte // the lowest and highest key
}

// bulkWrite adds a write to the batch, which is applied when it is full.
func (t *txn) bulkWrite(s *store.Space, key store.Key, add func(b *pebble.Batch, key []byte) error) error {
	if t.bulk.batch == nil {
		t.bulk.batch = t.store.db.NewBatchWithSize(bulkBatch + bulkBatch/8)
	}
	t.key = overlay.AppendKey(t.key[:0], s.Home(), key)
	if t.bulk.low == nil || bytes.Compare(t.key, t.bulk.low) < 0 {
		t.bulk.low = append(t.bulk.low[:0], t.key...)
	}
	if bytes.Compare(t.key, t.bulk.high) > 0 {
		t.bulk.high = append(t.bulk.high[:0], t.key...)
	}
	if err := add(t.bulk.batch, t.key); err != nil {
		return err
	}
	if t.bulk.batch.Len() < bulkBatch {
		return nil
	}
	if err := t.store.room.check(); err != nil {
		return err
	}
	err := t.store.write(t.bulk.batch, t.store.db.Apply, pebble.NoSync)
	t.bulk.batch.Reset()
	return err
}

func (t *txn) commitBulk() error {
	if t.bulk.batch == nil {
		return nil
	}
	if err := t.store.show(t.bulk.batch); err != nil {
		return err
	}
	if t.bytes >= compactAfter {
		low, high := t.bulk.low, append(t.bulk.high, 0)
		routine.Go(func() { t.store.compact(low, high) }, t.store.broke)
	}
	return nil
}

// broke logs a bug in work that no transaction waits for.
func (s *Store) broke(err error) { s.log.Errorf("a bug in the background: %v", err) }

// compact merges the tables of a range of keys, until the store is closed.
func (s *Store) compact(from, to []byte) {
	s.compacting.Lock()
	defer s.compacting.Unlock()
	if s.enter() != nil {
		return
	}
	defer s.leave()
	if err := s.db.Compact(s.stopped, from, to, false); err != nil && s.stopped.Err() == nil {
		s.log.Errorf("compaction after a load: %v", err)
	}
}

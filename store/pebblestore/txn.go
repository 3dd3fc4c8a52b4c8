package pebblestore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"unsafe"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/encoding/rows"
	"zproxy/store"
	"zproxy/store/overlay"
)

type txn struct {
	store *Store
	mode  store.Mode
	view
	ticket   *ticket // of a transaction whose writes are checked for conflicts
	own      overlay.Overlay[[]byte]
	bytes    int64             // of the writes
	puts     bool              // there was a write that is no delete, of a space that is not Reserved
	reserved []store.SpaceID   // those written to
	held     map[string]uint64 // whole keys, see store.Get, with the clock of what was found
	bulk     bulk
	filled
	key   []byte
	value []byte
	ended bool
}

var errReadOnly = errors.New("write in a read-only transaction")

const (
	// maxBytes is below what a Pebble batch holds.
	maxBytes = 4<<30 - 64<<20
	// writeBytes is what a write takes in a batch, besides its key and value.
	writeBytes = 16
)

// usable says why a call cannot be answered.
func (t *txn) usable(ctx context.Context) error {
	if t.ended || t.store.closed.Load() {
		return store.ErrClosed
	}
	return ctx.Err()
}

// Put writes an item.
func (t *txn) Put(s *store.Space, it store.Item, g store.Guard) error {
	t.value = rows.Append(t.value[:0], s.Columns, it.Values)
	t.reserve(s)
	if !t.puts && !s.Reserved { // deletes make room, in time
		if err := t.store.room.check(); err != nil {
			return err
		}
		t.puts = true
	}
	if err := t.writable(it.Key, len(t.value)); err != nil {
		return err
	}
	if t.mode.Bulk {
		return t.bulkWrite(s, it.Key, t.value, runItem{isSingle: g == store.Absent || g == store.Unchanged})
	}
	return t.own.Put(s.Home(), it.Key, t.own.Copy(t.value), g)
}

// Delete removes an item.
func (t *txn) Delete(s *store.Space, key store.Key, g store.Guard) error {
	if err := t.writable(key, 0); err != nil {
		return err
	}
	t.reserve(s)
	if t.mode.Bulk {
		if g == store.Absent {
			return nil
		}
		return t.bulkWrite(s, key, nil, runItem{deleted: true})
	}
	return t.own.Delete(s.Home(), key, g)
}

// writable makes room for a write.
func (t *txn) writable(key store.Key, value int) error {
	if err := t.usable(context.Background()); err != nil {
		return err
	}
	if t.mode.ReadOnly {
		return errReadOnly
	}
	size := int64(writeBytes + overlay.SpaceBytes + len(key.Partition) + len(key.Sort) + value)
	if !t.mode.Bulk && t.bytes+size > maxBytes {
		return fmt.Errorf("%w: a transaction of more than %d bytes", store.ErrTooLarge, maxBytes)
	}
	t.bytes += size
	return nil
}

// Commit makes the writes durable and visible.
func (t *txn) Commit(ctx context.Context) error {
	if t.ended {
		return store.ErrClosed
	}
	defer t.Rollback()
	if err := cmp.Or(t.failed, t.usable(ctx)); err != nil {
		return err
	}
	if t.mode.Bulk {
		return t.commitBulk(ctx)
	}
	if t.own.Empty() {
		return t.AwaitDurable(ctx)
	}
	return t.commitOwn(ctx)
}

// commitOwn checks the guards and applies the writes.
func (t *txn) commitOwn(ctx context.Context) error {
	if t.puts {
		if err := t.store.room.check(); err != nil {
			return err
		}
	}
	if isLoad(t) {
		return newLoad(t).commit(ctx)
	}
	b := t.store.db.NewBatchWithSize(int(t.bytes))
	defer b.Close()
	written := make([]claim, 0, t.own.Len())
	for _, id := range t.own.Spaces() {
		err := t.eachWrite(id, func(w *overlay.Write[[]byte], c claim) error {
			written = append(written, c)
			if leavesNothing(w) {
				return nil
			}
			return t.writeTwice(b, wholeKey(w), *w)
		})
		if err != nil {
			return err
		}
	}
	keys := claims{written, t.heldKeys()}
	if err := claimKeys(t.store, keys); err != nil {
		return err
	}
	return t.store.commit(b, keys, t.mode.Applied)
}

// eachWrite checks the guards of the writes to a space, and gives each with what the commit needs of its key. A guard
// Absent, and that of a blind delete, is checked in the snapshot, Unchanged needs no check: that neither has changed
// since, the conflicts tell.
func (t *txn) eachWrite(id store.SpaceID, do func(w *overlay.Write[[]byte], c claim) error) error {
	looks := finder{snapshot: t.of(id), filters: true}
	defer looks.close()
	for w := range t.own.In(id) {
		if blind := w.Guard == store.Blind && w.Delete; blind || w.Guard == store.Absent {
			if _, there, err := looks.find(wholeKey(&w)); err != nil || there != blind {
				return errors.Join(t.store.damaged(err), conflictIf(there != blind))
			}
		}
		if err := do(&w, claim{maphash.String(t.store.conflicts.seed, w.Key), t.guardedSince(&w)}); err != nil {
			return err
		}
	}
	return nil
}

// wholeKey is the key of a write, which is not to be changed.
func wholeKey(w *overlay.Write[[]byte]) []byte {
	return unsafe.Slice(unsafe.StringData(w.Key), len(w.Key))
}

// leavesNothing says that a write is a delete of what is not there.
func leavesNothing(w *overlay.Write[[]byte]) bool { return w.Delete && w.Guard == store.Absent }

// claimKeys claims the keys of a commit. It is a conflict if others have written them.
func claimKeys(s *Store, keys claims) error {
	number, conflict := s.conflicts.claim(keys)
	if conflict {
		s.snapshots.await(number) // to run again before others can see it would be in vain
	}
	return conflictIf(conflict)
}

// hold notes an item that the commit needs as it was found.
func (t *txn) hold(key []byte, clock uint64) {
	if t.held == nil {
		t.held = map[string]uint64{}
	}
	if _, there := t.held[string(key)]; !there {
		t.held[string(key)] = clock
	}
}

// heldKeys are those of the items that are held and not written.
func (t *txn) heldKeys() []claim {
	var out []claim
	for key, clock := range t.held {
		if _, written := t.own.Get([]byte(key), nil); !written {
			out = append(out, claim{maphash.String(t.store.conflicts.seed, key), clock})
		}
	}
	return out
}

func conflictIf(there bool) error {
	if there {
		return store.ErrConflict
	}
	return nil
}

func write(b *pebble.Batch, key []byte, w overlay.Write[[]byte]) error {
	if w.Delete {
		return b.Delete(key, nil)
	}
	return b.Set(key, w.Payload, nil)
}

// Mark is the present place in the writes.
func (t *txn) Mark() store.Mark {
	m := t.own.Mark()
	m.Bytes = t.bytes
	return m
}

// RollbackTo forgets the writes since a mark. What they took in memory is given back at
// the end of the transaction.
func (t *txn) RollbackTo(m store.Mark) {
	t.own.RollbackTo(m)
	t.bytes = m.Bytes
	t.emptyLoaded(m)
}

// Rollback forgets the writes.
func (t *txn) Rollback() {
	if t.ended {
		return
	}
	t.ended = true
	if t.ticket != nil {
		t.store.conflicts.end(t.ticket)
	}
	t.store.snapshots.release(t.snapshot)
	t.forgetAdopted()
	if t.bulk.tables != nil {
		t.bulk.tables.remove()
	}
	t.own, t.bulk = overlay.Overlay[[]byte]{}, bulk{}
	t.store.leave()
}

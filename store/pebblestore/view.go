package pebblestore

import (
	"context"
	"hash/maphash"

	"zproxy/store"
	"zproxy/store/overlay"
)

// view is what a transaction sees of the store.
type view struct {
	snapshot *snapshot
	clock    uint64 // of the snapshot
	// before are the views that there were when something was written, and latest the clocks of keys that were read
	// as they were later than the view.
	before []refreshed
	latest map[string]uint64
	// undurable is the number of the last commit that was read and may not be durable yet.
	undurable uint64
	adopted   []adopted // never changed: others take its place
}

// refreshed is a view that was refreshed: the writes of the transaction before an epoch were guarded by its clock.
type refreshed struct {
	until uint32
	clock uint64
}

// Refresh lets reads see what has been committed.
func (t *txn) Refresh() {
	if t.ended || t.mode.Bulk {
		return
	}
	if t.undurable <= t.clock && t.store.snapshots.isLatest(t.snapshot) {
		return
	}
	old := t.snapshot
	t.snapshot = t.next()
	t.clock = t.snapshot.clock
	t.store.snapshots.release(old)
	t.forgetAdopted() // the snapshot has it
}

// next takes the next snapshot. It has all writes of the commits that a read of the Latest has met. What is kept to
// find conflicts with writes is needed until the transaction ends, or begins anew.
func (t *txn) next() *snapshot {
	durable, unwritten := t.store.snapshots.durable(t.undurable), t.own.Empty() && len(t.held) == 0
	switch {
	case unwritten:
		t.before, t.latest = nil, nil
	case t.ticket != nil:
		t.before = append(t.before, refreshed{t.own.Begin(), t.clock})
	}
	switch {
	case !durable:
		sn := t.store.snapshots.takeApplied()
		t.undurable = sn.clock
		return sn
	case unwritten && t.ticket != nil:
		return t.store.conflicts.again(t.ticket, t.store.snapshots.take)
	}
	return t.store.snapshots.take()
}

// Validate implements store.Txn: a snapshot is one state.
func (t *txn) Validate(context.Context) error { return nil }

// AwaitDurable implements store.Viewer.
func (t *txn) AwaitDurable(context.Context) error {
	if !t.store.snapshots.await(t.undurable) {
		return store.ErrClosed
	}
	return nil
}

// guardedSince is behind what time no other transaction may have written what a write is about.
func (t *txn) guardedSince(w *overlay.Write[[]byte]) uint64 {
	switch w.Guard {
	case store.Always, store.Loose:
		return unguarded
	case store.Absent:
		return t.clock // there was none in the present snapshot
	case store.Blind:
		if !w.Delete {
			return unguarded
		}
		return t.clock // there was one
	}
	clock := t.clock
	for _, e := range t.before {
		if w.Since < e.until {
			clock = e.clock
			break
		}
	}
	return max(clock, t.latest[w.Key]) // a view that is later than a read of the latest has what that found, or more
}

// Pin is a mark for reads of what the transaction sees now.
func (t *txn) Pin() store.Mark {
	m := t.Mark()
	v := &view{snapshot: t.snapshot, clock: t.clock, adopted: t.adopted}
	v.each(t.store.snapshots.hold)
	m.State = v
	return m
}

// Unpin ends the use of a pinned mark.
func (t *txn) Unpin(m store.Mark) { m.State.(*view).each(t.store.snapshots.release) }

// at is what a read sees.
func (t *txn) at(m *store.Mark) *view {
	if m != nil && m.State != nil {
		return m.State.(*view)
	}
	return &t.view
}

// Overtaken says whether a later commit than those of what a read sees has written a key.
func (t *txn) Overtaken(s *store.Space, key store.Key, at *store.Mark) bool {
	if t.ticket == nil {
		return false
	}
	t.key = overlay.AppendKey(t.key[:0], s.Home(), key)
	return t.store.conflicts.overtaken(maphash.Bytes(t.store.conflicts.seed, t.key), t.at(at).clock)
}

// Wrote says whether the transaction has written a key.
func (t *txn) Wrote(s *store.Space, key store.Key) bool {
	t.key = overlay.AppendKey(t.key[:0], s.Home(), key)
	_, own := t.own.Get(t.key, nil)
	return own
}

// noteLatest notes that a key was read as it was at a time, later than the view.
func (t *txn) noteLatest(key []byte, clock uint64) {
	if t.latest == nil {
		t.latest = map[string]uint64{}
	}
	t.latest[string(key)] = clock
}

package memstore

import (
	"context"

	"zproxy/store"
)

// view is what a transaction sees of the store.
type view struct {
	seen  map[store.SpaceID]space
	clock uint64 // commits there were
	// before are the views that there were when something was written, and latest the clocks of keys that were read
	// as they were later than the view.
	before []refreshed
	latest map[string]uint64
}

// refreshed is a view that was refreshed: the writes of the transaction before an epoch were guarded by its clock.
type refreshed struct {
	until uint32
	clock uint64
}

// present is the state of the store, with its clock.
func (s *Store) present() (map[store.SpaceID]space, uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.spaces, s.commits
}

// Refresh lets reads see what has been committed.
func (t *txn) Refresh() {
	t.before = append(t.before, refreshed{t.own.Begin(), t.clock})
	t.seen, t.clock = t.store.present()
}

// guardedSince is behind what time no other transaction may have written what a write is about.
func (t *txn) guardedSince(w *write) uint64 {
	if w.Guard == store.Absent {
		return t.clock // there was none in the present state
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
	m.State = &view{seen: t.seen, clock: t.clock}
	return m
}

// Unpin ends the use of a pinned mark.
func (t *txn) Unpin(store.Mark) {}

// Overtaken says whether a later commit than those of what a read sees has written a key.
func (t *txn) Overtaken(s *store.Space, key store.Key, at *store.Mark) bool {
	whole := wholeKey(s, key)
	clock := t.clock
	if at != nil && at.State != nil {
		clock = at.State.(*view).clock
	}
	t.store.mu.Lock()
	defer t.store.mu.Unlock()
	return t.store.written[whole] > clock
}

// AwaitDurable implements store.Viewer: nothing is durable.
func (t *txn) AwaitDurable(context.Context) error { return nil }

// Validate implements store.Txn: a snapshot is one state.
func (t *txn) Validate(context.Context) error { return nil }

// Adopt implements store.Txn.
func (t *txn) Adopt(...store.Space) bool { return false }

// partItems is how many items a part of a range has.
const partItems = 50

// Divide implements store.Txn.
func (t *txn) Divide(s *store.Space, r store.Range) (parts []store.Range, err error) {
	if t.store.options.Unordered {
		return nil, nil
	}
	items := t.items(t.state(s, false, nil)[s.Home()].items, s, &store.Scan{Range: r}, nil)
	rest := r
	for i := partItems; i < len(items); i += partItems {
		part := rest
		part.To = items[i].bound(r)
		parts, rest.From = append(parts, part), part.To
	}
	return append(parts, rest), nil
}

// Wrote says whether the transaction has written a key.
func (t *txn) Wrote(s *store.Space, key store.Key) bool {
	_, own := t.own.Get([]byte(wholeKey(s, key)), nil)
	return own
}

// noteLatest notes that a key was read as it was at a time, later than the view.
func (t *txn) noteLatest(key string, clock uint64) {
	if t.latest == nil {
		t.latest = map[string]uint64{}
	}
	t.latest[key] = clock
}

package dynamostore

import (
	"context"
	"errors"
	"fmt"
	"maps"

	"zproxy/store"
	"zproxy/store/overlay"
)

// txn is one transaction: its own writes, and the versions that it read.
type txn struct {
	unsorted
	store  *Store
	mode   store.Mode
	bulk   bulk
	own    overlay.Overlay[item]
	over   map[string]int64 // by whole key of a write: the version that it rests on, if it rests on one
	reads  reads
	spaces map[store.SpaceID]store.Space
	held   map[string]touch // by whole key, see store.Get
	// found are items of other programs as reads have found them, by whole key and fingerprint, and outside is the
	// last table of theirs that is written.
	found   map[string]map[int64]item
	outside string
	looks   looks // at what is read, if it is validated
	done    bool
}

// Begin implements store.Store. A bulk transaction uses the context for its writes too.
func (s *Store) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	t := &txn{store: s, mode: m, over: map[string]int64{}, reads: reads{first: map[string]seen{}},
		spaces: map[store.SpaceID]store.Space{}}
	s.recovery.Do(func() { s.inBackground(s.records.recover) })
	t.bulk = bulk{ctx: ctx, store: s, stats: m.Stats}
	return t, nil
}

// open says whether the transaction may go on.
func (t *txn) open() error {
	if t.done || t.store.closed.Load() {
		return store.ErrClosed
	}
	return nil
}

// Put implements store.Txn.
func (t *txn) Put(s *store.Space, i store.Item, g store.Guard) error {
	if s.Outside != nil {
		return t.putOutside(s, i, g)
	}
	attributes, err := encodeItem(s, i)
	if err != nil {
		return fmt.Errorf("dynamodb: %w", err)
	}
	if n := size(attributes) + versionSize; n > maxItem {
		return fmt.Errorf("dynamodb: %w", &store.TooLarge{Space: s.Name, Bytes: n, Most: maxItem})
	}
	at := overlayKey(s, i.Key)
	if err := t.mayWrite(s, at, g); err != nil {
		return err
	}
	if t.mode.Bulk {
		return t.bulk.add(at, write{table: t.store.table(s), attributes: attributes})
	}
	return t.own.Put(s.Home(), i.Key, attributes, plain(g))
}

// Delete implements store.Txn.
func (t *txn) Delete(s *store.Space, key store.Key, g store.Guard) error {
	at := overlayKey(s, key)
	if err := t.mayWrite(s, at, g); err != nil {
		return err
	}
	if t.mode.Bulk {
		attributes, err := encodeKey(s, key)
		if err != nil {
			return fmt.Errorf("dynamodb: %w", err)
		}
		return t.bulk.add(at, write{table: t.store.table(s), key: attributes})
	}
	return t.own.Delete(s.Home(), key, plain(g))
}

// touch is an item that the commit gives a new version, so that a transaction that began before and deletes it meets
// a conflict: a condition on the item alone would tell it nothing.
type touch struct {
	table string
	key   item
	over  int64 // the version that was found
}

// hold notes an item that the commit needs as it was found.
func (t *txn) hold(s *store.Space, at string, key store.Key) error {
	attributes, err := encodeKey(s, key)
	if err != nil {
		return fmt.Errorf("dynamodb: %w", err)
	}
	if t.held == nil {
		t.held = map[string]touch{}
	}
	over, _ := t.reads.version(at, store.Unchanged)
	t.held[at] = touch{t.store.table(s), attributes, over}
	return nil
}

// mayWrite refuses writes that cannot be carried out as they are asked for.
func (t *txn) mayWrite(s *store.Space, at string, g store.Guard) error {
	if err := t.open(); err != nil {
		return err
	}
	if t.mode.ReadOnly {
		return errors.New("dynamodb: a write in a read-only transaction")
	}
	if secondary(s) {
		return errNotSecondary
	}
	if t.mode.Bulk {
		return nil
	}
	if err := t.mayWriteOutside(s); err != nil {
		return err
	}
	t.spaces[s.Home()] = *s
	return t.rest(s, at, g)
}

// rest notes the version that a write rests on. That of the first write of an item counts, and others of the
// transaction must not rest on another one.
func (t *txn) rest(s *store.Space, at string, g store.Guard) error {
	version, read := t.reads.version(at, g)
	needed := plain(g) == store.Unchanged
	if _, own := t.own.Get([]byte(at), nil); own {
		if over, rests := t.over[at]; rests && read && needed && over != version {
			return errRewritten
		}
		return nil
	}
	if needed && !read {
		return garbage(t.tableOf(s), errors.New("an item was read whose attributes do not make its key"))
	}
	if read {
		t.over[at] = version
	}
	return nil
}

// tableOf is the table of a space, which may be one of other programs.
func (t *txn) tableOf(s *store.Space) string {
	if s.Outside != nil {
		return s.Outside.Table
	}
	return t.store.table(s)
}

// plain is a guard as the commit knows it.
func plain(g store.Guard) store.Guard {
	if g == store.Renewed {
		return store.Unchanged
	}
	return g
}

// rememberItem keeps what a read has found at a key of a space.
func (t *txn) rememberItem(s *store.Space, at string, attributes item, now seen, latest bool) error {
	if s.Outside != nil {
		return t.rememberOutside(s, at, attributes, now, latest)
	}
	return t.remember(at, attributes, now.after, latest)
}

// remember keeps the version that a read found, which began when so many commits of the process were over.
func (t *txn) remember(at string, attributes item, after uint64, latest bool) error {
	now := seen{after: after}
	if attributes != nil {
		var err error
		if now.version, err = decodeVersion(attributes); err != nil {
			return err
		}
	}
	return t.reads.note(at, now, latest, t.mode.Serializable)
}

// Commit implements store.Txn.
func (t *txn) Commit(ctx context.Context) error {
	if err := t.open(); err != nil {
		return err
	}
	t.done = true
	if t.mode.Bulk {
		return t.bulk.flush(ctx)
	}
	writes, err := t.writes()
	if err != nil {
		return fmt.Errorf("dynamodb: %w", err)
	}
	if writes.len() == 0 {
		return t.validateAll(ctx)
	}
	defer t.store.recent.over(t.written)
	if t.mode.Serializable {
		writes.looks = &t.looks
	}
	return t.store.commit(ctx, t.mode, writes)
}

// validateAll ends a transaction that has only read. One that has read nothing since its last second look comes where
// that was, whatever has been committed since.
func (t *txn) validateAll(ctx context.Context) error {
	if _, valid := t.looks.count(); valid || !t.mode.Serializable {
		return nil
	}
	return t.Validate(ctx)
}

// written are the whole keys of what the transaction writes.
func (t *txn) written(yield func(at string) bool) {
	for own := range t.own.All {
		if !yield(own.Key) {
			return
		}
	}
	for at := range t.held {
		if !yield(at) {
			return
		}
	}
}

func (t *txn) writes() (*phases, error) {
	var writes phases
	for own := range t.own.All {
		s := t.spaces[overlay.SpaceOf(own.Key)]
		if s.Outside != nil {
			w, err := t.outsideWrite(&s, &own)
			if err != nil {
				return nil, err
			}
			writes.add(w)
			continue
		}
		key, err := encodeKey(&s, splitKey(&own))
		if err != nil {
			return nil, err
		}
		over, read := t.over[own.Key]
		guard := own.Guard
		if guard == store.Loose && !own.Delete && t.mode.Serializable {
			guard = store.Always // made before, it would be what has changed since the transaction read its range
		}
		writes.add(write{
			table: t.store.table(&s), key: key, attributes: own.Payload,
			whole: own.Key, guard: guard, seen: over, read: read, expiry: expiryName(s.Expiry),
			carries: len(s.Carries),
		})
	}
	for at, h := range t.held {
		if _, own := t.own.Get([]byte(at), nil); !own && t.own.Len() > 0 {
			writes.add(write{table: h.table, key: h.key, touch: true, whole: at, guard: store.Unchanged, seen: h.over,
				read: true})
		}
	}
	return &writes, nil
}

// Mark implements store.Txn.
func (t *txn) Mark() store.Mark { return t.own.Mark() }

// Refresh lets the reads from now on count for the writes that follow: each sees what is committed anyway.
func (t *txn) Refresh() {
	t.reads.forget()
	t.forgetFound()
	t.looks.forget()
}

// Pin is Mark, with what tells reads before a Refresh from later ones.
func (t *txn) Pin() store.Mark {
	m := t.own.Mark()
	m.State = t.reads.refreshed
	return m
}

// Unpin does nothing.
func (t *txn) Unpin(store.Mark) {}

// AwaitDurable implements store.Viewer: what others see is durable.
func (t *txn) AwaitDurable(context.Context) error { return nil }

// Overtaken implements store.Viewer. What the transaction has written it has also locked.
func (t *txn) Overtaken(s *store.Space, key store.Key, at *store.Mark) bool {
	whole := overlayKey(s, key)
	if _, renewed := t.reads.latest[whole]; renewed {
		return true
	}
	if t.Wrote(s, key) {
		return false
	}
	first, read := t.reads.first[whole]
	if at != nil && at.State != nil && at.State != t.reads.refreshed {
		return true
	}
	return !read || t.store.recent.since(whole, first.after)
}

// Wrote implements store.Viewer.
func (t *txn) Wrote(s *store.Space, key store.Key) bool {
	_, own := t.own.Get([]byte(overlayKey(s, key)), nil)
	return own
}

// RollbackTo implements store.Txn. The versions that were read stay known.
func (t *txn) RollbackTo(m store.Mark) {
	t.own.RollbackTo(m)
	maps.DeleteFunc(t.over, func(at string, _ int64) bool {
		_, own := t.own.Get([]byte(at), nil)
		return !own
	})
	if t.outside != "" {
		t.outside = outsideOf(&t.own, t.spaces)
	}
}

// Rollback implements store.Txn.
func (t *txn) Rollback() { t.done = true }

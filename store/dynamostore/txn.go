package dynamostore

import (
	"context"
	"errors"
	"fmt"

	"zproxy/store"
	"zproxy/store/overlay"
)

// txn is one transaction: its own writes, and the versions that it read.
type txn struct {
	store  *Store
	mode   store.Mode
	bulk   bulk
	own    overlay.Overlay[item]
	seen   map[string]int64 // by whole key: the version first read, 0 for no item
	spaces map[store.SpaceID]store.Space
	loose  int              // writes with the guard Loose so far, or more
	held   map[string]touch // by whole key, see store.Get
	done   bool
}

// Begin implements store.Store. A bulk transaction uses the context for its writes too.
func (s *Store) Begin(ctx context.Context, m store.Mode) (store.Txn, error) {
	if err := s.check(ctx); err != nil {
		return nil, err
	}
	t := &txn{store: s, mode: m, seen: map[string]int64{}, spaces: map[store.SpaceID]store.Space{}}
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
	attributes, err := encodeItem(s, i)
	if err != nil {
		return fmt.Errorf("dynamodb: %w", err)
	}
	if n := size(attributes) + versionSize; n > maxItem {
		return fmt.Errorf("dynamodb: an item of %d bytes, at most %d: %w", n, maxItem, store.ErrTooLarge)
	}
	at := overlayKey(s, i.Key)
	if err := t.mayWrite(s, at, g); err != nil {
		return err
	}
	if t.mode.Bulk {
		return t.bulk.add(at, write{table: t.store.table(s), attributes: attributes})
	}
	return t.fits(g, t.own.Put(s.Home(), i.Key, attributes, g))
}

// Delete implements store.Txn.
func (t *txn) Delete(s *store.Space, key store.Key, g store.Guard) error {
	attributes, err := encodeKey(s, key)
	if err != nil {
		return fmt.Errorf("dynamodb: %w", err)
	}
	at := overlayKey(s, key)
	if err := t.mayWrite(s, at, g); err != nil {
		return err
	}
	if t.mode.Bulk {
		return t.bulk.add(at, write{table: t.store.table(s), key: attributes})
	}
	return t.fits(g, t.own.Delete(s.Home(), key, g))
}

// touch is an item that the commit gives a new version, so that a transaction that began before and deletes it meets
// a conflict: a condition on the item alone would tell it nothing.
type touch struct {
	table string
	key   item
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
	t.held[at] = touch{t.store.table(s), attributes}
	return nil
}

// fits refuses a write at once when there are surely more than a commit takes, so that no statement goes
// on for nothing.
func (t *txn) fits(g store.Guard, err error) error {
	if g == store.Loose {
		t.loose++
	}
	if err == nil && !t.mode.NonAtomic && t.own.Len()+len(t.held)-t.loose > maxTransactItems {
		return fmt.Errorf("dynamodb: %w", &store.TooMany{Most: maxTransactItems})
	}
	return err
}

// mayWrite refuses writes that cannot be carried out as they are asked for.
func (t *txn) mayWrite(s *store.Space, at string, g store.Guard) error {
	if err := t.open(); err != nil {
		return err
	}
	if t.mode.ReadOnly {
		return errors.New("dynamodb: a write in a read-only transaction")
	}
	if _, read := t.seen[at]; g == store.Unchanged && !read && !t.mode.Bulk {
		if _, own := t.own.Get([]byte(at), nil); !own {
			return garbage(t.store.table(s), errors.New("an item was read whose attributes do not make its key"))
		}
	}
	t.spaces[s.Home()] = *s
	return nil
}

// remember keeps the version that a read found. The first one counts: when a later read
// finds another, what was concluded from the first no longer holds.
func (t *txn) remember(at string, attributes item) error {
	if _, again := t.seen[at]; again {
		return nil
	}
	if attributes == nil {
		t.seen[at] = 0
		return nil
	}
	v, err := decodeVersion(attributes)
	if err == nil {
		t.seen[at] = v
	}
	return err
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
		return nil
	}
	return t.store.commit(ctx, t.mode, writes)
}

func (t *txn) writes() (*phases, error) {
	var writes phases
	for own := range t.own.All {
		s := t.spaces[spaceOf(&own)]
		key, err := encodeKey(&s, splitKey(&own))
		if err != nil {
			return nil, err
		}
		seen, read := t.seen[own.Key]
		writes.add(write{
			table: t.store.table(&s), key: key, attributes: own.Payload,
			guard: own.Guard, seen: seen, read: read,
		})
	}
	for at, h := range t.held {
		if _, own := t.own.Get([]byte(at), nil); !own && t.own.Len() > 0 {
			writes.add(write{table: h.table, key: h.key, touch: true, guard: store.Unchanged, seen: t.seen[at],
				read: true})
		}
	}
	return &writes, nil
}

// Mark implements store.Marker.
func (t *txn) Mark() store.Mark { return t.own.Mark() }

// Refresh does nothing: each read sees what is committed.
func (t *txn) Refresh() {}

// Pin is Mark.
func (t *txn) Pin() store.Mark { return t.own.Mark() }

// Unpin does nothing.
func (t *txn) Unpin(store.Mark) {}

// Overtaken does not know.
func (t *txn) Overtaken(*store.Space, store.Key, *store.Mark) bool { return false }

// RollbackTo implements store.Marker. The versions that were read stay known.
func (t *txn) RollbackTo(m store.Mark) { t.own.RollbackTo(m) }

// Rollback implements store.Txn.
func (t *txn) Rollback() { t.done = true }

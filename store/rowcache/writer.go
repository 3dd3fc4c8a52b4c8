package rowcache

import (
	"context"
	"slices"

	"zproxy/store"
)

// mostKeys is how many keys a transaction notes; beyond that it takes whole spaces out.
const mostKeys = 1000

// Writer takes what a transaction writes out of the cache when it is committed, or may have been. It is in memory of
// the caller.
func (c *Cache) Writer(t store.Txn, memory *Writer) store.Txn {
	if c == nil {
		return t
	}
	*memory = Writer{Txn: t, cache: c}
	memory.spaces = memory.few[:0]
	return memory
}

// Writer is a transaction that takes what it writes out of the cache.
type Writer struct {
	store.Txn
	cache  *Cache
	names  [][]byte
	spaces []store.SpaceID // of which all is to be taken out
	few    [4]store.SpaceID
}

// Unwrap is the transaction below.
func (w *Writer) Unwrap() store.Txn { return w.Txn }

func (w *Writer) note(s store.SpaceID, key store.Key) {
	switch {
	case len(w.names) < mostKeys && w.cache.Of(s) != nil:
		w.names = append(w.names, name(nil, s, key))
	case !slices.Contains(w.spaces, s):
		w.spaces = append(w.spaces, s)
	}
}

// Put implements store.Txn.
func (w *Writer) Put(s *store.Space, it store.Item, g store.Guard) error {
	w.note(s.ID, it.Key)
	return w.Txn.Put(s, it, g)
}

// Delete implements store.Txn.
func (w *Writer) Delete(s *store.Space, key store.Key, g store.Guard) error {
	if g != store.Absent {
		w.note(s.ID, key)
	}
	return w.Txn.Delete(s, key, g)
}

// Commit implements store.Txn. Items are taken out behind the commit: what was read before it does not enter any more,
// and what is read behind it is new. An error may be of a commit that was made.
func (w *Writer) Commit(ctx context.Context) error {
	defer func() {
		w.cache.commit.Add(1)
		for _, n := range w.names {
			w.cache.remove(n)
		}
		for _, s := range w.spaces {
			if w.cache.Of(s) != nil {
				w.cache.removeAll(s)
			}
		}
	}()
	return w.Txn.Commit(ctx)
}

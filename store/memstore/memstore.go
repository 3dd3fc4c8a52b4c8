// Package memstore is a store in memory, for tests and as the oracle of other stores.
//
// Its state is one immutable value, so that a transaction's snapshot is a pointer to
// it, and a commit makes the next one. Reads see the store as it was at Begin. Bulk
// transactions are like others.
package memstore

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"

	"zproxy/store"
	"zproxy/store/overlay"
	"zproxy/types"
)

// Options say what kind of store is played.
type Options struct {
	// Unordered plays a store whose partitions have no order: a range without a
	// Partition is accepted only without bounds, and delivers by hash of the partition.
	Unordered bool
	// RangePrice plays a store on which each range, and each jump inside one, is a request that
	// costs as much as reading so many rows; 0: ranges and jumps are nearly free. It jumps only
	// over more unwanted keys than that.
	RangePrice float64
	// Lag plays a store whose eventual reads lag behind: each sees one of so many states before
	// the present one, or that itself, by turns that look random but are always the same.
	Lag int
	// Loose plays a store that makes writes with the guard Loose apart from others: the puts of a
	// commit that fails stay, and of the deletes every second one gets lost.
	Loose bool
	// MostTogether plays a store that writes so many items of a transaction by one request; 0: any number.
	MostTogether int
	// Units plays a store that is charged in read units and write units, and counts them.
	Units bool
}

// Store is a store in memory.
type Store struct {
	options Options
	batches types.BatchPool

	mu     sync.Mutex
	spaces map[store.SpaceID]space // replaced, never changed
	// commits counts those with writes; written has its number when a whole key was
	// last written.
	commits uint64
	past    []map[store.SpaceID]space // the last states before the present one, if reads may lag
	rng     *rand.Rand
	written map[string]uint64
	held    map[string]uint64 // by whole key: the last commit that held it
	deletes uint64            // with the guard Loose, as Options.Loose has them
	closed  bool
}

// space is the items of one space in key order. It never changes.
type space struct {
	name  string
	items []*item
}

// item is stored, and never changes.
type item struct {
	key       string // whole, as package overlay makes it
	partition int    // bytes of key behind the space's number that are its Partition
	size      int    // in bytes, as a store charges it
	ids       []uint32
	values    []types.Value
}

// New makes an empty store.
func New(o Options) *Store {
	return &Store{
		options: o, spaces: map[store.SpaceID]space{}, written: map[string]uint64{}, held: map[string]uint64{}, rng: rand.New(rand.NewPCG(1, 1)),
	}
}

// unorderedSegments is in how many parts a space is read at once that has no order.
const unorderedSegments = 4

// Capabilities are those of Options.
func (s *Store) Capabilities() store.Capabilities {
	segments := 0
	if s.options.Unordered {
		segments = unorderedSegments
	}
	return store.Capabilities{
		Segments:          segments,
		Snapshots:         true,
		Filters:           1,
		OrderedPartitions: !s.options.Unordered, Parallel: 1,
		RangePrice: max(1, s.options.RangePrice), RangeRequests: s.options.RangePrice > 0,
		Loose: s.options.Loose, MostTogether: s.options.MostTogether,
		Units:         s.options.Units,
		MostPartition: s.options.mostKeyBytes(2048), MostSort: s.options.mostKeyBytes(1024),
	}
}

// mostKeyBytes is how long a part of a key may be: as on Pebble, and without order as on DynamoDB.
func (o *Options) mostKeyBytes(unordered int) int {
	if o.Unordered {
		return unordered
	}
	return 30 << 10
}

// Create makes an empty space.
func (s *Store) Create(_ context.Context, sp *store.Space) error {
	return s.change(func(spaces map[store.SpaceID]space) {
		if _, there := spaces[sp.ID]; !there {
			spaces[sp.ID] = space{name: sp.Name}
		}
	})
}

// Drop removes a space.
func (s *Store) Drop(_ context.Context, sp *store.Space) error {
	return s.change(func(spaces map[store.SpaceID]space) { delete(spaces, sp.ID) })
}

// change replaces the state by one that f has changed.
func (s *Store) change(f func(map[store.SpaceID]space)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	next := maps.Clone(s.spaces)
	f(next)
	s.spaces = next
	return nil
}

// Spaces lists the spaces by number.
func (s *Store) Spaces(context.Context) ([]store.Space, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, store.ErrClosed
	}
	var list []store.Space
	for id, sp := range s.spaces {
		list = append(list, store.Space{ID: id, Name: sp.name})
	}
	slices.SortFunc(list, func(a, b store.Space) int { return cmp.Compare(a.ID, b.ID) })
	return list, nil
}

// Items implements store.Sized.
func (s *Store) Items(_ context.Context, sp *store.Space) (items int64, known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, false, store.ErrClosed
	}
	return int64(len(s.spaces[sp.Home()].items)), sp.Host == nil, nil
}

// Bytes implements store.Sized.
func (s *Store) Bytes(_ context.Context, sp *store.Space) (bytes int64, known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return 0, false, store.ErrClosed
	}
	for _, it := range s.spaces[sp.Home()].items {
		bytes += int64(it.size)
	}
	return bytes, sp.Host == nil, nil
}

// Part implements store.Sized.
func (s *Store) Part(_ context.Context, sp *store.Space, number, n int) (part store.Range, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return part, false, store.ErrClosed
	case s.options.Unordered:
		return store.Range{Segment: number, Segments: n}, true, nil
	}
	items := s.spaces[sp.Home()].items
	if len(items) < n || sp.Host != nil {
		return part, false, nil
	}
	at := func(number int) []byte { return []byte(items[len(items)*number/n].key[overlay.SpaceBytes:]) }
	if number > 0 {
		part.From = at(number)
	}
	if number+1 < n {
		part.To = at(number + 1)
	}
	return part, true, nil
}

// Begin starts a transaction on the present state.
func (s *Store) Begin(_ context.Context, m store.Mode) (store.Txn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, store.ErrClosed
	}
	t := &txn{store: s, mode: m, view: view{seen: s.spaces, clock: s.commits}}
	if m.As != nil {
		t.view = *m.As.State.(*view)
	}
	return t, nil
}

// late is a state that a read may see which lags behind.
func (s *Store) late() map[store.SpaceID]space {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := s.rng.IntN(len(s.past) + 1); at < len(s.past) {
		return s.past[at]
	}
	return s.spaces
}

// Close ends the store.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	s.spaces = nil
	return nil
}

func (s *Store) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// search is where an item with the first key that is not below key is, or would be.
func search(items []*item, key string) int {
	at, _ := slices.BinarySearchFunc(items, key, func(it *item, key string) int { return cmp.Compare(it.key, key) })
	return at
}

func find(items []*item, key string) *item {
	if at := search(items, key); at < len(items) && items[at].key == key {
		return items[at]
	}
	return nil
}

// merge is the items with writes, in key order, done to them.
func merge(items []*item, writes []write) []*item {
	next := make([]*item, 0, len(items)+len(writes))
	for _, w := range writes {
		at := search(items, w.Key)
		next, items = append(next, items[:at]...), items[at:]
		if len(items) > 0 && items[0].key == w.Key {
			items = items[1:]
		}
		if !w.Delete {
			next = append(next, w.Payload)
		}
	}
	return append(next, items...)
}

package dynamostore

import (
	"bytes"
	"context"
	"fmt"
	"hash/maphash"
	"sync"

	"zproxy/store"
)

// looks are what a transaction has read that must be as it was, all at one moment. A second look at all of it, later
// than every first one, shows that: what is the same in both was so in between. A commit with writes takes it when all
// its intents are there (Tu et al. 2013), and commits if no item has another version and no range another item.
type looks struct {
	mu     sync.Mutex
	broken bool               // two reads have found different items
	keys   map[string]keyLook // by whole key
	ranges []*rangeLook
	plain  map[plainRange]fingerprint // of ranges that were read without any choice of items
	valid  int                        // as many of keys and ranges were of one moment when Validate looked
}

// plainRange tells ranges apart that were read to their ends.
type plainRange struct {
	space         store.SpaceID
	partition     string
	from, to      string
	all, infinite bool // there is no partition, or no end
	segment, of   int
}

// keyLook is the version of an item that was read by its key, 0 for none.
type keyLook struct {
	space   *store.Space
	key     store.Key
	version int64
}

// rangeLook is a range that was read, and the items that were found there.
type rangeLook struct {
	space *store.Space
	ask   store.Scan // of the keys alone
	most  int        // of a scan that ended early, in no order: how many items it read; 0: it read all
	sum   fingerprint
}

// fingerprint stands for a set of items with their versions. Other sets hardly ever have the same one.
type fingerprint struct {
	high, low uint64
	items     int
}

var seeds = [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}

// add adds an item. The order does not matter.
func (f *fingerprint) add(key store.Key, version int64) {
	entry := struct {
		partition, sort string
		version         int64
	}{string(key.Partition), string(key.Sort), version}
	f.high += maphash.Comparable(seeds[0], entry)
	f.low += maphash.Comparable(seeds[1], entry)
	f.items++
}

// noteKey notes what was found at a key, and says whether that is new. It is an error if that was something else
// before.
func (l *looks) noteKey(at string, s *store.Space, key store.Key, version int64) (fresh bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if before, known := l.keys[at]; known {
		l.broken = l.broken || before.version != version
		return false, l.unlessBroken()
	}
	if l.keys == nil {
		l.keys = map[string]keyLook{}
	}
	l.keys[at] = keyLook{s, key, version}
	return true, nil
}

// noteRange notes a range with what was found there, unless nothing was read of it. It is an error if something
// else was there before.
func (l *looks) noteRange(r *rangeLook) error {
	if r == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r.most == 0 && r.ask.After == nil && r.ask.Skip == nil && r.ask.Filter == nil {
		g := r.ask.Range
		at := plainRange{r.space.ID, string(g.Partition), string(g.From), string(g.To), g.Partition == nil, g.To == nil,
			g.Segment, g.Segments}
		before, known := l.plain[at]
		switch {
		case known:
			l.broken = l.broken || before != r.sum
			return l.unlessBroken()
		case l.plain == nil:
			l.plain = map[plainRange]fingerprint{}
		}
		l.plain[at] = r.sum
	}
	l.ranges = append(l.ranges, r)
	return nil
}

// unlessBroken is the conflict of reads that have found different items.
func (l *looks) unlessBroken() error {
	if l.broken {
		return errRewritten
	}
	return nil
}

// forget begins anew.
func (l *looks) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keys, l.ranges, l.plain, l.broken, l.valid = nil, nil, nil, false, 0
}

// count is how much has been looked at, and says whether all of that was of one moment when Validate looked.
func (l *looks) count() (n int, valid bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n = len(l.keys) + len(l.ranges)
	return n, n > 0 && n == l.valid && !l.broken
}

// single says whether there is nothing that could be of another moment than the rest.
func (l *looks) single() bool { return len(l.ranges) == 0 && len(l.keys) < 2 }

// newRangeLook begins to look at a range.
func newRangeLook(s *store.Space, ask *store.Scan) *rangeLook {
	l := &rangeLook{space: s, ask: store.Scan{Range: ask.Range, After: ask.After, Reverse: ask.Reverse,
		Skip: ask.Skip, Filter: ask.Filter}}
	l.ask.Each = ask.Each
	return l
}

// endAt ends a look before the end of the range, at a key that it has read, or before one that it has not.
func (r *rangeLook) endAt(key store.Key, read bool) {
	g := &r.ask.Range
	switch {
	case g.Partition == nil:
		r.most = max(r.sum.items, 1)
	case r.ask.Reverse && read:
		g.From = key.Sort
	case r.ask.Reverse:
		g.From = append(bytes.Clone(key.Sort), 0)
	case read:
		g.To = append(bytes.Clone(key.Sort), 0)
	default:
		g.To = key.Sort
	}
}

var errChanged = fmt.Errorf("dynamodb: what was read has changed since: %w", store.ErrConflict)

// again takes the second look for a transaction with intents, or none.
func (l *looks) again(ctx context.Context, s *Store, own *txnID, stats *store.Stats) error {
	if err := l.keysAgain(ctx, s, own, stats); err != nil {
		return err
	}
	var mu sync.Mutex
	return each(ctx, parallelScans, l.ranges, func(ctx context.Context, r **rangeLook) error {
		took, err := (*r).again(ctx, s, own)
		mu.Lock()
		defer mu.Unlock()
		stats.Add(took)
		return err
	})
}

// again takes the second look at a range.
func (r *rangeLook) again(ctx context.Context, s *Store, own *txnID) (*store.Stats, error) {
	ask := r.ask
	ask.Stats, ask.Enough = &store.Stats{}, r.most
	in := reader{store: s, space: r.space, table: s.table(r.space), strong: true,
		want: newProjection(r.space, nil, true), filter: newFilter(r.space, ask.Filter)}
	in.intents = resolver{store: s, table: in.table, want: in.want, decided: own}
	in.pager = pager{scan: &ask, filtered: in.filter.expression != nil, enough: r.most}
	var now fingerprint
	err := in.each(ctx, func(key store.Key, attributes item) (bool, error) {
		version, err := decodeVersion(attributes)
		if err != nil {
			return false, garbage(in.table, err)
		}
		now.add(key, version)
		return r.most == 0 || now.items < r.most, nil
	})
	if err == nil && now != r.sum {
		err = errChanged
	}
	return ask.Stats, err
}

// keysAgain takes the second look at the items that were read by their keys.
func (l *looks) keysAgain(ctx context.Context, s *Store, own *txnID, stats *store.Stats) error {
	spaces := map[string]*getter{}
	for at, k := range l.keys {
		g := spaces[s.table(k.space)]
		if g == nil {
			g = newGetter(s, k.space, newProjection(k.space, nil, true), stats)
			g.intents.decided = own
			spaces[g.table] = g
		}
		if err := g.ask(at, k.key); err != nil {
			return err
		}
	}
	for _, g := range spaces {
		if err := g.get(ctx); err != nil {
			return err
		}
		stats.Add(&g.intents.stats)
		for at, found := range g.found {
			if version, err := versionOf(found); err != nil {
				return garbage(g.table, err)
			} else if version != l.keys[at].version {
				return errChanged
			}
		}
	}
	return nil
}

// versionOf is the version of an item, 0 for none.
func versionOf(of item) (int64, error) {
	if of == nil {
		return 0, nil
	}
	return decodeVersion(of)
}

// checks are the conditions on what was read by its keys, and not written, for the request that writes, if that can
// check all. Writes of what was read get the condition themselves.
func (l *looks) checks(s *Store, writes map[string]*write) (list []write, err error) {
	for at, k := range l.keys {
		if w := writes[at]; w != nil {
			if w.guard == store.Unchanged && w.seen != k.version || w.guard == store.Absent && k.version != 0 {
				return nil, errRewritten
			}
			w.guard, w.seen, w.read = store.Unchanged, k.version, true
			continue
		}
		if len(l.ranges) > 0 { // the second look is at all of it
			continue
		}
		key, err := encodeKey(k.space, k.key)
		if err != nil {
			return nil, err
		}
		list = append(list, write{table: s.table(k.space), key: key, check: true, guard: store.Unchanged,
			seen: k.version, read: true})
	}
	return list, nil
}

// validates says whether reads are noted.
func (t *txn) validates(s *store.Space) bool {
	return (t.mode.Validated || t.mode.Serializable) && s.Outside == nil
}

// noteKeys notes what a Get has found that the transaction has not written.
func (t *txn) noteKeys(g *getter, ask *store.Get, ids []string) error {
	for i, at := range ids {
		if _, own := t.own.Get([]byte(at), ask.At); own {
			continue
		}
		version, err := versionOf(g.found[at])
		if err != nil {
			return garbage(g.table, err)
		}
		key := store.Key{Partition: bytes.Clone(ask.Keys[i].Partition), Sort: bytes.Clone(ask.Keys[i].Sort)}
		fresh, err := t.looks.noteKey(at, g.space, key, version)
		if err := t.inTime(err); err != nil {
			return err
		}
		if fresh {
			ask.Stats.Remembered++
		}
	}
	return nil
}

// inTime is an error of a look if the reads must be of one state: otherwise it counts if that is asked for.
func (t *txn) inTime(err error) error {
	if t.mode.Serializable {
		return err
	}
	return nil
}

// observer stands for a transaction that only reads: it begins after all others, so that it waits for them and aborts
// none.
var observer = txnID(bytes.Repeat([]byte{0xff}, len(txnID{})))

// Validate implements store.Txn. Where the transaction is to be in an order with others, it waits for those that have
// intents in what it has read: one of them may have taken its own second look, at what a third one has changed since
// and this one has read, and so comes before both.
func (t *txn) Validate(ctx context.Context) error {
	if err := t.looks.unlessBroken(); err != nil || t.looks.single() {
		return err
	}
	stats, as := &store.Stats{}, (*txnID)(nil)
	if t.mode.Stats != nil {
		stats = t.mode.Stats
	}
	if t.mode.Serializable {
		as = &observer
	}
	count, _ := t.looks.count()
	if err := t.looks.again(ctx, t.store, as, stats); err != nil {
		return err
	}
	t.looks.valid = count
	return nil
}

// unsorted is a transaction of a store whose bulk transactions write items as they come.
type unsorted struct{}

// Adopt implements store.Txn.
func (unsorted) Adopt(...store.Space) bool { return false }

// Divide implements store.Txn: requests are what is waited for, and a Range has Segments.
func (unsorted) Divide(*store.Space, store.Range) ([]store.Range, error) { return nil, nil }

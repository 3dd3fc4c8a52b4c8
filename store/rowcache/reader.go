package rowcache

import (
	"context"
	"slices"
	"time"

	"zproxy/store"
	"zproxy/store/eventual"
	"zproxy/types"
)

// often is how many times a key must be missed lately before it is kept.
const often = 2

// Start is when a transaction begins. It is made before the store's is. Reads that may miss commits before that are
// not kept.
type Start struct {
	at       time.Time
	commit   uint64
	eventual eventual.Reads
}

// Start is now.
func (c *Cache) Start(e eventual.Reads) Start {
	if c == nil || !c.active.Load() {
		return Start{}
	}
	return Start{c.now(), c.commit.Load(), e}
}

// keeps says whether what the transaction reads of a space may be kept.
func (s *Start) keeps(of *store.Space) bool { return !s.at.IsZero() && !s.eventual.Of(of.Eventual) }

// Reader lets reads of a transaction that only reads be answered from the cache, as far as they allow it. It is in
// memory of the caller.
func (c *Cache) Reader(t store.Txn, start Start, memory *Reader) store.Txn {
	if c == nil {
		return t
	}
	*memory = Reader{Txn: t, cache: c, start: start}
	return memory
}

// Reader is a transaction that reads from the cache, too.
type Reader struct {
	store.Txn
	cache *Cache
	start Start
}

// Unwrap is the transaction below.
func (r *Reader) Unwrap() store.Txn { return r.Txn }

// Get implements store.Txn.
func (r *Reader) Get(ctx context.Context, s *store.Space, g *store.Get, out *types.Batch) ([]bool, error) {
	if g.Stale <= 0 || g.Remember || g.At != nil || len(s.Columns) == 0 {
		return r.Txn.Get(ctx, s, g, out)
	}
	r.cache.active.Store(true)
	counts := r.cache.counts(s.ID)
	found := make([]bool, len(g.Keys))
	begin := out.Len()
	for range g.Keys {
		out.Add()
	}
	var missed []int
	wanted := false // a key that was missed is to be kept
	now := r.cache.now()
	for i, key := range g.Keys {
		hit, keep := r.hit(s, key, g, now, out.Row(begin+i))
		if hit == nil {
			missed, wanted = append(missed, i), wanted || keep
			continue
		}
		if found[i] = hit.found; hit.found {
			g.Stats.Items++
		}
	}
	counts.Hits.Add(int64(len(g.Keys) - len(missed)))
	counts.Misses.Add(int64(len(missed)))
	g.Stats.CacheHits += int64(len(g.Keys) - len(missed))
	g.Stats.CacheMisses += int64(len(missed))
	if len(missed) == 0 {
		return found, nil
	}
	return found, r.fetch(ctx, s, g, missing{missed, found, wanted && r.start.keeps(s), begin}, out)
}

// missing are the keys of a Get that are read from the store.
type missing struct {
	at     []int // their ordinals
	found  []bool
	wanted bool // some are to be kept
	begin  int  // the row of the first key
}

// fetch reads what was missed, with all columns if it is to be kept.
func (r *Reader) fetch(ctx context.Context, s *store.Space, g *store.Get, m missing, out *types.Batch) error {
	ask := *g
	ask.Stale, ask.Keys = 0, nil
	for _, i := range m.at {
		ask.Keys = append(ask.Keys, g.Keys[i])
	}
	if m.wanted {
		ask.Columns = make([]int, len(s.Columns))
		for i := range ask.Columns {
			ask.Columns[i] = i
		}
	}
	rows := types.NewBatch(len(ask.Columns))
	there, err := r.Txn.Get(ctx, s, &ask, rows)
	if err != nil {
		return err
	}
	for n, i := range m.at {
		m.found[i] = there[n]
		to := out.Row(m.begin + i)
		if !m.wanted {
			copy(to, rows.Row(n))
			continue
		}
		project(to, rows.Row(n), g.Columns)
		r.keep(s, ask.Keys[n], rows.Row(n), there[n])
	}
	return nil
}

func project(to, row types.Row, columns []int) {
	for at, c := range columns {
		if to[at] = types.Null; c != store.NoColumn {
			to[at] = row[c]
		}
	}
}

// hit looks for an item that is not too old, and else says whether the key is missed often.
func (r *Reader) hit(s *store.Space, key store.Key, g *store.Get, now time.Time, to types.Row) (hit *item, keep bool) {
	var buf [128]byte
	n := name(buf[:0], s.ID, key)
	part, h := r.cache.shard(n)
	part.mu.Lock()
	defer part.mu.Unlock()
	at := part.items[string(n)]
	switch {
	case at == nil:
		return nil, part.missed.add(h) >= often
	case now.Sub(at.read) >= g.Stale || &at.columns[0] != &s.Columns[0] || len(at.columns) != len(s.Columns):
		return nil, true
	}
	part.use(at)
	project(to, at.values, g.Columns)
	return at, false
}

// keep takes an item in as it was when the transaction began, unless a commit may have written it since.
func (r *Reader) keep(s *store.Space, key store.Key, row types.Row, found bool) {
	n := name(nil, s.ID, key)
	at := &item{name: string(n), space: s.ID, counts: r.cache.counts(s.ID), columns: s.Columns, found: found,
		values: slices.Clone(row), read: r.start.at}
	at.bytes = itemOverhead + int64(len(n)) + r.cache.size(row)
	part, _ := r.cache.shard(n)
	part.mu.Lock()
	defer part.mu.Unlock()
	if part.changed <= r.start.commit && at.counts.since.Load() <= r.start.commit {
		part.put(at, r.cache.most)
	}
}

// itemOverhead is what an item takes besides its key and values.
const itemOverhead = 250

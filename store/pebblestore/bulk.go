package pebblestore

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/internal/routine"
	"zproxy/store"
	"zproxy/store/overlay"
)

// A bulk transaction collects what it writes, space by space, and sorts it. What is little it writes as a batch, when
// it is committed. Of more it makes tables while it goes on, on a goroutine of their own, and adds these to the
// database at the end: nothing goes through the log and the memtable.

const (
	// leastTables is how many bytes are worth tables of their own, which take several syncs.
	leastTables = 1 << 20
	// risingBytes is how much is handed on at once as long as keys come in their order.
	risingBytes = 4 << 20
)

// bulk is what a bulk transaction has yet to hand on, and who takes it.
type bulk struct {
	runs   []*run
	bytes  int // in runs
	tables *tables
}

// run is what was written to a space since the last one, in the order in which it came.
type run struct {
	space  store.SpaceID
	data   []byte // keys and values
	items  []runItem
	rising bool // the keys do
}

// runItem is one write of a run.
type runItem struct {
	head              uint64 // the first bytes of the key behind the space's number, by which most keys differ
	at, key, value    uint32 // where in data the key is, and how long it and the value behind it are
	deleted, isSingle bool
}

const runItemBytes = 24

func (r *run) bytes() int { return len(r.data) + runItemBytes*len(r.items) }

func (r *run) keyOf(i *runItem) []byte { return r.data[i.at : i.at+i.key] }

func (r *run) valueOf(i *runItem) []byte { return r.data[i.at+i.key : i.at+i.key+i.value] }

// add adds a write, of which the key is in data from an offset on.
func (r *run) add(from int, value []byte, i runItem) {
	i.at, i.key, i.value = uint32(from), uint32(len(r.data)-from), uint32(len(value))
	r.data = append(r.data, value...)
	i.head = headOf(r.keyOf(&i))
	if n := len(r.items); r.rising && n > 0 {
		r.rising = r.compare(&r.items[n-1], &i) < 0
	}
	r.items = append(r.items, i)
}

// headOf is the head of a whole key. Of a key that is shorter it is as if it went on with zeros, which is no less than
// any key that goes on like that.
func headOf(key []byte) uint64 {
	key = key[overlay.SpaceBytes:]
	if len(key) >= 8 {
		return binary.BigEndian.Uint64(key)
	}
	var padded [8]byte
	copy(padded[:], key)
	return binary.BigEndian.Uint64(padded[:])
}

func (r *run) compare(a, b *runItem) int {
	switch {
	case a.head < b.head:
		return -1
	case a.head > b.head:
		return 1
	}
	return bytes.Compare(r.keyOf(a), r.keyOf(b))
}

// sort puts the writes in the order of their keys, those of one key in the order in which they came.
func (r *run) sort() {
	if r.rising {
		return
	}
	slices.SortFunc(r.items, func(a, b runItem) int {
		if c := r.compare(&a, &b); c != 0 {
			return c
		}
		return int(a.at) - int(b.at)
	})
}

// last yields, of sorted writes, the last one of each key. Of a key that was written more than once with the promise
// that it is not, it is a store.Duplicate.
func (r *run) last(yield func(*runItem) error) error {
	for n := range r.items {
		i := &r.items[n]
		if n+1 < len(r.items) && r.compare(i, &r.items[n+1]) == 0 {
			if i.isSingle || r.items[n+1].isSingle {
				return &store.Duplicate{Space: r.space, Key: bytes.Clone(r.keyOf(i)[overlay.SpaceBytes:])}
			}
			continue
		}
		if err := yield(i); err != nil {
			return err
		}
	}
	return nil
}

// bulkWrite adds a write.
func (t *txn) bulkWrite(s *store.Space, key store.Key, value []byte, i runItem) error {
	b := &t.bulk
	at := b.runOf(s.Home())
	r := b.runs[at]
	from, before := len(r.data), r.bytes()
	r.data = overlay.AppendKey(r.data, r.space, key)
	r.add(from, value, i)
	b.bytes += r.bytes() - before
	switch {
	case r.rising && r.bytes() >= risingBytes:
		return t.emit(at)
	case b.bytes >= t.store.runBytes:
		largest := 0
		for i, r := range b.runs {
			if r.bytes() > b.runs[largest].bytes() {
				largest = i
			}
		}
		return t.emit(largest)
	}
	return nil
}

// runOf is the position of the run of a space.
func (b *bulk) runOf(space store.SpaceID) int {
	at := slices.IndexFunc(b.runs, func(r *run) bool { return r.space == space })
	if at < 0 {
		at = len(b.runs)
		b.runs = append(b.runs, &run{space: space, rising: true})
	}
	return at
}

// emit lets a run be made tables of.
func (t *txn) emit(at int) error {
	b := &t.bulk
	if err := t.store.room.check(); err != nil {
		return err
	}
	if b.tables == nil {
		b.tables = newTables(t.store)
	}
	r := b.runs[at]
	b.bytes -= r.bytes()
	next, err := b.tables.take(r)
	b.runs[at] = next
	return err
}

// finishTables makes tables of all that there is, see tables.finish.
func (t *txn) finishTables() (rounds [][]string, err error) {
	for i := range t.bulk.runs {
		if err := t.emit(i); err != nil {
			return nil, err
		}
	}
	if t.bulk.tables == nil { // there is nothing to write
		return nil, nil
	}
	return t.bulk.tables.finish()
}

func (t *txn) commitBulk(ctx context.Context) error {
	b := &t.bulk
	if b.tables == nil && b.bytes < leastTables {
		return t.commitRuns()
	}
	rounds, err := t.finishTables()
	if err != nil {
		return err
	}
	err = t.store.show(claims{}, nil, func() error { return t.store.ingestAll(ctx, rounds) })
	if err == nil && len(rounds) > 1 { // tables that overlap
		for _, r := range b.runs {
			from, to := overlay.AppendBounds(nil, r.space, store.Range{})
			routine.Go(func() { t.store.compact(from, to) }, t.store.broke)
		}
	}
	return err
}

// commitRuns writes what is little.
func (t *txn) commitRuns() error {
	if t.bulk.bytes == 0 {
		return nil
	}
	batch := t.store.db.NewBatchWithSize(t.bulk.bytes)
	defer batch.Close()
	for _, r := range t.bulk.runs {
		r.sort()
		if err := r.last(func(i *runItem) error {
			if i.deleted {
				return batch.Delete(r.keyOf(i), nil)
			}
			return batch.Set(r.keyOf(i), r.valueOf(i), nil)
		}); err != nil {
			return err
		}
	}
	return t.store.show(claims{}, nil, func() error { return t.store.write(batch, t.store.db.Apply, pebble.NoSync) })
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

package pebblestore

import (
	"bytes"
	"math"
	"sync"
	"sync/atomic"

	"github.com/cockroachdb/pebble/v2"

	"zproxy/store"
	"zproxy/store/overlay"
)

// unflushed knows what is written to spaces and not yet in tables, which Pebble does not tell.
type unflushed struct {
	mu sync.Mutex
	// now is how many bytes are written since the last flush began, and before what that flush is about. What comes
	// between the end of a memtable and the begin of its flush is counted to the flush.
	now, before map[store.SpaceID]int64
	spans       map[store.SpaceID][]writtenSpan
	unknown     []store.SpaceID // of the last write to which the sequence number is not known
	// published is above the sequence number of each write that a snapshot of now sees for certain.
	published atomic.Uint64
}

// writtenSpan has the keys of writes that may be in no table yet: those from the first to the last.
type writtenSpan struct {
	first, last []byte
	seq         uint64 // of the last write; unknownSeq: of one that has been begun
	closed      bool   // a flush has begun since
}

// unknownSeq stands for a number that Pebble has not told.
const unknownSeq = math.MaxUint64

// mostSpans is how many spans of a space are told apart. They go when a flush has ended that had their last write.
const mostSpans = 4

// add counts the items of a batch that is about to be committed.
func (u *unflushed) add(b *pebble.Batch) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.now == nil {
		u.now = map[store.SpaceID]int64{}
	}
	for r := b.Reader(); ; {
		kind, key, value, ok, err := r.Next()
		if !ok || err != nil {
			return
		}
		if len(key) < overlay.SpaceBytes {
			continue
		}
		id := overlay.SpaceOf(key)
		if kind == pebble.InternalKeyKindRangeDelete {
			u.extend(id, key, value, unknownSeq)
			continue
		}
		u.now[id] += int64(len(key) + len(value))
		u.extend(id, key, key, unknownSeq)
	}
}

// extend notes that keys from one to another are written.
func (u *unflushed) extend(id store.SpaceID, from, to []byte, seq uint64) {
	if u.spans == nil {
		u.spans = map[store.SpaceID][]writtenSpan{}
	}
	spans := u.spans[id]
	last := len(spans) - 1
	if last < 0 || spans[last].closed && len(spans) < mostSpans {
		spans, last = append(spans, writtenSpan{first: bytes.Clone(from)}), last+1
		u.spans[id] = spans
	}
	s := &spans[last]
	if bytes.Compare(from, s.first) < 0 {
		s.first = append(s.first[:0], from...)
	}
	if bytes.Compare(to, s.last) > 0 {
		s.last = append(s.last[:0], to...)
	}
	if seq == unknownSeq && s.seq != unknownSeq {
		u.unknown = append(u.unknown, id)
	}
	s.seq, s.closed = max(s.seq, seq), false
}

// wrote notes the sequence numbers of a batch that was committed, before another one is begun. Of a large batch they
// are not known; those of the next one are above them.
func (u *unflushed) wrote(b *pebble.Batch) {
	first := uint64(b.SeqNum())
	if first == 0 {
		return
	}
	last := first + uint64(b.Count()) - 1
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, id := range u.unknown {
		for i, s := range u.spans[id] {
			if s.seq == unknownSeq {
				u.spans[id][i].seq = last
			}
		}
	}
	u.unknown = u.unknown[:0]
	u.publish(last)
}

// publish notes that snapshots see a sequence number from now on.
func (u *unflushed) publish(seq uint64) { u.published.Store(max(u.published.Load(), seq+1)) }

// ingested notes tables that were added to the database. Some wait for the memtables in front of them.
func (u *unflushed) ingested(info pebble.TableIngestInfo) {
	if info.Err != nil {
		return
	}
	last := uint64(info.GlobalSeqNum) + uint64(len(info.Tables)) - 1
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range info.Tables {
		t := &info.Tables[i]
		if first := t.Smallest.UserKey; t.Level < 0 && len(first) >= overlay.SpaceBytes {
			u.extend(overlay.SpaceOf(first), first, t.Largest.UserKey, last)
		}
	}
	u.publish(last)
}

// begins notes that a flush begins, and ends that it has ended, with everything in tables if it did not fail.
func (u *unflushed) begins() {
	u.mu.Lock()
	defer u.mu.Unlock()
	before := u.now
	if len(u.before) > 0 { // of a flush that failed
		before = u.before
		for id, n := range u.now {
			before[id] += n
		}
	}
	u.before, u.now = before, nil
	for _, spans := range u.spans {
		spans[len(spans)-1].closed = true
	}
}

func (u *unflushed) ends(info pebble.FlushInfo) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if info.Err != nil {
		return
	}
	u.before = nil
	flushed := uint64(0) // memtables are flushed in their order, so that everything up to this is in tables
	for i := range info.Output {
		flushed = max(flushed, uint64(info.Output[i].LargestSeqNum))
	}
	for id, spans := range u.spans {
		kept := spans[:0]
		for _, s := range spans {
			if s.seq > flushed {
				kept = append(kept, s)
			}
		}
		if u.spans[id] = kept; len(kept) == 0 {
			delete(u.spans, id)
		}
	}
}

// each tells the spans of keys that may be in no table.
func (u *unflushed) each(tell func(first, last []byte)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, spans := range u.spans {
		for _, s := range spans {
			tell(bytes.Clone(s.first), bytes.Clone(s.last))
		}
	}
}

// opened is called when the database was opened, which makes tables of what the log had.
func (u *unflushed) opened(db *pebble.DB) error {
	levels, err := db.SSTables()
	if err != nil {
		return err
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, level := range levels {
		for i := range level {
			u.publish(uint64(level[i].LargestSeqNum))
		}
	}
	return nil
}

func (u *unflushed) bytes(id store.SpaceID) int64 {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.now[id] + u.before[id]
}

// forget forgets the bytes of a space that is dropped.
func (u *unflushed) forget(id store.SpaceID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.now, id)
	delete(u.before, id)
}

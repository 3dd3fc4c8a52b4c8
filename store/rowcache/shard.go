package rowcache

import (
	"sync"
	"time"

	"zproxy/store"
	"zproxy/types"
)

// item is one that is kept, in the list of those of its shard: the one that was read last is behind the head.
type item struct {
	name       string
	space      store.SpaceID
	counts     *Counts
	columns    []store.Column // those of the values
	values     types.Row
	found      bool // there is an item at the key
	read       time.Time
	bytes      int64
	next, prev *item
}

// shard is a part of the cache. Its zero value has yet to get a map.
type shard struct {
	mu      sync.Mutex
	items   map[string]*item
	bytes   int64
	changed uint64 // the number of the last commit that took an item out, or may have
	missed  frequencies
	head    item // of the list
}

// drop takes an item out.
func (s *shard) drop(at *item) {
	delete(s.items, at.name)
	at.prev.next, at.next.prev = at.next, at.prev
	s.bytes -= at.bytes
	at.counts.Items.Add(-1)
	at.counts.Bytes.Add(-at.bytes)
}

// put takes an item in, which is the last one read, and those out that were not read for longest.
func (s *shard) put(at *item, most int64) {
	if old := s.items[at.name]; old != nil {
		s.drop(old)
	}
	if at.bytes > most/4 {
		return
	}
	for s.bytes+at.bytes > most {
		s.drop(s.head.prev)
	}
	s.items[at.name] = at
	s.bytes += at.bytes
	at.counts.Items.Add(1)
	at.counts.Bytes.Add(at.bytes)
	s.front(at)
}

// front puts an item at the front of the list, which it is not in.
func (s *shard) front(at *item) {
	if s.head.next == nil {
		s.head.next, s.head.prev = &s.head, &s.head
	}
	at.prev, at.next = &s.head, s.head.next
	at.prev.next, at.next.prev = at, at
}

// use puts an item that was read at the front.
func (s *shard) use(at *item) {
	at.prev.next, at.next.prev = at.next, at.prev
	s.front(at)
}

// What frequencies count by.
const (
	cells     = 1024
	halfAfter = 8 * cells
)

// frequencies estimates how often keys were missed lately: a Count-Min sketch (Cormode and Muthukrishnan, 2005) whose
// counts are halved again and again, as in TinyLFU (Einziger, Friedman and Manes, 2017).
type frequencies struct {
	counts [2][cells]uint8
	added  int
}

// add counts a key by its hash, and says how often it was missed lately, or a little more.
func (f *frequencies) add(h uint64) int {
	if f.added++; f.added >= halfAfter {
		for i := range f.counts {
			for j := range f.counts[i] {
				f.counts[i][j] /= 2
			}
		}
		f.added = 0
	}
	least := 255
	for i := range f.counts {
		n := &f.counts[i][h>>(20*(i+1))%cells]
		if *n < 255 {
			*n++
		}
		least = min(least, int(*n))
	}
	return least
}

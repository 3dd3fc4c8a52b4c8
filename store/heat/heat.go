// Package heat measures which keys of which spaces a process reads and writes most: for each space the keys that are
// asked for most often, and how the requests lie over the key space, minute by minute. It takes little memory for each
// space, and samples where there are many requests, so that a request costs next to nothing. It sees what transactions
// ask for, not what a store does for it, so it serves every store.
//
// Read Meter first. What the keys mean in SQL is in session/hotkeys.
package heat

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"zproxy/store"
)

const (
	// mostSpaces is how many spaces are measured. Another one takes the place of that which was not asked for longest.
	mostSpaces = 128
	// mostKey is the length of keys, in bytes, beyond which a key is counted for its space alone.
	mostKey = 1024
	// budget is about how many samples are taken in a second. More requests are sampled more thinly.
	budget = 1024
	// mostEvery bounds how thinly.
	mostEvery = 1 << 10
)

// Counts are requests: items that were asked for or delivered, items that were put or deleted, and how often the store
// refused to read or write one for its load.
type Counts struct{ Reads, Writes, Throttles int64 }

// Sum is all that was asked for. What was refused is in it, once, as what it was.
func (c Counts) Sum() int64 { return c.Reads + c.Writes }

// weight is what counts in a histogram: keys that are refused are worth a range of their own, too.
func (c Counts) weight() int64 { return c.Sum() + c.Throttles }

func (c *Counts) add(d Counts) {
	c.Reads += d.Reads
	c.Writes += d.Writes
	c.Throttles += d.Throttles
}

func (c Counts) times(n int64) Counts { return Counts{c.Reads * n, c.Writes * n, c.Throttles * n} }

var (
	aRead     = Counts{Reads: 1}
	aWrite    = Counts{Writes: 1}
	aThrottle = Counts{Throttles: 1}
)

// Meter counts the requests of a process. One of every few is a sample, which counts for all of these: each as long as
// there are fewer than the budget. A nil Meter counts nothing.
type Meter struct {
	every atomic.Uint32 // one request of so many is a sample
	now   func() time.Time

	mu     sync.Mutex
	second int64 // the present one
	taken  int   // samples in it, since every was last doubled half of the budget
	spaces map[store.SpaceID]*space
	whole  []byte // a buffer for keys
}

// NewMeter makes a meter with a clock.
func NewMeter(now func() time.Time) *Meter {
	m := &Meter{now: now, spaces: map[store.SpaceID]*space{}}
	m.every.Store(1)
	return m
}

// density says of how many requests one is a sample.
func (m *Meter) density() int { return int(m.every.Load()) }

// count counts a request if it is drawn.
func (m *Meter) count(s *store.Space, key store.Key, c Counts) {
	if n := m.density(); n == 1 || rand.IntN(n) == 0 {
		m.add(s, key, c.times(int64(n)))
	}
}

func (m *Meter) add(s *store.Space, key store.Key, c Counts) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.pace(now.Unix())
	at := m.minute(s.ID, now)
	if !m.spread(at, key, c) {
		return
	}
	at.items.add(m.whole, c)
	if len(key.Partition) > 0 && len(key.Sort) > 0 {
		at.partitions.add(key.Partition, c)
	}
}

// Refused counts that the store refused a request for its load that asks for an item; of a request for a range the key
// is that of its partition. Each one counts, not one of every few: it has cost a request and a pause. The lists of the
// most frequent keys are without it, since they would lose others for it.
func (m *Meter) Refused(of store.SpaceID, key store.Key) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spread(m.minute(of, m.now()), key, aThrottle)
}

// minute is the present one of a space.
func (m *Meter) minute(id store.SpaceID, now time.Time) *minute {
	of := m.spaces[id]
	if of == nil {
		if len(m.spaces) >= mostSpaces {
			m.evict()
		}
		of = &space{}
		m.spaces[id] = of
	}
	return of.at(now)
}

// spread adds to a minute and its histogram, with the whole key in the meter's buffer; false: it is too long.
func (m *Meter) spread(at *minute, key store.Key, c Counts) bool {
	at.counts.add(c)
	if len(key.Partition)+len(key.Sort) > mostKey {
		return false
	}
	m.whole = append(append(m.whole[:0], key.Partition...), key.Sort...)
	at.ranges.add(m.whole, c)
	return true
}

// pace counts a sample, and makes samples thinner or denser by how many there are in a second.
func (m *Meter) pace(second int64) {
	every := m.every.Load()
	if second != m.second {
		idle := second - m.second - 1 // seconds without a sample
		if m.taken < budget/4 {
			idle++
		}
		every = max(every>>min(max(idle, 0), 31), 1)
		m.second, m.taken = second, 0
	}
	if m.taken++; m.taken > budget && every < mostEvery {
		every, m.taken = 2*every, budget/2
	}
	m.every.Store(every)
}

// evict forgets the space that was not asked for longest.
func (m *Meter) evict() {
	var least store.SpaceID
	for id, s := range m.spaces {
		if m.spaces[least] == nil || s.last().begin.Before(m.spaces[least].last().begin) {
			least = id
		}
	}
	delete(m.spaces, least)
}

package dynamostore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"zproxy/store"
)

// pressure counts requests, and remembers where they were refused for the load.
type pressure struct {
	space func(table string) string // the name of the space that a table keeps

	mu       sync.Mutex
	tell     func(of target)  // is told what was asked for and refused; nil: nothing is
	requests map[string]int64 // attempts by operation
	retries  int64
	waited   time.Duration
	refused  map[refusalKey]int64
	hot      []hotPartition
	extras   int64 // items that loose deletes failed to take away
}

// refusalKey is where and why requests were refused.
type refusalKey struct{ space, reason string }

// maxRefusalKeys bounds the keys that are counted separately; those beyond count for one without a name.
const maxRefusalKeys = 1000

// hotPartition is a partition at which requests were refused.
type hotPartition struct {
	space, partition string
	count            int64
}

// maxHot is how many partitions are watched. When another comes, it takes the place and the count
// of the least, so that one which is hot indeed is never missed, and counts are at most too high
// by that of the least (Metwally et al. 2005).
const maxHot = 64

// sent counts an attempt.
func (p *pressure) sent(operation string, again bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.requests == nil {
		p.requests = map[string]int64{}
	}
	p.requests[operation]++
	if again {
		p.retries++
	}
}

// left counts items that loose deletes failed to take away.
func (p *pressure) left(items int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.extras += int64(items)
}

// sleep waits before another attempt, or for the end of the context, and counts the time.
func (p *pressure) sleep(ctx context.Context, wait time.Duration) error {
	began := time.Now()
	err := store.Sleep(ctx, wait)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.waited += time.Since(began)
	return err
}

// throttled counts a request that was refused for the load.
func (p *pressure) throttled(input any, err error) {
	_, asked := reasonOfThrottle(input, err)
	p.count(p.busy(input, err), asked)
}

// handedBack counts a batch of which nothing was carried out.
func (p *pressure) handedBack(table string, keys []item) {
	asked := make([]target, len(keys))
	for i, key := range keys {
		asked[i] = target{table, key}
	}
	p.count(p.tooBusy(table), asked)
}

// count counts a refusal, and tells of what was asked for.
func (p *pressure) count(b *store.Busy, asked []target) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tell != nil {
		for _, t := range asked {
			p.tell(t)
		}
	}
	if p.refused == nil {
		p.refused = map[refusalKey]int64{}
	}
	at := refusalKey{b.Space, b.Reason}
	if _, known := p.refused[at]; !known && len(p.refused) >= maxRefusalKeys {
		at = refusalKey{}
	}
	p.refused[at]++
	if !b.Hot || b.Partition == nil {
		return
	}
	i := slices.IndexFunc(p.hot, func(h hotPartition) bool {
		return h.space == b.Space &&
			h.partition == string(b.Partition)
	})
	if i < 0 {
		fresh := hotPartition{space: b.Space, partition: string(b.Partition)}
		if i = len(p.hot); i < maxHot {
			p.hot = append(p.hot, fresh)
		} else {
			i = p.coolest()
			fresh.count = p.hot[i].count
			p.hot[i] = fresh
		}
	}
	p.hot[i].count++
}

func (p *pressure) coolest() int {
	least := 0
	for i := range p.hot {
		if p.hot[i].count < p.hot[least].count {
			least = i
		}
	}
	return least
}

// busy is the error of a request that was refused for the load: where, as far as that can be told.
func (p *pressure) busy(input any, err error) *store.Busy {
	reason, asked := reasonOfThrottle(input, err)
	b := &store.Busy{Reason: reason, Hot: isHot(reason), Account: isOfAccount(reason), Write: writes(input)}
	for i, t := range asked {
		partition := t.partition()
		if i == 0 {
			b.Space, b.Partition = p.space(t.table), partition
		}
		if t.table != asked[0].table || string(partition) != string(b.Partition) {
			b.Partition = nil
		}
	}
	return b
}

// tooBusy is the error of a batch that was handed back, with no reason given.
func (p *pressure) tooBusy(table string) *store.Busy {
	return &store.Busy{Space: p.space(table), Reason: "parts of a batch were not processed"}
}

// Measures implements store.Measured.
func (s *Store) Measures() map[string]float64 {
	p := &s.caller.pressure
	p.mu.Lock()
	defer p.mu.Unlock()
	return map[string]float64{
		"retries": float64(p.retries), "waited_seconds": p.waited.Seconds(),
		"in_flight": float64(s.caller.gate.inside()), "connections": float64(s.connections.Load()), "extras": float64(p.extras),
	}
}

// OnRefusal implements store.Pressed.
func (s *Store) OnRefusal(tell func(of store.SpaceID, key store.Key)) {
	p := &s.caller.pressure
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell = func(t target) {
		if sp, ours := s.space(t.table); ours {
			sort, _ := decodeKeyPart(t.key, sortAttribute) // none: the key has no such part
			tell(sp.ID, store.Key{Partition: t.partition(), Sort: sort})
		}
	}
}

// Pressure implements store.Pressed.
func (s *Store) Pressure() store.Pressure {
	p := &s.caller.pressure
	p.mu.Lock()
	defer p.mu.Unlock()
	out := store.Pressure{Requests: maps.Clone(p.requests)}
	for at, n := range p.refused {
		out.Refused = append(out.Refused, store.Refusal{Space: at.space, Reason: at.reason, Count: n})
	}
	for _, h := range p.hot {
		out.Hot = append(out.Hot, store.HotPartition{Space: h.space, Partition: []byte(h.partition), Count: h.count})
	}
	slices.SortFunc(out.Hot, func(a, b store.HotPartition) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

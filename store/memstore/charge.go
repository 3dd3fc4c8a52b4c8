package memstore

import (
	"zproxy/store"
	"zproxy/store/overlay"
)

// mostKeys is how many keys a request gets where requests are charged.
const mostKeys = 100

// charge counts what a scan has read since the last jump, as far as that was not counted before.
func (k *reading) charge() {
	if !k.txn.store.options.Units {
		return
	}
	requests, units := store.RangeUnits(float64(k.bytes))
	k.ask.Stats.Requests += int64(requests) - max(k.pages, 1)
	k.ask.Stats.Pages += int64(requests) - k.pages
	k.ask.Stats.ReadUnits += k.txn.share(k.space, k.ask.Remember) * (units - k.units)
	k.pages, k.units = int64(requests), units
}

// jumped counts what was read before a jump, behind which the next request begins.
func (k *reading) jumped() {
	k.charge()
	k.bytes, k.pages, k.units = 0, 0, 0
}

// share is what the transaction is charged of the units that a read of a space costs.
func (t *txn) share(s *store.Space, remember bool) float64 {
	if t.mode.Eventual.Of(s.Eventual) && !remember {
		return store.EventualShare
	}
	return 1
}

// chargeGet counts the requests for some keys.
func (t *txn) chargeGet(stats *store.Stats, keys int) {
	stats.Requests++
	if t.store.options.Units {
		stats.Requests += int64(max(0, (keys-1)/mostKeys))
	}
}

// chargeItem counts what getting an item has read, or nothing at a key.
func (t *txn) chargeItem(s *store.Space, g *store.Get, it *item) {
	if !t.store.options.Units {
		return
	}
	size := 0
	if it != nil {
		size = it.size
	}
	g.Stats.ReadUnits += t.share(s, g.Remember) * store.ReadUnits(float64(size))
}

// charge counts what the writes of a transaction cost. No other transaction uses the store meanwhile.
func (s *Store) charge(t *txn) {
	if t.mode.Stats == nil || !s.options.Units {
		return
	}
	alone := func(w *write) bool {
		return t.mode.NonAtomic || t.mode.Bulk || w.Guard == store.Loose && s.Capabilities().Loose
	}
	touched := t.touched()
	together := len(touched)
	for w := range t.own.All {
		if !alone(&w) {
			together++
		}
	}
	t.mode.Stats.Requests++
	for _, key := range touched {
		if old := find(s.spaces[overlay.SpaceOf(key)].items, key); old != nil {
			t.mode.Stats.WriteUnits += store.AtomicWrites * store.WriteUnits(float64(old.size))
		}
	}
	for w := range t.own.All {
		size := 0
		if old := find(s.spaces[overlay.SpaceOf(w.Key)].items, w.Key); old != nil {
			size = old.size
		}
		if !w.Delete {
			size = max(size, w.Payload.size)
		}
		units := store.WriteUnits(float64(size))
		if together > 1 && !alone(&w) {
			units *= store.AtomicWrites
		}
		t.mode.Stats.WriteUnits += units
	}
}

// touched are the items that the commit holds and does not write itself: a store that is charged gives them a new
// version.
func (t *txn) touched() (keys []string) {
	for key := range t.held {
		if _, own := t.own.Get([]byte(key), nil); !own && t.own.Len() > 0 {
			keys = append(keys, key)
		}
	}
	return keys
}

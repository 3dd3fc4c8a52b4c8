package memstore

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"zproxy/store"
	"zproxy/store/overlay"
)

// commit makes the next state, unless another transaction wrote one of the keys since
// this one began.
func (s *Store) commit(t *txn) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return store.ErrClosed
	}
	done, failed, err := s.carriedOut(t)
	s.charge(t)
	if err != nil {
		return err
	}
	if err := s.write(done); err != nil {
		return err
	}
	for key := range t.held {
		s.held[key] = s.commits
	}
	if failed {
		return store.ErrConflict
	}
	return nil
}

// carriedOut are the writes of a transaction that the next state has. It says whether the guard of
// any did not hold, so that the others are not among them unless each stands for itself.
func (s *Store) carriedOut(t *txn) (done []write, failed bool, err error) {
	var loose, guarded, after []write
	lost := 0
	for w := range t.own.All {
		switch nonAtomic := s.options.Loose && w.Guard == store.Loose && !t.mode.Bulk; {
		case nonAtomic && !w.Delete:
			loose = append(loose, w)
		case nonAtomic:
			if s.deletes++; s.deletes%2 == 0 && s.written[w.Key] <= t.clock {
				after = append(after, w)
			}
		case s.holds(t, &w):
			guarded = append(guarded, w)
		default:
			lost++
		}
	}
	for key, clock := range t.held {
		if _, own := t.own.Get([]byte(key), nil); !own && s.written[key] > clock {
			lost++
		}
	}
	switch {
	case lost > 0 && !t.mode.NonAtomic:
		return loose, true, nil
	case lost > 0:
		return append(loose, guarded...), true, nil
	}
	return slices.Concat(loose, guarded, after), false, nil
}

// holds says whether the guard of a write holds.
func (s *Store) holds(t *txn, w *write) bool {
	if t.mode.Bulk {
		return true
	}
	switch w.Guard {
	case store.Always, store.Loose:
		return true
	case store.Absent:
		if find(t.seen[overlay.SpaceOf(w.Key)].items, w.Key) != nil {
			return false
		}
	case store.Blind:
		return !w.Delete || find(s.spaces[overlay.SpaceOf(w.Key)].items, w.Key) != nil
	}
	return max(s.written[w.Key], s.held[w.Key]) <= t.guardedSince(w)
}

// write makes the next state by writes.
func (s *Store) write(list []write) error {
	if len(list) == 0 {
		return nil
	}
	bySpace := map[store.SpaceID][]write{}
	for _, w := range list {
		bySpace[overlay.SpaceOf(w.Key)] = append(bySpace[overlay.SpaceOf(w.Key)], w)
	}
	next := maps.Clone(s.spaces)
	for id, writes := range bySpace {
		sp, there := next[id]
		if !there {
			return fmt.Errorf("space %d is not there", id)
		}
		slices.SortFunc(writes, func(a, b write) int { return cmp.Compare(a.Key, b.Key) })
		sp.items = merge(sp.items, writes)
		next[id] = sp
	}
	if s.past = append(s.past, s.spaces); len(s.past) > s.options.Lag {
		s.past = slices.Clone(s.past[1:])
	}
	s.spaces = next
	s.commits++
	for _, w := range list {
		s.written[w.Key] = s.commits
	}
	return nil
}

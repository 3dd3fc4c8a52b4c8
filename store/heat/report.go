package heat

import (
	"slices"
	"time"

	"zproxy/store"
)

// Report is what was counted of a space.
type Report struct {
	// Counts are the requests of the last minute or two, and Seconds how long that is.
	Counts
	Seconds float64
	// Items are the whole keys that were asked for most often in that time, and Partitions the first parts of keys that
	// have two, each with the most requests first.
	Items, Partitions []Key
	Minutes           []Minute
}

// Minute is one in which there were requests.
type Minute struct {
	Begin  time.Time
	Ranges []Range
}

// Report tells of a space, nil if nothing was counted of it.
func (m *Meter) Report(of store.SpaceID) *Report {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.spaces[of]
	if s == nil {
		return nil
	}
	now := m.now()
	out := &Report{}
	var items, partitions []*top
	since := now
	for _, at := range s.minutes {
		out.Minutes = append(out.Minutes, Minute{Begin: at.begin, Ranges: slices.Clone(at.ranges)})
		if age := now.Sub(at.begin); at.items != nil && age < keptKeys*resolution {
			since = slices.MinFunc([]time.Time{since, at.begin}, time.Time.Compare)
			out.add(at.counts)
			items, partitions = append(items, at.items), append(partitions, at.partitions)
		}
	}
	out.Seconds = max(now.Sub(since).Seconds(), 1)
	out.Items, out.Partitions = merged(items), merged(partitions)
	return out
}

// Keys are the parts of keys that decide where an item is: Partitions, where keys have two parts, else Items.
func (r *Report) Keys() []Key {
	if len(r.Partitions) > 0 {
		return r.Partitions
	}
	return r.Items
}

package serial

import (
	"cmp"
	"slices"
	"strings"
)

// interval is the whole keys with from <= key < to; a point has an empty to.
type interval struct{ from, to string }

func (r interval) point() bool { return r.to == "" }

// readSet is what a transaction has read. It grows coarser beyond some size: it then has keys that were not read.
type readSet struct {
	points map[string]struct{}
	ranges []interval // in order, none of which meet
}

// mostPoints and mostRanges are how many a readSet has before it grows coarser.
const (
	mostPoints = 1 << 14
	mostRanges = 1 << 10
)

// has says whether a key was read.
func (s *readSet) has(key string) bool {
	if _, ok := s.points[key]; ok {
		return true
	}
	at := s.behind(key)
	return at > 0 && key < s.ranges[at-1].to
}

// behind is the number of the first range that begins behind a key.
func (s *readSet) behind(key string) int {
	at, _ := slices.BinarySearchFunc(s.ranges, key, func(r interval, key string) int {
		if r.from <= key {
			return -1
		}
		return 1
	})
	return at
}

// add adds a range or a point, and says whether it was not there as a whole.
func (s *readSet) add(r interval) bool {
	if !r.point() {
		return s.addRange(r)
	}
	if s.has(r.from) {
		return false
	}
	if s.points == nil {
		s.points = map[string]struct{}{}
	}
	if s.points[r.from] = struct{}{}; len(s.points) > mostPoints {
		s.coarsenPoints()
	}
	return true
}

// addRange adds a range, together with those that it meets.
func (s *readSet) addRange(r interval) bool {
	first := s.behind(r.from)
	if first > 0 && s.ranges[first-1].to >= r.from {
		first--
		if s.ranges[first].to >= r.to {
			return false
		}
		r.from = s.ranges[first].from
	}
	end := first
	for ; end < len(s.ranges) && s.ranges[end].from <= r.to; end++ {
		r.to = max(r.to, s.ranges[end].to)
	}
	if s.ranges = slices.Replace(s.ranges, first, end, r); len(s.ranges) > mostRanges {
		s.coarsenRanges()
	}
	return true
}

// coarsenPoints makes one range of the points.
func (s *readSet) coarsenPoints() {
	var all interval
	for key := range s.points {
		if all.from == "" || key < all.from {
			all.from = key
		}
		all.to = max(all.to, key+"\x00")
	}
	s.points = nil
	s.addRange(all)
}

// coarsenRanges makes one range of each two neighbours.
func (s *readSet) coarsenRanges() {
	half := s.ranges[:0]
	for i := 0; i < len(s.ranges); i += 2 {
		r := s.ranges[i]
		if i+1 < len(s.ranges) {
			r.to = s.ranges[i+1].to
		}
		half = append(half, r)
	}
	s.ranges = half
}

// keySet is the keys that a transaction has written. Those that were added last are not in order yet.
type keySet struct {
	all    map[string]struct{}
	sorted []string
	recent []string
}

func (s *keySet) empty() bool { return len(s.all) == 0 }

// add adds a key, and says whether it was not there.
func (s *keySet) add(key string) bool {
	if _, there := s.all[key]; there {
		return false
	}
	if s.all == nil {
		s.all = map[string]struct{}{}
	}
	s.all[key] = struct{}{}
	s.recent = append(s.recent, key)
	return true
}

// within says whether any key is in a range.
func (s *keySet) within(r interval) bool {
	if r.point() {
		_, there := s.all[r.from]
		return there
	}
	if len(s.recent) > 64+len(s.sorted)/8 {
		s.sorted = append(s.sorted, s.recent...)
		slices.Sort(s.sorted)
		s.recent = s.recent[:0]
	}
	at, _ := slices.BinarySearchFunc(s.sorted, r.from, strings.Compare)
	if at < len(s.sorted) && s.sorted[at] < r.to {
		return true
	}
	return slices.ContainsFunc(s.recent, func(key string) bool {
		return cmp.Compare(r.from, key) <= 0 && key < r.to
	})
}

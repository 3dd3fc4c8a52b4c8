package heat

import (
	"slices"
	"time"
)

const (
	// resolution is how much time is counted together.
	resolution = time.Minute
	// mostMinutes is how many of them are kept of a space.
	mostMinutes = 60
	// keptKeys is in how many of them, the present one included, keys are kept one by one.
	keptKeys = 2
)

// space is what is counted of one: the minutes in which there were requests, the oldest one first.
type space struct{ minutes []*minute }

// minute is what is counted in one. Items are the whole keys, partitions the first parts of those that have two.
type minute struct {
	begin             time.Time
	counts            Counts
	ranges            ranges
	items, partitions *top
}

func (s *space) last() *minute { return s.minutes[len(s.minutes)-1] }

// at is the minute of a time. A clock that was put back goes on in the last one.
func (s *space) at(now time.Time) *minute {
	begin := now.Truncate(resolution)
	if n := len(s.minutes); n > 0 && !s.last().begin.Before(begin) {
		return s.last()
	}
	s.minutes = append(s.minutes, &minute{begin: begin, items: &top{}, partitions: &top{}})
	if len(s.minutes) > mostMinutes {
		s.minutes = slices.Delete(s.minutes, 0, 1)
	}
	if n := len(s.minutes); n > keptKeys {
		old := s.minutes[n-1-keptKeys]
		old.items, old.partitions = nil, nil
	}
	return s.last()
}

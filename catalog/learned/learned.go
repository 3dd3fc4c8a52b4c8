// Package learned keeps by how much the estimates of what conditions leave of a table have been wrong again and again,
// as a process sees it when statements run. Estimates of the same conditions are corrected by that. Nothing of it is
// stored: another process learns for itself, and new statistics begin with nothing.
//
// Read Cell first. Conditions are known by their text, in which nothing is left of values: `city = $ AND zip = $`.
package learned

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"
)

const (
	// window is of how many runs, the last ones, the factors are kept, and enough how many of them there must be before
	// an estimate is corrected.
	window, enough = 8, 4
	// off is the factor by which every one of the runs must have been wrong, in the same direction, and moved the one
	// by which a correction must have changed for plans to be made again.
	off, moved = 2, 1.5
	// most is how many sets of conditions are known of a table. The one that was not met for the longest time makes
	// room for another.
	most = 128
)

// Correction is what the estimate of some conditions is multiplied by.
type Correction struct {
	Conditions string
	Factor     float64 // the rows that came for each row that the statistics made expect
	Runs       int64   // that were judged
}

// Cell holds what is known of a table. Several goroutines may use it, and a nil one holds nothing.
type Cell struct {
	mu      sync.Mutex
	sets    map[string]*set
	clock   int64         // of sets, by which it is known which was met last
	version atomic.Uint64 // goes up whenever a correction changes
}

// set is what is known of a set of conditions.
type set struct {
	factors []float64 // by which the last runs were wrong
	factor  float64   // that estimates are corrected by; 1: they are not
	runs    int64
	lastMet int64
}

// Version is another number whenever a correction has changed; 0: there never was one.
func (c *Cell) Version() uint64 {
	if c == nil {
		return 0
	}
	return c.version.Load()
}

// Factor is what an estimate of conditions is to be multiplied by.
func (c *Cell) Factor(conditions string) float64 {
	if c.Version() == 0 {
		return 1
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.sets[conditions]; s != nil {
		return s.factor
	}
	return 1
}

// Judge notes how many rows a run of conditions was thought to leave by the statistics alone, and how many it left. The
// text of the conditions is asked for if it is needed; an empty one is not known again.
func (c *Cell) Judge(text func() string, thought, came float64) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	factor := math.Max(1, came) / math.Max(1, thought)
	if isRight(factor) && len(c.sets) == 0 {
		return
	}
	conditions := text()
	if conditions == "" {
		return
	}
	s := c.sets[conditions]
	if s == nil {
		if isRight(factor) {
			return
		}
		s = c.added(conditions)
	}
	c.clock++
	s.lastMet, s.runs = c.clock, s.runs+1
	if s.factors = append(s.factors, factor); len(s.factors) > window {
		s.factors = s.factors[1:]
	}
	if to := s.correction(); to == 1 && s.factor != 1 || math.Abs(math.Log(to/s.factor)) > math.Log(moved) {
		s.factor = to
		c.version.Add(1)
	}
}

// isRight says whether an estimate is as good as one can be wished to be.
func isRight(factor float64) bool { return factor < off && factor > 1./off }

// added makes room for conditions and begins with them.
func (c *Cell) added(conditions string) *set {
	if c.sets == nil {
		c.sets = map[string]*set{}
	}
	if len(c.sets) >= most {
		oldest := ""
		for text, s := range c.sets {
			if oldest == "" || s.lastMet < c.sets[oldest].lastMet {
				oldest = text
			}
		}
		if c.sets[oldest].factor != 1 {
			c.version.Add(1)
		}
		delete(c.sets, oldest)
	}
	s := &set{factor: 1}
	c.sets[conditions] = s
	return s
}

// correction is the factor of the run that was least wrong, if all were wrong in the same direction; else 1. So it
// never makes the estimate of any of these runs worse.
func (s *set) correction() float64 {
	if len(s.factors) < enough {
		return 1
	}
	low, high := slices.Min(s.factors), slices.Max(s.factors)
	switch {
	case low >= off:
		return low
	case high <= 1./off:
		return high
	}
	return 1
}

// Corrections are those that apply, in the order of their conditions.
func (c *Cell) Corrections() []Correction {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []Correction
	for text, s := range c.sets {
		if s.factor != 1 {
			out = append(out, Correction{text, s.factor, s.runs})
		}
	}
	slices.SortFunc(out, func(a, b Correction) int { return cmp.Compare(a.Conditions, b.Conditions) })
	return out
}

// Forget removes all that is known, and says how many corrections there were.
func (c *Cell) Forget() int {
	n := len(c.Corrections())
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sets = nil
	c.version.Add(1)
	return n
}

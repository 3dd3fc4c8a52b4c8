package dynamostore

import (
	"sync/atomic"
	"time"
)

// clock makes versions: a hybrid logical clock (Kulkarni et al. 2014) without a counter
// of its own, in microseconds. Versions of one clock grow, and one is above the version
// that it replaces even when that was made by a clock ahead of this.
type clock struct {
	now  func() time.Time
	last atomic.Int64
}

// after makes a version above one that was seen.
func (c *clock) after(seen int64) int64 {
	for {
		last := c.last.Load()
		next := max(c.now().UnixMicro(), last+1, seen+1)
		if c.last.CompareAndSwap(last, next) {
			return next
		}
	}
}

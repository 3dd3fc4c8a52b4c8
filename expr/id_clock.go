package expr

import (
	"sync/atomic"
	"time"
)

// IDClock tells a time that is later with every call, for uuids of version 7. The zero one is
// ready; any number of goroutines may ask it.
type IDClock struct{ last atomic.Int64 }

// idStep is the least number of nanoseconds by which two uuids of version 7 differ, which have
// 12 bits for the part of the millisecond.
const idStep = 1_000_000>>12 + 1

// After is a number of nanoseconds since 1970: now, or a step after the last one if that is later.
func (c *IDClock) After(now time.Time) int64 {
	for {
		last := c.last.Load()
		next := max(now.UnixNano(), last+idStep)
		if c.last.CompareAndSwap(last, next) {
			return next
		}
	}
}

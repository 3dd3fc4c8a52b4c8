package dynamostore

import (
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// clock makes versions: a hybrid logical clock (Kulkarni et al. 2014) in milliseconds, with bits
// behind them. Versions of one clock grow, and one is above the version that it replaces even when
// that was made by a clock ahead of this. The steps are by chance, so that two clocks hardly ever
// make the same version: by it a writer knows an item for its own.
type clock struct {
	now  func() time.Time
	last atomic.Int64
}

// The bits of a version behind the milliseconds, and those of the widest step.
const (
	versionBits = 20
	stepBits    = 16
)

// after makes a version above one that was seen.
func (c *clock) after(seen int64) int64 {
	for {
		last := c.last.Load()
		next := max(versionAt(c.now())+rand.Int64N(1<<versionBits), max(last, seen)+1+rand.Int64N(1<<stepBits))
		if c.last.CompareAndSwap(last, next) {
			return next
		}
	}
}

// versionAt is the first version of a time.
func versionAt(t time.Time) int64 { return t.UnixMilli() << versionBits }

package bounds

import (
	"sync"
	"time"
)

// expiry ends a transaction that takes too long.
type expiry struct {
	mu    sync.Mutex
	timer *time.Timer // which only the session's goroutine sets; nil: nothing limits the transaction
}

// LimitTransaction calls end in another goroutine if the transaction has not ended after some time from now on, unless
// its time is limited already.
func (x *expiry) LimitTransaction(limit time.Duration, end func()) {
	if x.timer != nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	var timer *time.Timer
	timer = time.AfterFunc(limit, func() {
		x.mu.Lock()
		expired := x.timer == timer
		x.mu.Unlock()
		if expired {
			end()
		}
	})
	x.timer = timer
}

// EndTransaction notes that the transaction has ended.
func (x *expiry) EndTransaction() {
	if x.timer == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.timer.Stop()
	x.timer = nil
}

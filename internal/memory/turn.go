package memory

import (
	"runtime"
	"time"
)

// Turn is the time for which a statement has computed without a pause. One goroutine uses it at a time.
//
// The runtime lets a goroutine run for 10 ms before others that wait for the processor. With twenty long
// statements a short one would wait for a turn of each, at every step that it takes.
type Turn struct{ began time.Time }

// slice is how long a turn lasts.
const slice = time.Millisecond / 2

// Yield lets others run if the turn is over.
func (t *Turn) Yield() {
	if t == nil {
		return
	}
	if now := time.Now(); now.Sub(t.began) > slice {
		runtime.Gosched()
		t.began = time.Now()
	}
}

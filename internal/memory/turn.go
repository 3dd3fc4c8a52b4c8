package memory

import (
	"runtime"
	"sync/atomic"
	"time"
)

// Turn is the time for which a statement has computed without a pause. Scans that read ahead share that
// of their statement.
//
// The runtime lets a goroutine run for 10 ms before others that wait for the processor. With twenty long
// statements a short one would wait for a turn of each, at every step that it takes.
type Turn struct{ began atomic.Int64 } // nanoseconds since epoch

// slice is how long a turn lasts.
const slice = time.Millisecond / 2

// Yield lets others run if the turn is over.
func (t *Turn) Yield() {
	if t == nil {
		return
	}
	if now := time.Since(epoch); now-time.Duration(t.began.Load()) > slice {
		runtime.Gosched()
		t.began.Store(int64(time.Since(epoch)))
	}
}

// epoch is when the program began; only times since then are compared.
var epoch = time.Now()

package metrics

import (
	"sync/atomic"
	"time"
)

// latencyBounds are the upper ends of the buckets of a Histogram but the last, which has none.
var latencyBounds = [...]time.Duration{
	100 * time.Microsecond, 250 * time.Microsecond, 500 * time.Microsecond,
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond,
	10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2500 * time.Millisecond, 5 * time.Second,
	10 * time.Second, 30 * time.Second, time.Minute,
}

// histogram counts durations. Its zero value is empty; any goroutine may add.
type histogram struct {
	counts [len(latencyBounds) + 1]atomic.Int64
	sum    atomic.Int64
}

func (h *histogram) add(d time.Duration) {
	at := 0
	for at < len(latencyBounds) && d > latencyBounds[at] {
		at++
	}
	h.counts[at].Add(1)
	h.sum.Add(int64(d))
}

// Histogram is how many durations fell into which bucket.
type Histogram struct {
	Counts []int64 // by the buckets of latencyBounds, and one more
	Sum    time.Duration
}

// Count is how many durations there were.
func (h *Histogram) Count() int64 {
	n := int64(0)
	for _, c := range h.Counts {
		n += c
	}
	return n
}

func (h *histogram) read() Histogram {
	out := Histogram{Counts: make([]int64, len(h.counts)), Sum: time.Duration(h.sum.Load())}
	for i := range h.counts {
		out.Counts[i] = h.counts[i].Load()
	}
	return out
}

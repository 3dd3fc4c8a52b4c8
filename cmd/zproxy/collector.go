package main

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// mostGarbagePercent lets garbage grow to four times what is in use before it is collected, while
	// little is: with the usual 100 a fifth of the time of short queries went into collecting.
	mostGarbagePercent  = 400
	leastGarbagePercent = 25
	// garbageBytes is how much garbage there may be when more is in use. Where the memory is short it is
	// the half of the heap that sessions leave: with less, collections never end under load, and
	// their work stands before that of short statements.
	garbageBytes = 1 << 30
)

// pace sets how much garbage may grow, anew after each collection, and the limit above which the
// collector works harder. What the environment says of either stays.
func pace(env func(string) (string, bool), heap int64) {
	if _, chosen := env("GOMEMLIMIT"); !chosen {
		debug.SetMemoryLimit(heap)
	}
	if _, chosen := env("GOGC"); chosen {
		return
	}
	debug.SetGCPercent(mostGarbagePercent)
	watchCollections(func(live uint64) { debug.SetGCPercent(garbagePercent(live, uint64(heap/2))) })
}

// garbagePercent is how much garbage there may be in percent of what is in use.
func garbagePercent(live, most uint64) int {
	percent := 100 * min(garbageBytes, most) / max(live, 1)
	return int(min(max(percent, leastGarbagePercent), mostGarbagePercent))
}

// watchCollections calls f after each collection with the bytes in use, when these have changed by
// more than a tenth since it was last called.
func watchCollections(f func(live uint64)) {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	last := uint64(0)
	type sentinel struct{ _ [16]byte }
	var arm func(*sentinel)
	arm = func(*sentinel) {
		metrics.Read(sample)
		if live := sample[0].Value.Uint64(); max(live, last)-min(live, last) > last/10 {
			last = live
			f(live)
		}
		runtime.SetFinalizer(&sentinel{}, arm)
	}
	runtime.SetFinalizer(&sentinel{}, arm)
}

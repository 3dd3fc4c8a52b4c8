package settings

import (
	"cmp"
	"runtime"
)

// gathering is when workers read a scan.
type gathering struct {
	maxWorkers    int // 0: as many as there are processors
	noWorkers     bool
	LeastGathered int64 // how many bytes must be read
}

// Workers are how many compute the parts of one scan; below 2: none does.
func (g gathering) Workers() int {
	if g.noWorkers {
		return 0
	}
	return cmp.Or(g.maxWorkers, runtime.GOMAXPROCS(0))
}

//go:build !race

package backfill_test

// racing says that the race detector is on, which keeps something of each of the hundreds of
// thousands of coroutines: more than there is memory.
const racing = false

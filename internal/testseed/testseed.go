// Package testseed gives random tests their seed: always the same one, unless the flag -seed gives another one or,
// with 0, asks for one that is drawn. So a run of all tests is the same each time, and those who look for more draw.
// What is drawn by the seed is the test's matter. Read Of first.
package testseed

import (
	"flag"
	"math/rand/v2"
	"sync"
	"testing"
)

var flagged = flag.Uint64("seed", 1, "the seed of random tests; 0 draws one")

// drawn is below a thousand million, so that it reads easily and runs can count on from it.
var drawn = sync.OnceValue(func() uint64 { return 1 + rand.Uint64N(999_999_999) })

// Of is the seed of a test, which prints it.
func Of(t testing.TB) uint64 {
	t.Helper()
	seed := *flagged
	if seed == 0 {
		seed = drawn()
	}
	t.Logf("-seed %d", seed)
	return seed
}

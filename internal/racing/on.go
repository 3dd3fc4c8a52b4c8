//go:build race

package racing

// On says that tests run with the race detector. It takes several times the memory, and keeps something of every
// coroutine.
const On = true

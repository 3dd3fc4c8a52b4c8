//go:build !race

// Package racing tells tests whether the race detector is on, with which bounds of memory mean nothing.
package racing

// On says that tests run with the race detector. It takes several times the memory, and keeps something of every
// coroutine.
const On = false

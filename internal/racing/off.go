//go:build !race

// Package racing tells tests whether the race detector is on, with which bounds of memory mean nothing. The package
// is one constant, with a file for each of its values. The limits themselves are those of the tests.
package racing

// On says that tests run with the race detector. It takes several times the memory, and keeps something of every
// coroutine.
const On = false

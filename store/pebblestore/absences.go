package pebblestore

import (
	"bytes"
	"slices"

	"zproxy/store/overlay"
)

// maxAbsences is how many absent keys a transaction remembers. Those beyond are looked up again.
const maxAbsences = 1 << 16

// absences are keys that a transaction has found without an item in its snapshot, so that its commit need not look for them
// there once more. The zero value is ready.
type absences struct {
	keys     [][]byte
	unsorted bool
	next     int // of the key that has asks for
}

// add remembers a key, which is copied into the arena.
func (a *absences) add(key []byte, arena *overlay.Arena) {
	if len(a.keys) == maxAbsences {
		return
	}
	if n := len(a.keys); n > 0 && bytes.Compare(a.keys[n-1], key) > 0 {
		a.unsorted = true
	}
	a.keys = append(a.keys, arena.Copy(key))
}

// has says whether a key was remembered. Keys must be asked for in ascending order, and none is added any more.
func (a *absences) has(key []byte) bool {
	if a.unsorted {
		slices.SortFunc(a.keys, bytes.Compare)
		a.unsorted = false
	}
	for ; a.next < len(a.keys); a.next++ {
		if order := bytes.Compare(a.keys[a.next], key); order >= 0 {
			return order == 0
		}
	}
	return false
}

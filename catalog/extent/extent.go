// Package extent keeps what a process knows of the size of a table that has no statistics: what the store says without
// reading, and how many rows the process itself has added. Both are less than there may be: a store counts every few
// hours, and other processes write, too. Nothing of it is stored.
//
// Read Extent first. Versions of a table in memory have a Cell in common, so that what one learns serves all.
package extent

import "sync/atomic"

// Extent is about how large a table is at least.
type Extent struct {
	Rows  float64 // 0: not known
	Width float64 // bytes of a row, on average, in a store that is charged by them; 0: not known
}

// Cell holds an Extent. It may be used by several goroutines, and a nil one holds nothing.
type Cell struct{ now atomic.Pointer[Extent] }

// Get is what is known.
func (c *Cell) Get() Extent {
	if c == nil {
		return Extent{}
	}
	if e := c.now.Load(); e != nil {
		return *e
	}
	return Extent{}
}

// Set replaces what is known.
func (c *Cell) Set(e Extent) {
	if c != nil {
		c.now.Store(&e)
	}
}

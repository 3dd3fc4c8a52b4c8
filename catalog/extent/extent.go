// Package extent keeps what a process knows of a table that has no statistics: its size, of which the store says
// something without reading and the process counts the rows that it has added, and how the values of the columns of
// keys lie in the rows that the process has written. The size is less than there may be: a store counts every few
// hours, and other processes write, too. Of a table that has statistics it keeps how far keys have grown above them.
// Nothing of it is stored.
//
// Read Extent first, then Column. Versions of a table in memory have a Cell in common, so that what one learns serves
// all.
package extent

import (
	"cmp"
	"sync"
	"sync/atomic"

	"zproxy/types"
)

// Extent is about how large a table is at least.
type Extent struct {
	Rows  float64 // 0: not known
	Width float64 // bytes of a row, on average, in a store that is charged by them; 0: not known
}

// Cell holds what is known. It may be used by several goroutines, and a nil one holds nothing.
type Cell struct {
	now   atomic.Pointer[Extent]
	added atomic.Int64

	mu        sync.Mutex
	columns   map[uint32]*written
	addresses map[uint32]*reservoir[uint64] // of Z-order indexes
}

// Get is what is known of the size.
func (c *Cell) Get() Extent {
	if c == nil {
		return Extent{}
	}
	if e := c.now.Load(); e != nil {
		return *e
	}
	return Extent{}
}

// Set replaces what is known of the size.
func (c *Cell) Set(e Extent) {
	if c != nil {
		c.now.Store(&e)
	}
}

// Added is by how many rows the process has made the table larger. Some of them may not be committed, or never be.
func (c *Cell) Added() float64 {
	if c == nil {
		return 0
	}
	return float64(c.added.Load())
}

// Rows are notes about rows that are written.
type Rows struct{ of *Cell }

// Added notes by how many rows the table gets larger, or with less than 0 smaller.
func (r Rows) Added(rows int) { r.of.added.Add(int64(rows)) }

// Written calls note with what takes notes about rows that are written.
func (c *Cell) Written(note func(Rows)) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.columns == nil {
		c.columns, c.addresses = map[uint32]*written{}, map[uint32]*reservoir[uint64]{}
	}
	note(Rows{c})
}

// Value notes a value of a column, with a hash whose bits are even.
func (r Rows) Value(column uint32, hash uint64, v types.Value) {
	w := r.of.columns[column]
	if w == nil {
		w = newWritten()
		r.of.columns[column] = w
	}
	w.add(hash, v)
}

// Entry notes an entry of a Z-order index, whose address is asked for if it is one of the sample.
func (r Rows) Entry(index uint32, address func() uint64) {
	s := r.of.addresses[index]
	if s == nil {
		s = newReservoir(cmp.Compare[uint64])
		r.of.addresses[index] = s
	}
	s.add(address)
}

// Column is what the rows that were written show of a column of a table that is thought to have so many rows; false:
// they are too few of all.
func (c *Cell) Column(id uint32, rows float64) (Column, bool) {
	if c == nil {
		return Column{}, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.columns[id]; w != nil {
		return w.column(rows)
	}
	return Column{}, false
}

// Sketch is a sample of the addresses of a Z-order index, in ascending order; nil: those that were written are too few
// of all.
func (c *Cell) Sketch(index uint32, rows float64) []uint64 {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.addresses[index]
	if s == nil || len(s.list) < 2 || !tells(float64(s.seen), rows) {
		return nil
	}
	return s.inOrder()
}

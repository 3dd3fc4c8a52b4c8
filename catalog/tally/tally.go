// Package tally counts the rows of tables that a process changes, so that it is known how old the statistics of a
// table are in terms of its rows. Executors note changes in a Log, a transaction keeps what its statements have noted,
// and a commit adds that to the Counter of the process. What it has counted since the statistics is stored from time to
// time, by cluster/analyze, in one sum for all processes: the Counter knows which part of it is in that sum.
//
// Read Log first, then Counter.
package tally

import (
	"sync"
	"time"
)

// Changes are numbers of rows of a table.
type Changes struct{ Inserted, Updated, Deleted int64 }

// Total is how many rows were changed.
func (c Changes) Total() int64 { return c.Inserted + c.Updated + c.Deleted }

// Net is by how many rows the table has grown.
func (c Changes) Net() int64 { return c.Inserted - c.Deleted }

// Add adds other changes.
func (c *Changes) Add(o Changes) {
	c.Inserted, c.Updated, c.Deleted = c.Inserted+o.Inserted, c.Updated+o.Updated, c.Deleted+o.Deleted
}

func (c Changes) without(o Changes) Changes {
	return Changes{c.Inserted - o.Inserted, c.Updated - o.Updated, c.Deleted - o.Deleted}
}

// Log is what was changed, in the order in which that was done: a transaction goes back to a savepoint by cutting it.
type Log []Entry

// Entry is what was changed of one table.
type Entry struct {
	Table uint32
	Changes
}

// Note adds changes of a table.
func (l *Log) Note(table uint32, c Changes) {
	for i := range *l {
		if e := &(*l)[i]; e.Table == table {
			e.Add(c)
			return
		}
	}
	*l = append(*l, Entry{table, c})
}

// Counter counts the changes that a process commits. It may be used by several goroutines.
type Counter struct {
	mu     sync.Mutex
	tables map[uint32]*count
}

// count is of one table.
type count struct {
	total Changes   // since the process began
	base  Changes   // total when the statistics were made, or when the rest was stored
	made  time.Time // when these were made
	sum   Changes   // what is stored of the time since then, as it was seen last: also that of other processes
}

// NewCounter is a counter of no changes yet.
func NewCounter() *Counter { return &Counter{tables: map[uint32]*count{}} }

func (c *Counter) table(id uint32) *count {
	t := c.tables[id]
	if t == nil {
		t = &count{}
		c.tables[id] = t
	}
	return t
}

// of is the count of a table that has the statistics of a time.
func (c *Counter) of(id uint32, made time.Time) *count {
	t := c.table(id)
	if !t.made.Equal(made) {
		t.made, t.base, t.sum = made, t.total, Changes{}
	}
	return t
}

// Add counts what a commit has made.
func (c *Counter) Add(l Log) {
	if len(l) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range l {
		c.table(e.Table).total.Add(e.Changes)
	}
}

// Total is what was changed of a table since the process began.
func (c *Counter) Total(table uint32) Changes {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.table(table).total
}

// Has notes which statistics a table has from now on.
func (c *Counter) Has(table uint32, made time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.of(table, made)
}

// Since is what was changed of a table since the statistics were made that it has: by this process, and by others as
// far as it has seen that. Of statistics that another process has made it is what was changed since this one has them.
func (c *Counter) Since(table uint32, made time.Time) Changes {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.of(table, made)
	since := t.total.without(t.base)
	since.Add(t.sum)
	return since
}

// Unsaved is what of Since is not stored.
func (c *Counter) Unsaved(table uint32, made time.Time) Changes {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.of(table, made)
	return t.total.without(t.base)
}

// Saved notes the sum that is stored since some statistics, of which so much was Unsaved before.
func (c *Counter) Saved(table uint32, made time.Time, part, sum Changes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.table(table); t.made.Equal(made) { // else they count no more
		t.base.Add(part)
		t.sum = sum
	}
}

// Made notes that the statistics of a table were made at a time, when so much of it had been changed.
func (c *Counter) Made(table uint32, at time.Time, then Changes) {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.table(table)
	t.made, t.base, t.sum = at, then, Changes{}
}

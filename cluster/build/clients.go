package build

import "sync/atomic"

// Clients counts the statements of clients, as far as they are watched.
type Clients struct {
	running atomic.Int32
	begun   atomic.Uint64 // since the start of the process
}

// BeginStatement counts a statement that begins.
func (c *Clients) BeginStatement() {
	c.running.Add(1)
	c.begun.Add(1)
}

// EndStatement counts a statement that has ended.
func (c *Clients) EndStatement() { c.running.Add(-1) }

// Wait runs what only waits in a statement, which takes no processor meanwhile.
func (c *Clients) Wait(f func() error) error {
	c.running.Add(-1)
	defer c.running.Add(1)
	return f()
}

package transaction

import (
	"maps"

	"zproxy/catalog/reference"
	"zproxy/types"
)

// Constraints is which foreign keys a transaction checks when it ends, and what is then to be checked.
type Constraints struct {
	all     *bool           // deferred, as SET CONSTRAINTS ALL says; nil: as each was made
	of      map[uint32]bool // deferred, by the numbers of keys; never changed
	pending []Pending
}

// Pending are keys of a foreign key that are to be checked.
type Pending struct {
	Table, Key uint32 // the table that refers, and its foreign key
	// Vacated says that rows of the parent have had the keys; otherwise rows of the table refer to them.
	Vacated bool
	Keys    []types.Row
}

// Deferred says whether the check of a key waits for the end of the transaction.
func (c *Constraints) Deferred(k *reference.Key) bool {
	if !k.Deferrable {
		return false
	}
	if deferred, ok := c.of[k.ID]; ok {
		return deferred
	}
	if c.all != nil {
		return *c.all
	}
	return k.Deferred
}

// SetAll defers the check of all keys that are deferrable, or ends that.
func (c *Constraints) SetAll(deferred bool) { c.all, c.of = &deferred, nil }

// Set defers the check of one key, or ends that.
func (c *Constraints) Set(key uint32, deferred bool) {
	if c.of = maps.Clone(c.of); c.of == nil {
		c.of = map[uint32]bool{}
	}
	c.of[key] = deferred
}

// Defer keeps keys until they are checked.
func (c *Constraints) Defer(p Pending) { c.pending = append(c.pending, p) }

// Take takes out what is to be checked now: what is not deferred any more, or at the end of the transaction all of it.
func (c *Constraints) Take(now func(p *Pending) bool) (out []Pending) {
	var left []Pending
	for i := range c.pending {
		if now(&c.pending[i]) {
			out = append(out, c.pending[i])
		} else {
			left = append(left, c.pending[i])
		}
	}
	c.pending = left
	return out
}

// Waits says whether a check of a foreign key of a table, or with 0 of any, waits for the end of the transaction.
func (c *Constraints) Waits(table uint32) bool {
	for i := range c.pending {
		if table == 0 || c.pending[i].Table == table {
			return true
		}
	}
	return false
}

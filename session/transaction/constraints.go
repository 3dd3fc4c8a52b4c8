package transaction

import (
	"maps"

	"zproxy/catalog/reference"
	"zproxy/planner/firing"
	"zproxy/types"
)

// Constraints is which constraints a transaction checks when it ends, and what is then to be checked. A copy keeps
// what it was: savepoints have one. Most transactions have nothing to note.
type Constraints struct{ noted *noted }

// noted is what a transaction has noted of constraints. It never changes.
type noted struct {
	all     *bool           // deferred, as SET CONSTRAINTS ALL says; nil: as each was made
	of      map[uint32]bool // deferred, by the numbers of constraints
	pending []Pending
}

// Pending are keys of a constraint that are to be checked, or a call of its trigger.
type Pending struct {
	Table, Key uint32 // the table, and its foreign key, its unique index or the constraint of its trigger
	// Call is a call of a constraint trigger; nil: keys are to be checked.
	Call *firing.Call
	// Vacated says that rows of the parent have had the keys; otherwise rows of the table refer to them, or have them.
	Vacated bool
	Keys    []types.Row
}

// Deferred says whether the check of a constraint waits for the end of the transaction.
func (c Constraints) Deferred(id uint32, t reference.Timing) bool {
	if !t.Deferrable {
		return false
	}
	if c.noted == nil {
		return t.Deferred
	}
	if deferred, ok := c.noted.of[id]; ok {
		return deferred
	}
	if c.noted.all != nil {
		return *c.noted.all
	}
	return t.Deferred
}

// note notes something else.
func (c *Constraints) note(change func(*noted)) {
	var next noted
	if c.noted != nil {
		next = *c.noted
	}
	change(&next)
	c.noted = &next
}

// SetAll defers the check of all keys that are deferrable, or ends that.
func (c *Constraints) SetAll(deferred bool) { c.note(func(n *noted) { n.all, n.of = &deferred, nil }) }

// Set defers the check of one key, or ends that.
func (c *Constraints) Set(key uint32, deferred bool) {
	c.note(func(n *noted) {
		if n.of = maps.Clone(n.of); n.of == nil {
			n.of = map[uint32]bool{}
		}
		n.of[key] = deferred
	})
}

// Defer keeps keys until they are checked.
func (c *Constraints) Defer(p Pending) {
	c.note(func(n *noted) { n.pending = append(n.pending, p) })
}

// Take takes out what is to be checked now: what is not deferred any more, or at the end of the transaction all of it.
func (c *Constraints) Take(now func(p *Pending) bool) (out []Pending) {
	if c.noted == nil {
		return nil
	}
	var left []Pending
	for i := range c.noted.pending {
		if p := &c.noted.pending[i]; now(p) {
			out = append(out, *p)
		} else {
			left = append(left, *p)
		}
	}
	c.note(func(n *noted) { n.pending = left })
	return out
}

// Waits says whether a check waits for the end of the transaction.
func (c Constraints) Waits() bool { return c.noted != nil && len(c.noted.pending) > 0 }

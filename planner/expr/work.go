package expr

import (
	"zproxy/sqlerr"
	"zproxy/types"
)

// Memory bounds what a statement holds.
type Memory interface {
	// Grow charges what evaluation makes until the rows of the present batch are done with;
	// the caller of expressions gives it back.
	Grow(bytes int64) error
}

const (
	// tickUnits is how much work lies between two looks at Interrupt: well below a
	// millisecond of it.
	tickUnits = 64 << 10
	// smallBytes is what Make lets pass unseen: values of usual rows.
	smallBytes = 4 << 10
	// maxBytes is the size of the largest value, as in PostgreSQL.
	maxBytes = 1<<30 - 1
)

// Tick counts n units of work, about a byte copied or a comparison each, and asks
// Interrupt once in a while. Loops over a value's parts call it, since one value can be
// large enough for minutes.
func (c *Context) Tick(n int) error {
	c.units += n
	if c.units < tickUnits {
		return nil
	}
	c.units = 0
	switch {
	case c.Interrupt != nil:
		return c.Interrupt()
	case c.within != nil:
		return c.within.Tick(tickUnits)
	}
	return nil
}

// Make is to be called before a value of so many bytes is made.
func (c *Context) Make(bytes int64) error {
	if bytes <= smallBytes {
		return nil
	}
	if bytes > maxBytes {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "invalid memory alloc request size %d", bytes)
	}
	switch err := c.Tick(int(bytes)); {
	case err != nil:
		return err
	case c.Memory != nil:
		return c.Memory.Grow(bytes)
	case c.within != nil:
		return c.within.Make(bytes)
	}
	return nil
}

// Beforehand is the context in which constants are computed when no statement runs yet. It
// ends, and is bounded, as what env belongs to.
func Beforehand(env *types.Env) *Context {
	c := &Context{Env: env}
	if env != nil {
		c.within = env.Work
	}
	return c
}

package bind

import (
	"time"

	"zproxy/catalog"
	"zproxy/types"
)

// Constants reads the texts of constants.
type Constants struct {
	Env *types.Env
	// Literals is what constants are read with, apart from names; nil: Env. A statement that was
	// prepared and a text that the catalog keeps have those of when they were first read.
	Literals *types.Env
	noting   *catalog.Literals // where names in constants are noted; nil: nowhere
}

// Reads is what the text of a constant is read with.
func (c *Constants) Reads() *types.Env {
	switch {
	case c.Literals != nil:
		return catalog.Over(c.Literals, c.Env.Names)
	case c.noting != nil:
		env := *c.Env
		env.Names = &catalog.Remembered{Names: c.Env.Names, Note: c.noting}
		return &env
	}
	return c.Env
}

// Written is how the constants of a text that is stored now are read.
func (c *Constants) Written() *catalog.Literals {
	l := catalog.LiteralsOf(c.Env, c.Now())
	return &l
}

// Reading has constants read as those of a stored text, until the function that it gives is called.
func (c *Constants) Reading(l *catalog.Literals) (func(), error) {
	before := c.Literals
	env, err := l.Env()
	c.Literals = env
	return func() { c.Literals = before }, err
}

// Now is when the transaction began.
func (c *Constants) Now() time.Time {
	if c.Env.Now.IsZero() {
		return time.Now().UTC()
	}
	return c.Env.Now.UTC()
}

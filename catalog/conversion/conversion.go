// Package conversion has what a cast of CREATE CAST is: the types, when it happens, and what it does. The planner looks
// for it where there is no cast that is built in, and makes a call of its function. Read Definition first.
package conversion

import "zproxy/types"

// Definition is a cast of the catalog. Types are without their modifiers.
type Definition struct {
	From, To types.OID
	Context  types.CastContext
	Method   Method
	Function uint32 `json:",omitempty"` // in pg_proc, where Method is ByFunction
}

// Method is how values become those of another type.
type Method string

// The methods, as pg_cast has them.
const (
	ByFunction Method = "f"
	AsTheyAre  Method = "b"
	ByTexts    Method = "i" // they are printed, and read as the other type
)

// Letter is the context as pg_cast has it.
func (d *Definition) Letter() byte { return "iae"[d.Context] }

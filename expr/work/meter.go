// Package work bounds the evaluation of an expression: a Meter counts its work, checks periodically whether the
// statement is to end, and charges the memory of new values. Text, Values and List make long values piece by piece
// under a meter. What SQL means is not here. Begin with Meter.
package work

import (
	"zproxy/sqlerr"
	"zproxy/types/form"
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
	// SmallBytes is what Make lets pass unseen: values of usual rows.
	SmallBytes = 4 << 10
	// maxBytes is the size of the largest value, as in PostgreSQL.
	maxBytes = 1<<30 - 1
)

// Meter counts the work of one evaluation and the memory of the values that it makes. One
// goroutine uses it at a time.
type Meter struct {
	// Interrupt is the error of a statement that is to end, nil while it may go on; a nil
	// func: nothing ends it.
	Interrupt func() error
	Memory    Memory // nil: nothing bounds it

	within  form.Work // ends and bounds where Interrupt and Memory are nil
	small   int       // bytes of small parts since the last Make
	units   int       // of work since the last look at Interrupt
	refused error     // by Make
}

// Within is a meter that ends, and is bounded, as other work is; nil: nothing bounds it.
func Within(w form.Work) Meter { return Meter{within: w} }

// Tick counts n units of work, about a byte copied or a comparison each, and asks
// Interrupt once in a while. Loops over a value's parts call it, since one value can be
// large enough for minutes.
func (m *Meter) Tick(n int) error {
	m.units += n
	if m.units < tickUnits {
		return nil
	}
	m.units = 0
	switch {
	case m.refused != nil:
		return m.refused
	case m.Interrupt != nil:
		return m.Interrupt()
	case m.within != nil:
		return m.within.Tick(tickUnits)
	}
	return nil
}

// Make is to be called before a value of so many bytes is made. An error ends the statement, also where the caller
// has no way to say so.
func (m *Meter) Make(bytes int64) error {
	if bytes <= SmallBytes {
		return nil
	}
	if err := m.charge(bytes); err != nil {
		m.refused = err
	}
	return m.refused
}

// Begin is to be called when another statement begins to use the meter: an error of Make ends the one that met it.
func (m *Meter) Begin() { m.refused = nil }

func (m *Meter) charge(bytes int64) error {
	if bytes > maxBytes {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "invalid memory alloc request size %d", bytes)
	}
	switch err := m.Tick(int(bytes)); {
	case err != nil:
		return err
	case m.Memory != nil:
		return m.Memory.Grow(bytes)
	case m.within != nil:
		return m.within.Make(bytes)
	}
	return nil
}

// Grow charges what belongs to a larger value and is too small for Make on its own.
func (m *Meter) Grow(bytes int) error {
	if m.small += bytes; m.small <= PieceBytes {
		return nil
	}
	bytes, m.small = m.small, 0
	return m.Make(int64(bytes))
}

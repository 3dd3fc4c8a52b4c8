// Package stateful runs aggregates that are made of functions: one makes the next state of the present one and of the
// arguments of a row, another the result of the last state. The functions are expressions, whatever they call. The
// planner makes a State of an aggregate of users, and the executor its accumulators. Read State first.
package stateful

import (
	"errors"
	"slices"

	"zproxy/expr"
	"zproxy/types"
)

// State is what an aggregate makes of rows by expressions, one row after another.
type State struct {
	// Transition is the next state. It is computed from a row with the state and the arguments.
	Transition expr.Expr
	// Final is the result, computed from a row with the state and NULLs; nil: the state is the result.
	Final expr.Expr
	// Strict says that rows with a NULL change nothing, and that a NULL becomes the first argument. FinalStrict says
	// that the result of NULL is NULL.
	Strict, FinalStrict bool
	Initial             types.Value // before the first row
	Width               int         // how many arguments there are
	Of                  any         // the aggregate of the catalog
}

// Accumulator is a new accumulator.
func (s *State) Accumulator() expr.Accumulator {
	return &stateOf{State: s, value: s.Initial, row: make(types.Row, 1+s.Width)}
}

var errOutside = errors.New("an aggregate of the catalog is called outside of a session")

// stateOf is the state of one group.
type stateOf struct {
	*State
	value   types.Value
	begun   bool
	allowed bool
	row     types.Row
}

// Present is the state. The executor asks for it, to hold its memory.
func (s *stateOf) Present(int) types.Value { return s.value }

// may checks once whether the aggregate may be called.
func (s *stateOf) may(c *expr.Context) error {
	if s.allowed {
		return nil
	}
	if c.Routines == nil {
		return errOutside
	}
	err := c.Routines.May(s.Of)
	s.allowed = err == nil
	return err
}

// Add implements expr.Accumulator.
func (s *stateOf) Add(c *expr.Context, args []types.Value) error {
	if err := s.may(c); err != nil {
		return err
	}
	if s.Strict {
		if slices.ContainsFunc(args, types.Value.IsNull) {
			return nil
		}
		if !s.begun && s.Initial.IsNull() {
			s.value, s.begun = args[0], true
			return nil
		}
		if s.value.IsNull() {
			return nil
		}
	}
	s.row[0] = s.value
	copy(s.row[1:], args)
	v, err := s.Transition.Eval(c, s.row)
	s.value, s.begun = v, true
	return err
}

// Result implements expr.Accumulator.
func (s *stateOf) Result(c *expr.Context) (types.Value, error) {
	if err := s.may(c); err != nil {
		return types.Null, err
	}
	if s.Final == nil || s.FinalStrict && s.value.IsNull() {
		return s.value, nil
	}
	clear(s.row)
	s.row[0] = s.value
	return s.Final.Eval(c, s.row)
}

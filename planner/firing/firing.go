// Package firing is what the executor and the session share of triggers: a call of the function of a trigger, and what
// the session does for the executor, which knows when triggers fire. The conditions of triggers are evaluated here.
// Read Call first, then Session.
package firing

import (
	"context"

	"zproxy/catalog/trigger"
	"zproxy/expr"
	"zproxy/planner/plan"
	"zproxy/types"
)

// Session is the part of a session in triggers: it runs their functions.
type Session interface {
	// Fires says whether the session fires a trigger.
	Fires(t *plan.Trigger) bool
	// Looks says whether the function of a trigger may look at rows that the statement writes.
	Looks(t *plan.Trigger) (bool, error)
	// Run runs the function of a trigger. It gives the row that is to be written in the place of the new one, of a
	// delete anything; nil: none is.
	Run(ctx context.Context, c *Call) (types.Row, error)
	// Defer keeps a call for the end of the transaction, and says false if it is not to wait.
	Defer(c *Call) bool
}

// Call is one call of the function of a trigger.
type Call struct {
	*plan.Trigger
	Event trigger.Events
	// Old and New are rows of the table; nil: there is none.
	Old, New types.Row
	Set      []int // the columns that an update sets
	Transition
	Canceled bool // another one is in its place
}

// Transition is the rows of the transition tables of a statement.
type Transition struct{ OldRows, NewRows *[]types.Row }

// Wanted says whether the condition of the trigger is true for the rows.
func (c *Call) Wanted(known *expr.Context) (bool, error) {
	if c.When == nil {
		return true, nil
	}
	both := make(types.Row, 2*len(c.Table.Columns))
	copy(both, c.Old)
	copy(both[len(c.Table.Columns):], c.New)
	v, err := c.When.Eval(known, both)
	return err == nil && v.IsTrue(), err
}

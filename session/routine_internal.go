package session

import "zproxy/catalog/routine"

// runInternal runs a function in language internal.
func (r *routines) runInternal(c *invocation) error {
	for row, err := range routine.Internal(r.reach.context(r.ctx, nil), c.RoutineCall) {
		if err != nil {
			return err
		}
		if more, err := c.emit(row); err != nil || !more {
			return err
		}
	}
	return nil
}

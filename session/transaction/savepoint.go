package transaction

import (
	"errors"
	"slices"

	"zproxy/cluster"
	"zproxy/parser/ast"
	"zproxy/session/settings"
	"zproxy/sqlerr"
	"zproxy/store"
)

// savepoint is a state of a block that ROLLBACK TO goes back to.
type savepoint struct {
	name     string
	mark     store.Mark // zero while the block had not asked for anything
	wrote    int        // statements that wrote
	tally    int        // entries of what they have changed
	settings settings.State
	locks    int // that end with the transaction
	intents  int
	portals  int                 // the number of the last one
	change   *cluster.ChangeMark // nil while the schema was as it was
	// constraints is when foreign keys were to be checked, and what.
	constraints Constraints
	descriptors int // of large objects: those that there had been
}

// savepoints are those of a block.
type savepoints []savepoint

// last is the last one; zero: there is none.
func (l savepoints) last() savepoint {
	if len(l) == 0 {
		return savepoint{}
	}
	return l[len(l)-1]
}

// LastSavepoint is what the schema was at the last savepoint, nil without one or while it was as it had been.
func (c *Current) LastSavepoint() *cluster.ChangeMark { return c.savepoints.last().change }

// savepointStatement runs SAVEPOINT, RELEASE and ROLLBACK TO.
func (s statements) savepointStatement(tree *ast.Transaction) (string, error) {
	switch tree.Kind {
	case ast.Savepoint:
		return "SAVEPOINT", s.setSavepoint(tree.Name)
	case ast.Release:
		return "RELEASE", s.release(tree.Name)
	default:
		return "ROLLBACK", s.rollbackTo(tree.Name)
	}
}

func (s statements) setSavepoint(name string) error {
	if err := s.OnlyIn("SAVEPOINT"); err != nil {
		return err
	}
	p := here(s.Current)
	p.name = name
	s.savepoints = append(s.savepoints, p)
	return nil
}

// here is the present state.
func here(c *Current) savepoint {
	p := savepoint{wrote: len(c.Wrote), tally: len(c.Tally), settings: c.of.Settings.Mark(),
		portals: c.of.Portals.Last(), locks: c.Locks.Mark(), intents: len(c.intents), change: c.Changed().Mark(),
		constraints: c.Constraints, descriptors: c.Descriptors.Mark()}
	if c.Writes() {
		p.mark = c.Txn().Mark()
	}
	return p
}

// restore goes back to the state, but for the locks that were taken since.
func (p *savepoint) restore(c *Current) {
	c.of.Portals.CloseSince(p.portals)
	c.Descriptors.CloseSince(p.descriptors)
	if c.Writes() {
		c.Txn().RollbackTo(p.mark)
	}
	c.RollbackChangeTo(p.change)
	c.of.Settings.RollbackTo(p.settings)
	c.Constraints = p.constraints
	c.intents, c.Wrote, c.Tally = c.intents[:p.intents], c.Wrote[:p.wrote], c.Tally[:p.tally]
}

// Within runs something whose effects are undone if it fails, as by a savepoint.
func Within(c *Current, do func() error) error {
	p, before := here(c), len(c.savepoints)
	c.savepoints = append(c.savepoints, p)
	err := do()
	c.savepoints = c.savepoints[:before]
	if err != nil {
		p.restore(c)
		c.Locks.RollbackTo(p.locks)
	}
	return err
}

// Retry runs a statement that changes the schema, and runs it again as long as others have changed the schema since it
// looked at it: it keeps the locks that it has got, so at some time none is missing. It may end transactions.
func (c *Current) Retry(statement func() error) error {
	for {
		c.NextStatement()
		c.FollowSchema()
		before, ended := here(c), c.ended
		err := statement()
		if !errors.Is(err, cluster.ErrMoved) || c.ended != ended {
			return err
		}
		before.restore(c)
	}
}

// savepoint finds the last savepoint of a name.
func (s statements) savepoint(name string) (int, error) {
	for i, p := range slices.Backward(s.savepoints) {
		if p.name == name {
			return i, nil
		}
	}
	return 0, sqlerr.New(sqlerr.InvalidSavepoint, "savepoint %q does not exist", name)
}

// release forgets a savepoint and those after it; what was done since stays done, but READ ONLY
// was for as long as the savepoint.
func (s statements) release(name string) error {
	if err := s.OnlyIn("RELEASE SAVEPOINT"); err != nil {
		return err
	}
	i, err := s.savepoint(name)
	if err == nil {
		s.of.Settings.Restore(settings.ReadOnlyName, s.savepoints[i].settings)
		s.savepoints = s.savepoints[:i]
	}
	return err
}

// rollbackTo undoes what was done since a savepoint, which stays. It revives a block in
// which a statement failed.
func (s statements) rollbackTo(name string) error {
	if err := s.OnlyIn("ROLLBACK TO SAVEPOINT"); err != nil {
		return err
	}
	i, err := s.savepoint(name)
	if err != nil {
		return err
	}
	p := &s.savepoints[i]
	p.restore(s.Current)
	s.Locks.RollbackTo(p.locks)
	s.savepoints, s.failed = s.savepoints[:i+1], false
	return nil
}

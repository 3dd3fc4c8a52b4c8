package transaction

import (
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
	settings settings.State
	locks    int // that end with the transaction
	intents  int
	portals  int                 // the number of the last one
	change   *cluster.ChangeMark // nil while the schema was as it was
}

// lastLocks is how many locks there were at the last savepoint. Of a block that has failed only these can be needed.
func (c *Current) lastLocks() int {
	if n := len(c.savepoints); n > 0 {
		return c.savepoints[n-1].locks
	}
	return 0
}

// LastSavepoint is what the schema was at the last savepoint, nil without one or while it was as it had been.
func (c *Current) LastSavepoint() *cluster.ChangeMark {
	if n := len(c.savepoints); n > 0 {
		return c.savepoints[n-1].change
	}
	return nil
}

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
	p := savepoint{name: name, wrote: len(s.Wrote), settings: s.of.Settings.Mark(), portals: s.of.Portals.Last(),
		locks: s.Locks.Mark(), intents: len(s.intents), change: s.Changed().Mark()}
	if s.Writes() {
		p.mark = s.Txn().Mark()
	}
	s.savepoints = append(s.savepoints, p)
	return nil
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
	s.of.Portals.CloseSince(p.portals)
	if s.Writes() {
		s.Txn().RollbackTo(p.mark)
	}
	s.RollbackChangeTo(p.change)
	s.of.Settings.RollbackTo(p.settings)
	s.Locks.RollbackTo(p.locks)
	s.intents = s.intents[:p.intents]
	s.Wrote, s.savepoints, s.failed = s.Wrote[:p.wrote], s.savepoints[:i+1], false
	return nil
}

package session

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
	advisory int // locks that end with the transaction
	intents  int
	portals  int                 // the number of the last one
	change   *cluster.ChangeMark // nil while the schema was as it was
}

// onlyInBlock is the error of a statement that means nothing outside of a block.
func (s *Session) onlyInBlock(what string) error {
	if s.txn.block {
		return nil
	}
	return sqlerr.New(sqlerr.NoActiveSQLTransaction, "%s can only be used in transaction blocks", what)
}

// savepointStatement runs SAVEPOINT, RELEASE and ROLLBACK TO.
func (s blocks) savepointStatement(tree *ast.Transaction) (Outcome, error) {
	switch tree.Kind {
	case ast.Savepoint:
		return tag("SAVEPOINT", s.setSavepoint(tree.Name))
	case ast.Release:
		return tag("RELEASE", s.release(tree.Name))
	default:
		return tag("ROLLBACK", s.rollbackTo(tree.Name))
	}
}

func (s blocks) setSavepoint(name string) error {
	if err := s.onlyInBlock("SAVEPOINT"); err != nil {
		return err
	}
	p := savepoint{name: name, wrote: len(s.txn.Wrote), settings: s.settings.Mark(), portals: s.portals.last,
		advisory: s.locks.Mark(), intents: len(s.txn.intents), change: s.txn.Changed().Mark()}
	if s.txn.Writes() {
		p.mark = s.txn.Txn().Mark()
	}
	s.txn.savepoints = append(s.txn.savepoints, p)
	return nil
}

// savepoint finds the last savepoint of a name.
func (s blocks) savepoint(name string) (int, error) {
	list := s.txn.savepoints
	for i, p := range slices.Backward(list) {
		if p.name == name {
			return i, nil
		}
	}
	return 0, sqlerr.New(sqlerr.InvalidSavepoint, "savepoint %q does not exist", name)
}

// release forgets a savepoint and those after it; what was done since stays done, but READ ONLY
// was for as long as the savepoint.
func (s blocks) release(name string) error {
	if err := s.onlyInBlock("RELEASE SAVEPOINT"); err != nil {
		return err
	}
	i, err := s.savepoint(name)
	if err == nil {
		s.settings.Restore(settings.ReadOnlyName, s.txn.savepoints[i].settings)
		s.txn.savepoints = s.txn.savepoints[:i]
	}
	return err
}

// rollbackTo undoes what was done since a savepoint, which stays. It revives a block in
// which a statement failed.
func (s blocks) rollbackTo(name string) error {
	if err := s.onlyInBlock("ROLLBACK TO SAVEPOINT"); err != nil {
		return err
	}
	i, err := s.savepoint(name)
	if err != nil {
		return err
	}
	t, p := &s.txn, &s.txn.savepoints[i]
	s.portals.closeSince(p.portals)
	if t.Writes() {
		t.Txn().RollbackTo(p.mark)
	}
	s.txn.RollbackChangeTo(p.change)
	s.settings.RollbackTo(p.settings)
	s.locks.RollbackTo(p.advisory)
	t.intents = t.intents[:p.intents]
	t.Wrote, t.savepoints, t.failed = t.Wrote[:p.wrote], t.savepoints[:i+1], false
	return nil
}

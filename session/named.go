package session

import (
	"time"

	"zproxy/internal/memory"
	"zproxy/parser/ast"
	"zproxy/planner/plan"
	"zproxy/session/charge"
	"zproxy/sqlerr"
)

// maxStatements and maxPortals bound what a client that forgets to close things can take.
const (
	maxStatements = 10_000
	maxPortals    = 1_000
)

// named are the statements and portals that the client has.
type named struct {
	statements statements
	portals    portals
}

// columns are those of the rows that a statement delivers if it runs now.
func (n *named) columns(st *Statement) []plan.Column {
	switch tree := st.tree.(type) {
	case *ast.ExecutePrepared:
		if of, ok := n.statements.of[tree.Name]; ok {
			return of.Columns
		}
		return nil
	case *ast.Fetch:
		if of, ok := n.portals.of[tree.Cursor]; ok && !tree.Move {
			return of.Columns
		}
		return nil
	}
	return st.Columns
}

// statement finds a prepared statement, with the columns that it has now.
func (n *named) statement(name string) (*Statement, error) {
	st, ok := n.statements.of[name]
	switch {
	case ok:
		st.Columns = n.columns(st)
		return st, nil
	case name == "":
		return nil, sqlerr.New(sqlerr.InvalidSQLStatementName, "unnamed prepared statement does not exist")
	}
	return nil, sqlerr.New(sqlerr.InvalidSQLStatementName, "prepared statement %q does not exist", name)
}

// statements are the prepared statements of a session.
type statements struct {
	of     map[string]*Statement
	memory *memory.Account // which is charged for keeping them
}

// add makes a prepared statement known by a name, which must be free; the unnamed one is replaced.
func (l *statements) add(name string, st *Statement) error {
	switch _, there := l.of[name]; {
	case there && name != "":
		return sqlerr.New(sqlerr.DuplicatePreparedStatement, "prepared statement %q already exists", name)
	case !there && len(l.of) >= maxStatements:
		return sqlerr.New(sqlerr.ConfigurationLimitExceeded, "a session can have at most %d prepared statements",
			maxStatements).
			WithHint("Use DEALLOCATE to free those that are no longer needed.")
	}
	bytes := charge.Kept(st.text)
	if err := l.memory.Grow(bytes); err != nil {
		return err
	}
	l.close(name)
	st.bytes = bytes
	if name != "" {
		st.made = time.Now()
	}
	l.of[name] = st
	return nil
}

// close forgets a prepared statement.
func (l *statements) close(name string) {
	if st, ok := l.of[name]; ok {
		l.memory.Shrink(st.bytes)
		delete(l.of, name)
	}
}

// closeNamed forgets all but the one without a name.
func (l *statements) closeNamed() {
	for name := range l.of {
		if name != "" {
			l.close(name)
		}
	}
}

// forgetPlans has all of them planned anew before they run.
func (l *statements) forgetPlans() {
	for _, st := range l.of {
		st.schema = nil
	}
}

package session

import (
	"slices"

	"zproxy/planner/plan"
	"zproxy/sqlerr"
	"zproxy/types"
)

// Current implements system.Cursors.
func (l *portals) Current(cursor string, table uint32, name string) (types.Row, error) {
	p, err := l.cursor(cursor)
	if err != nil {
		return nil, err
	}
	state := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.InvalidCursorState, "cursor %q "+format, append([]any{cursor}, args...)...)
	}
	switch {
	case !p.isSelect():
		return nil, state("is not a SELECT query")
	case p.held:
		return nil, state("is held from a previous transaction")
	}
	locks := p.statement.locked != nil
	of := slices.DeleteFunc(slices.Clone(p.statement.identities), func(i plan.Identity) bool {
		return i.Table != table || locks && !i.Locked
	})
	switch {
	case locks && len(of) == 0:
		return nil, state("does not have a FOR UPDATE/SHARE reference to table %q", name)
	case locks && len(of) > 1:
		return nil, state("has multiple FOR UPDATE/SHARE references to table %q", name)
	case len(of) != 1:
		return nil, state("is not a simply updatable scan of table %q", name)
	case !p.pos.On():
		return nil, state("is not positioned on a row")
	}
	at := of[0].At - len(p.Columns)
	return p.pos.Current[at:][:of[0].Keys], nil
}

package session

import (
	"zproxy/catalog"
	"zproxy/session/statement"
)

// allowance is with what a statement was last found to be allowed.
type allowance struct {
	schema *catalog.Snapshot
	role   uint32
}

// allow wants the present role to be allowed what a planned statement needs. Nothing is
// asked twice while neither the catalog nor the role changes.
func (s admission) allow(st *Statement) error {
	now := allowance{s.txn.Schema(), s.user.Role()}
	if st.allowed == now {
		return nil
	}
	for _, n := range st.needs {
		role := n.As
		if role == 0 {
			role = now.role
		}
		if err := statement.Grants(now.schema, role, n.Relation, n.Privileges); err != nil {
			return err
		}
	}
	st.allowed = now
	return nil
}

// hides says whether the present role may not read a table, so that errors must not show its
// rows.
func (r *reach) hides(t *catalog.Table) bool {
	have, _ := r.txn.Schema().Privileges(r.user.Role(), t)
	return have&catalog.MaySelect == 0
}

package session

import (
	"zproxy/catalog"
	"zproxy/catalog/syscat"
	"zproxy/session/statement"
)

// allowance is with what a statement was last found to be allowed.
type allowance struct {
	schema *catalog.Snapshot
	role   uint32
}

// allow wants the present role to be allowed what a planned statement needs. Nothing is
// asked twice while neither the catalog nor the role changes.
func (s *Session) allow(st *Statement) error {
	now := allowance{s.schema(), s.role()}
	if st.allowed == now {
		return nil
	}
	for _, n := range st.needs {
		role := n.As
		if role == 0 {
			role = now.role
		}
		if err := s.grants(now.schema, role, n.Relation, n.Privileges); err != nil {
			return err
		}
	}
	st.allowed = now
	return nil
}

// grants wants a role to have privileges on a relation.
func (s *Session) grants(snap *catalog.Snapshot, role, relation uint32, p catalog.Privileges) error {
	if snap.Superuser(role) {
		return nil
	}
	var have catalog.Privileges
	r := snap.Numbered(relation)
	switch o := r.(type) {
	case catalog.Owned:
		have, _ = snap.Privileges(role, o)
	case *catalog.Virtual:
		have, _ = snap.Held(role, syscat.ACL(o), catalog.BootstrapID)
	default:
		return nil // it is gone, as its readers find
	}
	if have&p != p {
		return statement.Denied("permission denied for %s %s", r.Ref().Kind, r.Ref().Name)
	}
	return nil
}

// hides says whether the present role may not read a table, so that errors must not show its
// rows.
func (s *Session) hides(t *catalog.Table) bool {
	have, _ := s.schema().Privileges(s.role(), t)
	return have&catalog.MaySelect == 0
}

package session

import (
	"zproxy/catalog"
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
	r := snap.Numbered(relation)
	o, ok := r.(catalog.Owned)
	if !ok {
		return s.grantsSystem(r)
	}
	if have, _ := snap.Privileges(role, o); have&p != p {
		return denied("permission denied for %s", s.called(o))
	}
	return nil
}

// grantsSystem refuses the relations of the system that only superusers read: they show
// verifiers, samples of rows, and what the process does.
func (s *Session) grantsSystem(r catalog.Relation) error {
	if r == nil {
		return nil
	}
	switch ref := r.Ref(); ref.Name {
	case "pg_authid", "pg_shadow", "pg_statistic", "pg_statistic_ext_data", "pg_largeobject", "pg_user_mapping",
		"pg_subscription", "pg_file_settings", "pg_hba_file_rules", "pg_ident_file_mappings", "pg_backend_memory_contexts",
		"pg_shmem_allocations", "pg_config", "pg_replication_origin_status":
		return denied("permission denied for %s %s", ref.Kind, ref.Name)
	}
	return nil
}

// hides says whether the present role may not read a table, so that errors must not show its
// rows.
func (s *Session) hides(t *catalog.Table) bool {
	have, _ := s.schema().Privileges(s.role(), t)
	return have&catalog.MaySelect == 0
}

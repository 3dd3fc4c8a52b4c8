package catalog

import (
	"cmp"
	"maps"
	"slices"
)

// Role is a user or a group of users.
type Role struct {
	ID          uint32
	Name        string // empty: the bootstrap superuser before it was named, see BootstrapID
	Superuser   bool   `json:",omitempty"`
	Inherit     bool   `json:",omitempty"` // it may do what the roles may that it is a member of
	CreateRole  bool   `json:",omitempty"`
	CreateDB    bool   `json:",omitempty"`
	Login       bool   `json:",omitempty"`
	Replication bool   `json:",omitempty"`
	BypassRLS   bool   `json:",omitempty"`
	ConnLimit   int    // -1: none
	Verifier    string `json:",omitempty"` // SCRAM-SHA-256$...; a password itself is never kept
	// ValidUntil is when the password ends, as the microseconds of a timestamptz; nil: never.
	ValidUntil *int64   `json:",omitempty"`
	Config     []string `json:",omitempty"` // name=value, for its sessions to begin with
	Comment    string   `json:",omitempty"`
	// MemberOf are the roles that it was granted.
	MemberOf []Membership `json:",omitempty"`
}

// Membership says that a role belongs to another.
type Membership struct {
	Role    uint32
	Grantor uint32
	Admin   bool // it may make others members
	// Inherit says whether it may do what the role may: 1: yes, -1: no, 0: as the attribute of the member says.
	Inherit int8 `json:",omitzero"`
	NoSet   bool `json:",omitzero"` // it may not become the role
}

// The roles that mean something to the catalog itself, with PostgreSQL's OIDs.
const (
	// BootstrapID is the superuser that is always there. Before anybody gave it a name it
	// has none.
	BootstrapID = 10
	// DatabaseOwnerID is a role whose one member is the owner of the database.
	DatabaseOwnerID = 6171
	// ReadAllDataID and WriteAllDataID are roles that may do with all relations what their
	// names say.
	ReadAllDataID  = 6181
	WriteAllDataID = 6182
	// SignalBackendID is a role that may end what others run.
	SignalBackendID = 4200
	// ReadAllSettingsID, ReadAllStatsID and MonitorID are roles to watch a server with.
	ReadAllSettingsID = 3374
	ReadAllStatsID    = 3375
	MonitorID         = 3373
)

// firstRole is the number that the first role which a statement made can have: all below
// are PostgreSQL's.
const firstRole = 16384

// BuiltIn says whether a role is one of those that are always there.
func (r *Role) BuiltIn() bool { return r.ID < firstRole }

// builtInRoles are the roles that PostgreSQL has from the beginning.
func builtInRoles() []Object {
	out := []Object{&Role{
		ID: BootstrapID, Superuser: true, Inherit: true, CreateRole: true, CreateDB: true, Login: true,
		Replication: true, BypassRLS: true, ConnLimit: -1,
	}}
	const statScanTables = 3377
	for _, r := range []Role{
		{ID: MonitorID, Name: "pg_monitor"}, {ID: ReadAllSettingsID, Name: "pg_read_all_settings"},
		{ID: ReadAllStatsID, Name: "pg_read_all_stats"}, {ID: statScanTables, Name: "pg_stat_scan_tables"},
		{ID: SignalBackendID, Name: "pg_signal_backend"}, {ID: 4544, Name: "pg_checkpoint"},
		{ID: 4569, Name: "pg_read_server_files"}, {ID: 4570, Name: "pg_write_server_files"},
		{ID: 4571, Name: "pg_execute_server_program"}, {ID: DatabaseOwnerID, Name: "pg_database_owner"},
		{ID: ReadAllDataID, Name: "pg_read_all_data"}, {ID: WriteAllDataID, Name: "pg_write_all_data"},
	} {
		r.Inherit, r.ConnLimit = true, -1
		if r.ID == MonitorID {
			for _, of := range []uint32{ReadAllSettingsID, ReadAllStatsID, statScanTables} {
				r.MemberOf = append(r.MemberOf, Membership{Role: of, Grantor: BootstrapID})
			}
		}
		out = append(out, &r)
	}
	return out
}

// Role finds a role by name, nil when there is none.
func (s *common) Role(name string) *Role {
	if name == "" {
		return nil
	}
	return s.roleNames[name]
}

// RoleByID finds a role by number, nil when there is none.
func (s *common) RoleByID(id uint32) *Role { return s.roles[id] }

// Roles are all roles, by number.
func (s *common) Roles() []*Role {
	return slices.SortedFunc(maps.Values(s.roles), func(a, b *Role) int { return cmp.Compare(a.ID, b.ID) })
}

// AnyPassword says whether a role has a password. While none has, no client needs one.
func (s *common) AnyPassword() bool {
	for _, r := range s.roles {
		if r.Verifier != "" {
			return true
		}
	}
	return false
}

// Superuser says whether a role may do everything.
func (s *common) Superuser(role uint32) bool {
	r := s.roles[role]
	return r != nil && r.Superuser
}

// Acts says whether a role may do what another one may: it is that role, or is a member
// of it that inherits, or a superuser.
func (s *Snapshot) Acts(role, as uint32) bool {
	return role == as || s.Superuser(role) || slices.Contains(s.Inherited(role), as)
}

// Member says whether a role may become another: it is that role, or a member that may, or a superuser.
func (s *Snapshot) Member(role, of uint32) bool {
	return s.Superuser(role) || slices.Contains(s.memberships(role, maySet), of)
}

// Belongs says whether a role is another one, or a member of it.
func (s *Snapshot) Belongs(role, of uint32) bool {
	return role == of || slices.Contains(s.memberships(role, anyMember), of)
}

// Administers says whether a role may grant another one.
func (s *Snapshot) Administers(role, of uint32) bool {
	if s.Superuser(role) {
		return true
	}
	if role == of {
		return false
	}
	for _, id := range s.memberships(role, anyMember) {
		r := s.roles[id]
		if r != nil && slices.ContainsFunc(r.MemberOf, func(m Membership) bool { return m.Role == of && m.Admin }) {
			return true
		}
	}
	return false
}

// Inherited are a role and those whose rights it has through memberships.
func (s *Snapshot) Inherited(role uint32) []uint32 { return s.memberships(role, inherits) }

// What memberships let their members do.
func anyMember(*Role, Membership) bool    { return true }
func maySet(_ *Role, m Membership) bool   { return !m.NoSet }
func inherits(r *Role, m Membership) bool { return m.Inherit > 0 || m.Inherit == 0 && r.Inherit }

// memberships are a role and those that it is a member of, also through others, by memberships of a kind.
func (s *Snapshot) memberships(role uint32, counts func(*Role, Membership) bool) []uint32 {
	out := []uint32{role}
	add := func(id uint32) {
		if !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	for i := 0; i < len(out); i++ {
		r := s.roles[out[i]]
		if r == nil {
			continue
		}
		for _, m := range r.MemberOf {
			if counts(r, m) {
				add(m.Role)
			}
		}
		if r.ID == s.Database().OwnerID() && counts(r, Membership{}) {
			add(DatabaseOwnerID)
		}
	}
	return out
}

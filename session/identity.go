package session

import (
	"zproxy/catalog"
	"zproxy/catalog/names"
	"zproxy/session/settings"
	"zproxy/sqlerr"
)

// user is the role whose rights count.
func (s *Session) role() uint32 { return s.settings.Who.Role() }

// superuser says whether the present role may do everything.
func (s *Session) superuser() bool { return s.schema().Superuser(s.role()) }

// identity is who a session is, and may become.
type identity struct{ *Session }

func (s *Session) identity() identity { return identity{s} }

// authenticate finds the role of a user who has proved to be it. While no role has a
// password, a name that is no role's is another name of the bootstrap superuser.
func (s identity) authenticate(c Startup) error {
	snap := s.db.Snapshot()
	r := snap.Role(c.User)
	switch {
	case c.Internal || r == nil && !c.Proved && !snap.AnyPassword():
		r = snap.RoleByID(catalog.BootstrapID)
	case r == nil:
		return sqlerr.New(sqlerr.InvalidAuthorization, "role \"%s\" does not exist", c.User)
	case !r.Login:
		return sqlerr.New(sqlerr.InvalidAuthorization, "role \"%s\" is not permitted to log in", c.User)
	}
	if only := s.db.options.Database; only != "" && only != c.Database {
		return sqlerr.New(sqlerr.InvalidCatalogName, "database \"%s\" does not exist", c.Database)
	}
	if have, _ := snap.Privileges(r.ID, snap.Database()); have&catalog.MayConnect == 0 {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for database \"%s\"", c.Database).
			WithDetail("User does not have CONNECT privilege.")
	}
	s.settings.Who = settings.Identity{Authenticated: r.ID, Session: r.ID, Known: map[string]uint32{c.User: r.ID}}
	s.beginAs(snap, r, false)
	s.settings.Become, s.settings.IsSuper = s.become, func(id uint32) bool { return s.schema().Superuser(id) }
	s.settings.ApplyIdentity()
	s.beginAs(snap, r, true)
	return nil
}

// beginAs gives the session the settings of its role, also those that the role itself could
// not set: who may was asked when they were kept. Which role it is to be comes last, when it can
// be asked for.
func (s identity) beginAs(snap *catalog.Snapshot, r *catalog.Role, who bool) {
	for _, list := range [][]string{snap.Database().Config, r.Config} {
		for name, value := range configured(list) {
			if name == settings.SessionName || (name == settings.RoleName) != who {
				continue
			}
			if err := s.settings.Set(name, value, false); err != nil {
				s.db.Log.Warn("a setting of a role", "role", s.user, "setting", name, "error", err)
			}
		}
	}
}

// crowded is the error when a role has as many sessions as it may.
func (s identity) crowded(others map[uint32]*Session) error {
	r := s.db.Snapshot().RoleByID(s.settings.Who.Authenticated)
	if r == nil || r.Superuser || r.ConnLimit < 0 {
		return nil
	}
	n := 0
	for _, other := range others {
		if other.settings.Who.Authenticated == r.ID {
			n++
		}
	}
	if n < r.ConnLimit {
		return nil
	}
	return sqlerr.New(sqlerr.TooManyConnections, "too many connections for role \"%s\"", s.user)
}

// become says whether the session may be another role, and which one that is.
func (s identity) become(setting, name string) (uint32, error) {
	snap := s.schema()
	r := s.roleNamed(snap, name)
	w := &s.settings.Who
	switch {
	case r == nil:
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "role \"%s\" does not exist", name)
	case setting == settings.RoleName && !snap.Member(w.Session, r.ID):
		return 0, sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to set role \"%s\"", name)
	case setting == settings.SessionName && r.ID != w.Authenticated && !snap.Superuser(w.Authenticated):
		return 0, sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to set session authorization")
	}
	return r.ID, nil
}

// bootstrapName is what the bootstrap superuser is called: in a session of its own by the
// name that the client used.
func (s identity) bootstrapName(snap *catalog.Snapshot) string {
	if s.settings.Who.Authenticated == catalog.BootstrapID {
		return s.user
	}
	if r := snap.RoleByID(catalog.BootstrapID); r != nil && r.Name != "" {
		return r.Name
	}
	if snap.Role(defaultBootstrapName) != nil {
		return "zproxy"
	}
	return defaultBootstrapName
}

// defaultBootstrapName is PostgreSQL's.
const defaultBootstrapName = "postgres"

// roleName is the name of a role, empty when there is none with the number.
func (s identity) roleName(snap *catalog.Snapshot, id uint32) string {
	return names.RoleName(snap, id, s.bootstrapName(snap))
}

// roleNamed finds a role by name, nil when there is none.
func (s identity) roleNamed(snap *catalog.Snapshot, name string) *catalog.Role {
	return names.RoleNamed(snap, name, s.bootstrapName(snap))
}

// userNames are the names of the present role and of the session's.
func (s identity) userNames() (current, session string) {
	snap := s.schema()
	current = s.roleName(snap, s.role())
	if s.settings.Who.Current == 0 {
		return current, current
	}
	return current, s.roleName(snap, s.settings.Who.Session)
}

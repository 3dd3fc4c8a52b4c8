// Package identity is the identity of a session: the authentication of its client, its role, the roles it may set,
// and the settings that roles keep. It knows the settings of the session and the catalog, and nothing of
// statements.
//
// Read `User` first.
package identity

import (
	"log/slog"

	"zproxy/catalog"
	"zproxy/catalog/names"
	"zproxy/session/settings"
	"zproxy/session/statement"
	"zproxy/sqlerr"
)

// BootstrapName is what the bootstrap superuser is called that has no name, as in PostgreSQL.
const BootstrapName = "postgres"

// User is who uses a session, and may become.
type User struct {
	// Name and Database are what the client called itself and the database.
	Name, Database string

	settings *settings.Settings
	schema   func() *catalog.Snapshot // that the session's transaction goes by

	bootstrap func(*catalog.Snapshot) string // Bootstrap
}

// NewUser is the user of a session with settings, whose transaction goes by a catalog.
func NewUser(name, database string, s *settings.Settings, schema func() *catalog.Snapshot) *User {
	u := &User{Name: name, Database: database, settings: s, schema: schema}
	u.bootstrap = u.Bootstrap
	return u
}

// Role is the role whose rights count.
func (u *User) Role() uint32 { return u.settings.Who.Role() }

// Authenticated is the role that the client has proved to be.
func (u *User) Authenticated() uint32 { return u.settings.Who.Authenticated }

// Superuser says whether the present role may do everything.
func (u *User) Superuser() bool { return u.schema().Superuser(u.Role()) }

// Login is what is known of a client that wants to be a user.
type Login struct {
	Proved   bool // it has shown to be the user
	Internal bool // it is the program itself
}

// Authenticate finds the role of a user who has proved to be it. While no role has a password, a name that is no role's
// is another name of the bootstrap superuser.
func (u *User) Authenticate(l Login, snap *catalog.Snapshot, log *slog.Logger) error {
	r := snap.Role(u.Name)
	switch {
	case l.Internal || r == nil && !l.Proved && !snap.AnyPassword():
		r = snap.RoleByID(catalog.BootstrapID)
	case r == nil:
		return sqlerr.New(sqlerr.InvalidAuthorization, "role \"%s\" does not exist", u.Name)
	case !r.Login:
		return sqlerr.New(sqlerr.InvalidAuthorization, "role \"%s\" is not permitted to log in", u.Name)
	}
	if have, _ := snap.Privileges(r.ID, snap.Database()); have&catalog.MayConnect == 0 {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied for database \"%s\"", u.Database).
			WithDetail("User does not have CONNECT privilege.")
	}
	s := u.settings
	s.Who = settings.Identity{Authenticated: r.ID, Session: r.ID, Known: map[string]uint32{u.Name: r.ID}}
	u.beginAs(snap, r, false, log)
	s.Become, s.IsSuper = u.become, func(id uint32) bool { return u.schema().Superuser(id) }
	s.ApplyIdentity()
	u.beginAs(snap, r, true, log)
	return nil
}

// beginAs gives the session the settings of its role, also those that the role itself could
// not set: who may was asked when they were kept. Which role it is to be comes last, when it can
// be asked for.
func (u *User) beginAs(snap *catalog.Snapshot, r *catalog.Role, who bool, log *slog.Logger) {
	for _, list := range beginnings(snap, r) {
		for name, value := range configured(list) {
			if name == settings.SessionName || (name == settings.RoleName) != who {
				continue
			}
			if err := u.settings.Set(name, value, false); err != nil {
				log.Warn("a setting of a role", "role", u.Name, "setting", name, "error", err)
			}
		}
	}
}

// beginnings are the lists of settings that sessions of a role begin with, the weaker ones first.
func beginnings(snap *catalog.Snapshot, r *catalog.Role) [][]string {
	d := snap.Database()
	all := snap.DefaultDatabase()
	return [][]string{all.System, all.Config, d.RoleConfig[catalog.Public], r.Config, d.RoleConfig[r.ID]}
}

// RefuseMore is the error when the role has as many sessions as it may, of which others tells.
func (u *User) RefuseMore(snap *catalog.Snapshot, others func(role uint32) int) error {
	r := snap.RoleByID(u.Authenticated())
	if r == nil || r.Superuser || r.ConnLimit < 0 || others(r.ID) < r.ConnLimit {
		return nil
	}
	return sqlerr.New(sqlerr.TooManyConnections, "too many connections for role \"%s\"", u.Name)
}

// become says whether the session may be another role, and which one that is.
func (u *User) become(setting, name string) (uint32, error) {
	snap := u.schema()
	r := names.RoleNamed(snap, name, u.Bootstrap(snap))
	w := &u.settings.Who
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

// Bootstrap is what the bootstrap superuser is called: in a session of its own by the
// name that the client used.
func (u *User) Bootstrap(snap *catalog.Snapshot) string {
	if u.Authenticated() == catalog.BootstrapID {
		return u.Name
	}
	if r := snap.RoleByID(catalog.BootstrapID); r != nil && r.Name != "" {
		return r.Name
	}
	if snap.Role(BootstrapName) != nil {
		return "zproxy"
	}
	return BootstrapName
}

// Rights are whose rights count in a statement.
func (u *User) Rights() statement.Identity {
	return statement.Identity{Role: u.Role(), SessionRole: u.settings.Who.Session, Bootstrap: u.bootstrap}
}

// Names are those of the present role and of the session's.
func (u *User) Names() (current, session string) {
	snap, rights := u.schema(), u.Rights()
	current = rights.RoleName(snap, u.Role())
	if u.Role() == u.settings.Who.Session {
		return current, current
	}
	return current, rights.RoleName(snap, u.settings.Who.Session)
}

// MaySignal wants the present role to act for another one, or to be let signal sessions. All says that the other
// session would end.
func (u *User) MaySignal(role uint32, all bool) error {
	snap := u.schema()
	super, what := "must be a superuser to cancel superuser query", "query is being canceled"
	if all {
		super, what = "must be a superuser to terminate superuser process", "process is being terminated"
	}
	switch {
	case snap.Superuser(role) && !u.Superuser():
		return statement.Denied("%s", super)
	case !snap.Acts(u.Role(), role) && !snap.Acts(u.Role(), catalog.SignalBackendID):
		return statement.Denied("must be a member of the role whose %s or member of pg_signal_backend", what)
	}
	return nil
}

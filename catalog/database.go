package catalog

import (
	"cmp"
	"maps"
	"slices"
)

// Database is a catalog of its own in the store. Its objects are not part of it, and roles are of all databases.
type Database struct {
	ID uint32
	// Name is empty for the default database while it answers to any name. From then on it answers to its name and to
	// Aliases, by which it was used before.
	Name    string   `json:",omitempty"`
	Aliases []string `json:",omitempty"`
	Comment string   `json:",omitempty"`
	// System are name=value, for all sessions of all databases to begin with, and Config for those of all roles, which
	// count before: in the default database.
	System []string `json:",omitempty"`
	Config []string `json:",omitempty"`
	// RoleConfig are those for sessions in the database: of a role, or with Public of all.
	RoleConfig map[uint32][]string `json:",omitempty"`
	// Secret is what made-up answers to strangers are derived from, so that they stay the
	// same. It is there once a role has a password, in the default database.
	Secret    []byte `json:",omitempty"`
	Template  bool   `json:",omitempty"` // all roles that make databases may copy it
	Closed    bool   `json:",omitempty"` // no client connects to it
	ConnLimit *int   `json:",omitempty"` // nil: none
	Rights
}

// The databases that are always there, with PostgreSQL's OIDs.
const (
	// DatabaseID is the default one.
	DatabaseID = 5
	templateID = 1
	originalID = 4
	// DefaultDatabaseName is what the default one is called where nothing else is said.
	DefaultDatabaseName = "postgres"
)

// BuiltIn says whether a database is always there.
func (d *Database) BuiltIn() bool { return d.ID <= DatabaseID }

// builtInDatabases are the databases that are always there.
func builtInDatabases() []Object {
	owner := Grant{Grantee: BootstrapID, Grantor: BootstrapID, Privileges: AllPrivileges('d')}
	rights := Rights{ACL: ACL{{Grantee: Public, Grantor: BootstrapID, Privileges: MayConnect}, owner}}
	return []Object{&Database{ID: DatabaseID},
		&Database{ID: templateID, Name: "template1", Template: true, Rights: rights,
			Comment: "default template for new databases"},
		&Database{ID: originalID, Name: "template0", Template: true, Closed: true, Rights: rights,
			Comment: "unmodifiable empty database"},
	}
}

// DefaultDatabase is the database that is always there, with what is kept of all of them together.
func (c *common) DefaultDatabase() *Database { return c.databases[DatabaseID] }

// DatabaseByID finds a database by its number, nil when there is none.
func (c *common) DatabaseByID(id uint32) *Database { return c.databases[id] }

// Answering is the database that answers to a name, nil when none does. The default database has only one name, where
// that is given.
func (c *common) Answering(name, only string) *Database {
	for _, d := range c.databases {
		if d.ID != DatabaseID && d.Name == name {
			return d
		}
	}
	d := c.DefaultDatabase()
	if only == "" && (d.Name == "" || d.Name == name || slices.Contains(d.Aliases, name)) || only == name {
		return d
	}
	return nil
}

// DatabaseNames says what databases are called in a session.
type DatabaseNames struct {
	Database string // its own
	Default  string // the default one, in others
}

// Of is what a database is called in a session of a snapshot.
func (n DatabaseNames) Of(s *Snapshot, d *Database) string {
	switch {
	case d.ID == s.in:
		return n.Database
	case d.ID == DatabaseID:
		return n.Default
	}
	return d.Name
}

// Find finds a database by name, nil when there is none.
func (n DatabaseNames) Find(s *Snapshot, name string) *Database {
	if name == n.Database {
		return s.Database()
	}
	if d := s.Answering(name, n.Default); d != nil {
		return d
	}
	if d := s.DefaultDatabase(); slices.Contains(d.Aliases, name) {
		return d
	}
	return nil
}

// Databases are all databases, by number.
func (c *common) Databases() []*Database {
	return slices.SortedFunc(maps.Values(c.databases), func(a, b *Database) int { return cmp.Compare(a.ID, b.ID) })
}

// Database is the database that the snapshot is of.
func (s *Snapshot) Database() *Database {
	if d := s.databases[s.in]; d != nil {
		return d
	}
	return &Database{ID: s.in} // it was dropped
}

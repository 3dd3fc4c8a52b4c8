package catalog

import (
	"cmp"
	"maps"
	"slices"
)

// Database is a catalog of its own in the store. Its objects are not part of it, and roles are of all databases.
type Database struct {
	ID uint32
	// Name is empty for the default database while it answers to any name.
	Name    string `json:",omitempty"`
	Comment string `json:",omitempty"`
	// Config are name=value, for all sessions of all databases to begin with: in the default database.
	Config []string `json:",omitempty"`
	// RoleConfig are those for sessions in the database: of a role, or with Public of all.
	RoleConfig map[uint32][]string `json:",omitempty"`
	// Secret is what made-up answers to strangers are derived from, so that they stay the
	// same. It is there once a role has a password, in the default database.
	Secret []byte `json:",omitempty"`
	Rights
}

// The databases that are always there, with PostgreSQL's OIDs.
const (
	// DatabaseID is the default one.
	DatabaseID = 5
)

// builtInDatabases are the databases that are always there.
func builtInDatabases() []Object {
	return []Object{&Database{ID: DatabaseID}}
}

// DefaultDatabase is the database that is always there, with what is kept of all of them together.
func (c *common) DefaultDatabase() *Database { return c.databases[DatabaseID] }

// DatabaseByID finds a database by its number, nil when there is none.
func (c *common) DatabaseByID(id uint32) *Database { return c.databases[id] }

// DatabaseNamed finds a database by its name, nil when there is none.
func (c *common) DatabaseNamed(name string) *Database {
	for _, d := range c.databases {
		if name != "" && d.Name == name {
			return d
		}
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

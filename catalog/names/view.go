// Package names finds objects of the catalog by their names and OIDs, and describes them: their names, definitions
// and sizes. It only reads the catalog. The planner resolves the names in a statement. Read View first.
package names

import (
	"zproxy/catalog"
	"zproxy/catalog/syscat"
	"zproxy/sqlerr"
	"zproxy/store"
	"zproxy/types"
)

// View is the catalog as one statement sees it.
type View struct {
	Catalog   *catalog.Snapshot
	System    *syscat.Relations // the system's own
	Path      []string          // the schemas in which names without a schema are looked for
	Temporary string            // the schema that pg_temp stands for; empty: there is none
	As        uint32            // the present role
	Bootstrap string            // what the bootstrap superuser is called
	catalog.DatabaseNames
	// In is the catalog of another database.
	In       func(database uint32) *catalog.Snapshot
	Server   string // of foreign tables; empty: there is none
	Env      *types.Env
	Portable bool // definitions are for PostgreSQL
	// Size is what a space takes, as far as the store knows; nil: it does not.
	Size func(*store.Space) (bytes int64, known bool, err error)
	// Large finds a large object, nil if there is none.
	Large func(id uint32) (*catalog.LargeObject, error)
}

// RoleName is the name of a role, empty when there is none with the number.
func RoleName(snap *catalog.Snapshot, id uint32, bootstrap string) string {
	if id == catalog.BootstrapID {
		return bootstrap
	}
	if r := snap.RoleByID(id); r != nil {
		return r.Name
	}
	return ""
}

// RoleNamed finds a role by name, nil when there is none.
func RoleNamed(snap *catalog.Snapshot, name, bootstrap string) *catalog.Role {
	if r := snap.Role(name); r != nil {
		return r
	}
	if name == bootstrap {
		return snap.RoleByID(catalog.BootstrapID)
	}
	return nil
}

// NoRole is the error about a role that is not there.
func NoRole(name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedObject, "role \"%s\" does not exist", name)
}

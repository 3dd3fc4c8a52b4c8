package catalog

import (
	"cmp"
	"maps"
	"slices"
)

// Extension is an object of CREATE EXTENSION. What belongs to it is built in, and is found by its names while there is
// the object, in its schema.
type Extension struct {
	ID      uint32
	Version uint32
	Name    string
	Schema  string
	Release string // the version of what is in it
	// Dependents are the numbers of the objects that go with it because ALTER ... DEPENDS ON EXTENSION said so.
	Dependents []uint32 `json:",omitempty"`
	Comment    string   `json:",omitempty"`
	Rights
}

// OwnName is the extension that owns what zproxy tells of itself, and the schema of that.
const OwnName = "zproxy"

// The OIDs of the extensions that are in every database, which pg_dump leaves out with what they own: that of plpgsql
// in PostgreSQL 15, and that of zproxy's own.
const (
	languageID = 13675
	ownID      = 9002
)

func (*Extension) object() {}

// Ref names an extension as a relation is named. Its name is free for relations, too.
func (x *Extension) Ref() Ref { return Ref{"extension", x.ID, x.Schema, x.Name} }

// BuiltIn says whether an extension is in every database.
func (x *Extension) BuiltIn() bool { return x.ID == languageID || x.ID == ownID }

// extensions are those of a snapshot.
type extensions map[uint32]*Extension

// builtInExtensions are the extensions that are in every database.
func builtInExtensions() []Object {
	return []Object{
		&Extension{ID: languageID, Name: "plpgsql", Schema: PgCatalogName, Release: "1.0",
			Comment: "PL/pgSQL procedural language"},
		// The schema of that name is a member, and so not where it is: pg_dump warns of such a loop.
		&Extension{ID: ownID, Name: OwnName, Schema: PgCatalogName, Release: "1.0", Comment: "what zproxy tells of itself"},
	}
}

// ExtensionByID finds an extension, nil when there is none.
func (e extensions) ExtensionByID(id uint32) *Extension { return e[id] }

// Extension finds an extension by its name, nil when there is none.
func (e extensions) Extension(name string) *Extension {
	for _, x := range e {
		if x.Name == name {
			return x
		}
	}
	return nil
}

// Extensions are all extensions, by their IDs.
func (e extensions) Extensions() []*Extension {
	return slices.SortedFunc(maps.Values(e), func(a, b *Extension) int { return cmp.Compare(a.ID, b.ID) })
}

// ExtensionsIn are those of a schema, by their IDs.
func (e extensions) ExtensionsIn(schema string) []*Extension {
	if len(e) == 0 {
		return nil
	}
	return slices.DeleteFunc(e.Extensions(), func(x *Extension) bool { return x.Schema != schema })
}

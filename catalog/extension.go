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
	Comment string `json:",omitempty"`
	Rights
}

// LanguageName is the extension that is in every database.
const LanguageName = "plpgsql"

// languageID is the OID of plpgsql in PostgreSQL 15, which counts as part of every database.
const languageID = 13675

func (*Extension) object() {}

// Ref names an extension as a relation is named. Its name is free for relations, too.
func (x *Extension) Ref() Ref { return Ref{"extension", x.ID, x.Schema, x.Name} }

// BuiltIn says whether an extension is in every database.
func (x *Extension) BuiltIn() bool { return x.ID == languageID }

// extensions are those of a snapshot.
type extensions map[uint32]*Extension

// builtInExtension is the extension that is in every database.
func builtInExtension() *Extension {
	return &Extension{ID: languageID, Name: LanguageName, Schema: PgCatalogName, Release: "1.0",
		Comment: "PL/pgSQL procedural language"}
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

// Package extension is the list of the extensions that are built in: what CREATE EXTENSION takes. Each has functions
// and operators of its own, in a package below, which SQL finds while there is the extension in the catalog, in its
// schema. Their numbers in pg_proc are our own, as PostgreSQL gives them others in each database. Begin with All.
package extension

import (
	"slices"

	"zproxy/expr"
	"zproxy/expr/builtin/extension/citext"
	"zproxy/expr/builtin/extension/crypto"
	"zproxy/expr/builtin/extension/pairs"
	"zproxy/expr/builtin/extension/trigram"
	"zproxy/expr/builtin/extension/uuids"
	"zproxy/expr/builtin/pg"
	"zproxy/types"
)

// Extension is one that is built in.
type Extension struct {
	Name, Version string
	Comment       string
	Untrusted     bool // only a superuser may create it
	Functions     []*expr.Function
	Aggregates    []*expr.Aggregate
}

// All are the extensions, by their names, with the versions and comments of PostgreSQL 15, and zproxy's own.
func All() []Extension {
	return []Extension{
		// what these two add are classes of operators for kinds of indexes that are not there
		{Name: "btree_gin", Version: "1.3", Comment: "support for indexing common datatypes in GIN"},
		{Name: "btree_gist", Version: "1.7", Comment: "support for indexing common datatypes in GiST"},
		{
			Name: types.CitextName, Version: "1.6", Functions: citext.Functions, Aggregates: citext.Aggregates,
			Comment: "data type for case-insensitive character strings",
		},
		{
			Name: "hstore", Version: "1.8", Functions: pairs.Functions,
			Comment: "data type for storing sets of (key, value) pairs",
		},
		{
			Name: "pg_trgm", Version: "1.6", Functions: trigram.Functions,
			Comment: "text similarity measurement and index searching based on trigrams",
		},
		{Name: "pgcrypto", Version: "1.3", Comment: "cryptographic functions", Functions: crypto.Functions},
		{Name: "plpgsql", Version: "1.0", Comment: "PL/pgSQL procedural language"},
		{
			Name: "uuid-ossp", Version: "1.1", Comment: "generate universally unique identifiers (UUIDs)",
			Functions: uuids.Functions,
		},
		{Name: "zproxy", Version: "1.0", Comment: "what zproxy tells of itself"},
	}
}

// Named finds an extension; false: there is none.
func Named(name string) (*Extension, bool) {
	all := All()
	at := slices.IndexFunc(all, func(x Extension) bool { return x.Name == name })
	if at < 0 {
		return nil, false
	}
	return &all[at], true
}

// Aggregates are those of all extensions.
func Aggregates() (out []*expr.Aggregate) {
	for _, x := range All() {
		out = append(out, x.Aggregates...)
	}
	return out
}

// Functions are those of all extensions, each in the schema that the table of functions has for its extension.
func Functions() (out []*expr.Function) {
	for _, x := range All() {
		for _, f := range x.Functions {
			own := *f
			own.Schema = pg.OfExtension(x.Name)
			out = append(out, &own)
		}
	}
	return out
}

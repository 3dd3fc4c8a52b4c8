package catalog

import (
	"slices"

	"zproxy/catalog/reference"
	"zproxy/types"
)

// Object is what the catalog keeps: a Schema, a Role, the Database, a Type, or one of the relations.
//
//sumtype:decl
type Object interface{ object() }

// Relation is what the name of a relation can stand for: a Table, a View, a Sequence, a
// TableIndex, or a Virtual.
type Relation interface{ Ref() Ref }

// Ref is what all relations have.
type Ref struct {
	Kind         Kind
	ID           uint32
	Schema, Name string
}

// Kind is what a relation is, by SQL's word.
type Kind string

// The kinds of relations.
const (
	TableKind    Kind = "table"
	ViewKind     Kind = "view"
	SequenceKind Kind = "sequence"
	IndexKind    Kind = "index"
)

// Schema is a name space of relations.
type Schema struct {
	ID      uint32
	Name    string
	Comment string `json:",omitempty"`
	// Member is the process with whose session a temporary schema ends, where several share a store.
	Member uint64 `json:",omitempty"`
	Rights
}

// TemporaryPrefix begins the names of schemas of temporary relations. Each session has one
// of its own, from its first temporary relation to its end.
const TemporaryPrefix = "pg_temp_"

// The schemas that are there from the beginning, with PostgreSQL's OIDs.
const (
	PublicID      = 2200
	PublicName    = "public"
	PgCatalogID   = 11
	PgCatalogName = "pg_catalog"
)

// View is a query with a name.
type View struct {
	ID      uint32
	Version uint32
	Schema  string
	Name    string
	Columns []ViewColumn
	Query   string    // the text of the SELECT
	Path    []string  // the search path that Query was read with
	Uses    []Use     // the relations that Query names, one entry for each name
	Read    *Literals `json:",omitempty"` // how the constants of Query are read; nil: as the reader's are
	Comment string    `json:",omitempty"`
	Options []string  `json:",omitempty"` // as pg_class has them: name=value
	// Base is the relation that rows written to the view go to, 0 if none can be.
	Base uint32 `json:",omitzero"`
	Triggers
	Rights
}

// ViewColumn is a column of a view.
type ViewColumn struct {
	Name    string
	Type    types.T
	Comment string `json:",omitempty"`
	// Of is the number of the column of Base that it is: the ID of one of a table, or from 1 that of one of a view.
	// 0: it is none that can be written.
	Of uint32 `json:",omitzero"`
	// The default is for rows that are written to the view, as that of a Column. Empty: Base has one or none.
	Default     string    `json:",omitempty"`
	DefaultUses []Bound   `json:",omitempty"`
	DefaultRead *Literals `json:",omitempty"`
}

// Use is a relation as a stored query found it, so that the query goes on to mean the
// same when the relation or its columns get other names, or more columns.
type Use struct {
	ID           uint32
	Schema, Name string
	Columns      []Bound // nil for a relation without columns of its own
	Function     bool    `json:",omitempty"` // it is a function
}

// Bound is what a name in a stored text stands for: a column, or a relation.
type Bound struct {
	ID   uint32
	Name string
}

// Sequence is a source of numbers. Which of them are given out already is not part of
// the catalog: it changes without a new version and in no transaction.
type Sequence struct {
	ID      uint32
	Version uint32
	Schema  string
	Name    string
	Type    types.T
	// State is the number under which the store keeps how far the sequence is. A restart
	// gives it another one, so that it happens when its transaction commits. The state
	// begins at From, which is given out already if FromCalled.
	State       uint64
	From        int64
	FromCalled  bool
	Start       int64
	Increment   int64
	Min, Max    int64
	Cache       int64
	Cycle       bool
	OwnerTable  uint32 // 0: none; it is dropped with its owner
	OwnerColumn uint32
	Identity    bool   // it belongs to an identity column and cannot be dropped alone
	Comment     string `json:",omitempty"`
	Rights
}

// TableIndex is an index with its table; a nil Index is the primary key.
type TableIndex struct {
	Table *Table
	Index *Index
}

func (*Schema) object()   {}
func (*Table) object()    {}
func (*View) object()     {}
func (*Sequence) object() {}
func (*Role) object()     {}
func (*Database) object() {}

// Ref implements Relation.
func (t *Table) Ref() Ref {
	if t.Foreign != nil {
		return Ref{ForeignKind, t.ID, t.Schema, t.Name}
	}
	if t.Materialized != nil {
		return Ref{MaterializedKind, t.ID, t.Schema, t.Name}
	}
	return Ref{TableKind, t.ID, t.Schema, t.Name}
}

// Ref implements Relation.
func (v *View) Ref() Ref { return Ref{ViewKind, v.ID, v.Schema, v.Name} }

// Ref implements Relation.
func (s *Sequence) Ref() Ref { return Ref{SequenceKind, s.ID, s.Schema, s.Name} }

// Ref implements Relation.
func (x TableIndex) Ref() Ref {
	if x.Index == nil {
		return Ref{IndexKind, x.Table.KeyID, x.Table.Schema, x.Table.PrimaryKey}
	}
	return Ref{IndexKind, x.Index.ID, x.Table.Schema, x.Index.Name}
}

// Column finds a column of a view by name, -1 when there is none.
func (v *View) Column(name string) int {
	return slices.IndexFunc(v.Columns, func(c ViewColumn) bool { return c.Name == name })
}

// Check is a CHECK constraint: a text over columns, by the names that they had when it
// was made.
type Check struct {
	ID      uint32 `json:",omitempty"`
	Name    string
	Text    string
	Columns []Bound
	Read    *Literals `json:",omitempty"` // how the constants of Text are read; nil: as the reader's are
	Comment string    `json:",omitempty"`
	reference.Validity
	// NoInherit says that tables which inherit would not have it.
	NoInherit bool `json:",omitempty"`
}

// Check finds a CHECK constraint by name, -1 when there is none.
func (t *Table) Check(name string) int {
	return slices.IndexFunc(t.Checks, func(c Check) bool { return c.Name == name })
}

// Identity says how an identity column gets its values.
type Identity string

// The kinds of identity columns.
const (
	NoIdentity        Identity = ""
	IdentityAlways    Identity = "always"
	IdentityByDefault Identity = "by default"
)

// Named is the table with the names that some columns had, and only these.
func (t *Table) Named(columns []Bound) *Table {
	if n, ok := asUsed(t, Use{ID: t.ID, Schema: t.Schema, Name: t.Name, Columns: columns}).(*Table); ok {
		return n
	}
	return t
}

// IndexColumn is a column of an index as it was declared.
type IndexColumn struct {
	KeyColumn
	Included bool // it is stored besides the key
}

// Columns are the columns of an index as it was declared: those of its key, then those that
// it includes. What tells equal entries apart is not among them.
func (x TableIndex) Columns() []IndexColumn {
	included := x.Table.KeyInclude
	if x.Index != nil {
		included = x.Index.Include
	}
	var out []IndexColumn
	for _, k := range x.Layout().Declared() {
		out = append(out, IndexColumn{KeyColumn: k})
	}
	for _, id := range included {
		out = append(out, IndexColumn{KeyColumn: KeyColumn{ID: id}, Included: true})
	}
	return out
}

// Clustered says whether CLUSTER has named the index last.
func (x TableIndex) Clustered() bool {
	if x.Index == nil {
		return x.Table.KeyClustered
	}
	return x.Index.Clustered
}

// Number is that of the index.
func (x TableIndex) Number() uint32 {
	if x.Index == nil {
		return x.Table.KeyID
	}
	return x.Index.ID
}

// Layout is how the keys of the index, or of the rows, are made.
func (x TableIndex) Layout() *Layout {
	if x.Index == nil {
		return &x.Table.Primary
	}
	return &x.Index.Layout
}

// State is how far the index is.
func (x TableIndex) State() State {
	if x.Index == nil {
		return Readable
	}
	return x.Index.State
}

// Method is how the index is kept.
func (x TableIndex) Method() Method {
	switch {
	case x.Layout().Curve() != nil:
		return ZOrder
	case x.Index != nil && x.Index.Method.Inverted():
		return x.Index.Method
	}
	if x.Index != nil && (x.Index.Method == Hash || x.Index.Method == BRIN) {
		return x.Index.Method
	}
	return BTree
}

// TableIndexes are the indexes of a table, that of the primary key first. Those of a foreign table
// are not SQL's: no statement can name them.
func (t *Table) TableIndexes() []TableIndex {
	var out []TableIndex
	if t.Foreign != nil {
		return nil
	}
	if t.PrimaryKey != "" {
		out = append(out, TableIndex{Table: t})
	}
	for i := range t.Indexes {
		out = append(out, TableIndex{t, &t.Indexes[i]})
	}
	return out
}

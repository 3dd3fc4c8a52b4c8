// Package catalog holds the definitions of tables, columns and indexes, and the layouts of their keys. Its values
// never change; a schema change makes new ones. Package catalogstore stores the catalog, and package names finds
// objects by name. Read Table and Index first, then Snapshot.
package catalog

import (
	"cmp"
	"slices"

	"zproxy/catalog/axis"
	"zproxy/catalog/dynamic"
	"zproxy/catalog/notes"
	"zproxy/catalog/reference"
	"zproxy/types"
)

// Table is one table with its indexes. Its fields are what the catalog keeps; a copy is
// changed and stored under the next version.
type Table struct {
	ID      uint32 // PostgreSQL clients see it as the OID
	Version uint32
	// Stepped is the last version that differs from the one before it by states of indexes alone.
	Stepped    uint32 `json:",omitempty"`
	Schema     string
	Name       string
	Columns    []Column
	NextColumn uint32 // the ID of the next column to be added; IDs are never used again
	Space      Space
	Primary    Layout
	PrimaryKey string // the name of the constraint; empty when the key is a hidden row id
	KeyID      uint32 `json:",omitempty"` // of the primary key, as if it were an index
	notes.OfKey
	Indexes []Index
	Checks  []Check `json:",omitempty"`
	reference.Tables
	Triggers
	expiry
	Options map[string]string // WITH (...), by lower-case name
	Comment string            `json:",omitempty"`
	// StorageNames are those that columns which are no more have had in the table's space.
	StorageNames []string `json:",omitempty"`
	Elsewhere
	// Hosted is the greatest Number of what lies behind the rows, in the space of the table; 0: nothing ever did.
	Hosted uint32 `json:",omitempty"`
	guards
	Rights

	Stats Stats `json:"-"` // kept apart, since they change without a new version
}

// Column is one column of a table.
type Column struct {
	ID      uint32 // from 1; PostgreSQL clients see it as attnum
	Name    string
	Type    types.T
	NotNull bool
	Default string // the SQL text of an expression; empty is NULL
	// DefaultUses are the sequences that Default names.
	DefaultUses []Bound `json:",omitempty"`
	// DefaultRead is how the constants of Default are read; nil: as the reader's are.
	DefaultRead *Literals `json:",omitempty"`
	Hidden      bool      // not in SELECT *: the row id of a table without a primary key, a random shard
	Shards      int       `json:",omitempty"` // of a hidden column that takes a random value: how many from 0 on
	// StorageName is what stores call the column, for ever; empty is Name.
	StorageName string   `json:",omitempty"`
	Identity    Identity `json:",omitempty"`
	Sequence    uint32   `json:",omitempty"` // of an identity column
	// Generated, if not nil, is an expression over other columns of the row, of which the column has the value.
	Generated *Condition `json:",omitempty"`
	notes.Notes
	// Declared says that NOT NULL was declared for a column of a foreign table, which may not be
	// true.
	Declared bool     `json:",omitempty"`
	Options  []Option `json:",omitempty"` // of a foreign table
	// Missing is the value in rows that were written before the column was added.
	Missing types.Value `json:"-"` // kept apart, as the text of its type
}

// Stored is the name that stores know a column by.
func (c *Column) Stored() string { return cmp.Or(c.StorageName, c.Name) }

// Index is one index of a table.
//
// An index may hold entries that do not match a predicate, but never misses a row that
// does. It holds exactly one entry for each row of the table that it holds: all of them, or,
// when it is partial, those for which its condition is true. One that is Loose holds these, and
// may hold others. One of an inverted method holds an entry for each element of a row.
type Index struct {
	ID      uint32
	Name    string
	Space   Space
	Method  Method
	Unique  bool
	Layout  Layout
	Keys    int      // how many key columns were declared; what follows is the primary key
	Include []uint32 // the columns stored besides those of the key
	Also    []uint32 `json:",omitempty"` // and those that were not asked for: what tells when rows have expired
	Covers  bool     // every column is stored, also those added later
	State   State    `json:",omitempty"`
	Options map[string]string
	Where   *Condition `json:",omitempty"` // of a partial index; nil: it holds all rows
	// Loose says that entries may be ahead of rows, on a store that makes this cheaper: every row
	// has its entry, but there may be others besides, and of an entry only its key can be relied on. It
	// is settled when the index is filled, since entries that are ahead stay.
	Loose bool `json:",omitempty"`
	// Follows says that the store keeps the entries, some time after it has the rows, which carry their keys.
	Follows bool          `json:",omitempty"`
	Foreign *OutsideIndex `json:",omitempty"` // of a foreign table

	Origin
}

// Origin says what an index was made by besides what its entries show, and what its makers say of it.
type Origin struct {
	Comment           string `json:",omitempty"`
	Constraint        bool   `json:",omitempty"` // made by UNIQUE in a table
	Clustered         bool   `json:",omitempty"` // CLUSTER has named it last
	ConstraintComment string `json:",omitempty"`
	// Classes are the operator classes of the columns of the key, each empty for the default one; nil: all are. An
	// inverted index names all of them.
	Classes []string `json:",omitempty"`
	// Of is the index of the partitioned table that this one of a partition belongs to; 0: none.
	Of uint32 `json:",omitempty"`
}

// Method is how an index orders its entries.
type Method string

// The methods.
const (
	BTree  Method = "btree"
	ZOrder Method = "zorder"
	// Hash is kept as BTree is, and may have one column.
	Hash Method = "hash"
	// BRIN is kept as BTree is, too.
	BRIN Method = "brin"
	// GIN and GiST are inverted.
	GIN  Method = "gin"
	GiST Method = "gist"
)

// The names of hidden columns: the key of a table without a primary key, and the shard of
// a table whose rows are sharded at random.
const (
	RowID = "_rowid"
	Shard = "_shard"
)

// Ordinal is the place of the column with an ID, or of the column that an axis is of.
func (t *Table) Ordinal(id uint32) int {
	id = axis.Column(id)
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.ID == id })
}

// Column finds a column by name, -1 when there is none.
func (t *Table) Column(name string) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.Name == name })
}

// Index finds an index by name, nil when there is none.
func (t *Table) Index(name string) *Index {
	for i := range t.Indexes {
		if t.Indexes[i].Name == name {
			return &t.Indexes[i]
		}
	}
	return nil
}

// IndexByID finds an index by its number, nil when there is none.
func (t *Table) IndexByID(id uint32) *Index {
	for i := range t.Indexes {
		if t.Indexes[i].ID == id {
			return &t.Indexes[i]
		}
	}
	return nil
}

// OfPartition is the index of a partition that belongs to one of its parent, nil when it has none.
func (x *Index) OfPartition(partition *Table) *Index {
	for i := range partition.Indexes {
		if partition.Indexes[i].Of == x.ID {
			return &partition.Indexes[i]
		}
	}
	return nil
}

// HasConstraint says whether the table has a constraint of a name.
func (t *Table) HasConstraint(name string) bool {
	x := t.Index(name)
	return name != "" && t.PrimaryKey == name || t.Check(name) >= 0 || x != nil && x.Constraint ||
		t.ForeignKeys.Find(name) != nil
}

// KeyOrdinals are the places of the columns that make the key of a row in the table: those
// of the primary key as it was declared, then hidden ones.
func (t *Table) KeyOrdinals() []int { return t.ordinals(t.Primary.Sources()) }

func (t *Table) ordinals(ids []uint32) []int {
	out := make([]int, len(ids))
	for i, id := range ids {
		out[i] = t.Ordinal(id)
	}
	return out
}

// StoredOrdinals are the places of the columns that the items of an index hold, in the
// order of the table. An index over no other columns holds at least its key and the
// primary key, so that a row can be found and a key made anew from it.
func (t *Table) StoredOrdinals(x *Index) []int {
	if x == nil || x.Covers {
		all := make([]int, 0, len(t.Columns))
		without := x != nil && dynamic.Of(t.Options) != "" && !dynamic.Covered(x.Options)
		for i, c := range t.Columns {
			if (!without || c.Name != dynamic.Option) && !elsewhere(x, &c) {
				all = append(all, i)
			}
		}
		return all
	}
	ids := slices.Concat(x.entryColumns(), t.Primary.Sources(), x.Include, x.Also)
	out := t.ordinals(ids)
	slices.Sort(out)
	return slices.Compact(out)
}

// WithIndex is a copy with one more index.
func (t *Table) WithIndex(x Index) *Table {
	c := *t
	c.Version++
	c.Indexes = slices.Clone(t.Indexes)
	if old := c.IndexByID(x.ID); old != nil {
		*old = x
	} else {
		c.Indexes = append(c.Indexes, x)
	}
	return &c
}

// WithoutIndex is a copy without the index of a name.
func (t *Table) WithoutIndex(name string) *Table {
	c := *t
	c.Version++
	c.Indexes = slices.DeleteFunc(slices.Clone(t.Indexes), func(x Index) bool { return x.Name == name })
	dropExpressions(&c)
	return &c
}

// WithoutColumn is a copy without a column, and without the checks and indexes that are
// over it.
func (t *Table) WithoutColumn(id uint32) *Table {
	c := *t
	c.Version++
	at := t.Ordinal(id)
	also := expressionsOver(t, id)
	c.Columns = slices.DeleteFunc(slices.Clone(t.Columns), func(o Column) bool {
		return o.ID == id || slices.Contains(also, o.ID)
	})
	c.StorageNames = append(slices.Clone(t.StorageNames), t.Columns[at].Stored())
	c.Rights = t.WithList(int16(id), nil)
	if t.TTL != nil && t.TTL.Column == id {
		c.TTL = nil
	}
	also = append(also, id)
	c.Indexes = slices.DeleteFunc(slices.Clone(t.Indexes), func(x Index) bool {
		return slices.ContainsFunc(also, x.over)
	})
	for i := range c.Indexes {
		x := &c.Indexes[i]
		x.Also = slices.DeleteFunc(slices.Clone(x.Also), func(also uint32) bool { return also == id })
	}
	c.Checks = slices.DeleteFunc(slices.Clone(t.Checks), func(k Check) bool {
		return slices.ContainsFunc(k.Columns, func(b Bound) bool { return b.ID == id })
	})
	return &c
}

// Partial says whether rows may have no entry, so that who reads the index must know that it
// holds all rows that are wanted.
func (x *Index) Partial() bool { return x.Where != nil }

// over says whether an index was declared over a column.
func (x *Index) over(id uint32) bool {
	return slices.Contains(x.Layout.Sources(), id) || slices.Contains(x.Include, id) || x.Where.over(id)
}

// WithColumn is a copy in which a column is changed.
func (t *Table) WithColumn(at int, change func(*Column)) *Table {
	c := *t
	c.Version++
	c.Columns = slices.Clone(t.Columns)
	change(&c.Columns[at])
	return &c
}

// WithoutCheck is a copy without a CHECK constraint.
func (t *Table) WithoutCheck(name string) *Table {
	c := *t
	c.Version++
	c.Checks = slices.DeleteFunc(slices.Clone(t.Checks), func(k Check) bool { return k.Name == name })
	return &c
}

package store

import (
	"context"

	"zproxy/types"
)

// Outside says that the items of a space are those of a table that other programs own, or of one
// of its indexes. A key is the values of the key's attributes, each in the bytes of encoding/ordered;
// that of an index goes on with the key of the table behind its own.
// A column that an item lacks, or has as something else than its type says, is NULL. Items that are not of the kind
// that Others and the texts of keys tell are not found.
//
// The items of a table can be written, those of its indexes follow. A put of an item that is there changes
// those attributes of which the columns get other values. The guard Unchanged holds where the attributes
// of all columns are as they were found.
type Outside struct {
	Table string
	Index string // empty: the table itself
	// Rows is the space of the table itself.
	Rows      SpaceID
	Partition []Attribute
	Sort      []Attribute
	// Row are the attributes of the table's own key, for an index. Items of an index whose
	// Partition and Sort are equal come in no order.
	Row []Attribute
	// Others are attributes that items have and that are no columns: those with a Value tell the items of the space
	// from others of the table, and those with a Text are made from columns.
	Others []Attribute
	// Sets are the attributes in which new arrays are sets, and not lists.
	Sets []string
	// Eventual says that a read may always miss the last writes.
	Eventual bool
}

// Attribute is a part of a key, or stands beside it.
type Attribute struct {
	Name string
	Type types.T // of a text, a number or bytes
	// Value is what the attribute has in all items of the space; NULL: its own in each.
	Value types.Value
	// Text, if not nil, makes the attribute, a text, from columns of the space, and reads them from it. A column
	// without a name is found nowhere else. An item whose key has another text is none of the space.
	Text Text
}

// Text makes texts from values. Those of rows are in the order of Space.Columns.
type Text interface {
	// Columns are the ordinals of those that Read finds.
	Columns() []int
	// Read fills in values. It says false of a text that was not made so, and what it has filled in is of no use.
	Read(text string, values types.Row) bool
	// Write makes the text, NULL where one of the values is.
	Write(values types.Row) (types.Value, error)
}

// Outsider is a store that knows tables beside its spaces.
type Outsider interface {
	// Server is what SQL calls the place of these tables.
	Server() string
	// Tables are the names of the tables that are there, in their order.
	Tables(ctx context.Context) ([]string, error)
	// Describe tells how a table looks. It says nil when there is none.
	Describe(ctx context.Context, table string) (*OutsideTable, error)
	// Sample reads up to so many items, and tells what their attributes hold, in the order of
	// their names.
	Sample(ctx context.Context, table string, items int) ([]Attribute, error)
}

// OutsideTable is a table of other programs.
type OutsideTable struct {
	Outside
	Indexes []OutsideIndex
	// Items and Bytes are how large the table is, about.
	Items, Bytes int64
}

// OutsideIndex is an index of such a table. It holds those items that have all attributes of its
// key.
type OutsideIndex struct {
	Outside
	All     bool     // of an item it holds all attributes; else those of both keys, and
	Columns []string // these
}

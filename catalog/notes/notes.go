// Package notes describes a column besides its name, its type and its default: a comment, and how PostgreSQL
// would keep its values and learn of them. Nothing here changes how a store
// keeps the column; the catalogs show it, and a dump has it. The same is there of primary keys. Package catalog embeds
// Notes in its columns, and OfKey in its tables.
package notes

// Notes are what a statement adds to a column besides its name, type and default.
type Notes struct {
	Comment string `json:",omitempty"`
	// Target is the statistics target, nil: that of the server.
	Target *int64 `json:",omitempty"`
	// Storage is how PostgreSQL would keep large values, a letter of pg_attribute.attstorage; empty: as its type
	// has it.
	Storage string `json:",omitempty"`
	// Compression is the letter of pg_attribute.attcompression; empty: that of the server.
	Compression string `json:",omitempty"`
	// Settings are name=value, as pg_attribute.attoptions has them.
	Settings []string `json:",omitempty"`
}

// OfKey is what a table says of its primary key besides its columns. Rows are stored whole, so that nothing of it
// changes how they are.
type OfKey struct {
	KeyComment   string            `json:",omitempty"` // on the constraint
	IndexComment string            `json:",omitempty"` // on its index
	KeyInclude   []uint32          `json:",omitempty"` // the columns of INCLUDE
	KeyOptions   map[string]string `json:",omitempty"` // WITH (...), by lower-case name
	KeyClustered bool              `json:",omitempty"` // CLUSTER has named its index last
}

// Package publication has what a publication of CREATE PUBLICATION is: the tables of which it would publish changes,
// and which changes. Nothing is published, as in a PostgreSQL whose wal_level is replica. The definitions are for those
// who ask and for dumps. Read Definition first.
package publication

import "slices"

// Definition is a publication of the catalog without its name.
type Definition struct {
	AllTables                        bool     `json:",omitempty"`
	Tables                           []Table  `json:",omitempty"`
	Schemas                          []uint32 `json:",omitempty"` // whose tables it has
	Insert, Update, Delete, Truncate bool     `json:",omitempty"`
	ViaRoot                          bool     `json:",omitempty"` // changes of partitions are those of their table
}

// Table is a table of a publication. It may be gone since.
type Table struct {
	ID      uint32
	Columns []uint32 `json:",omitempty"` // nil: all
}

// Has says whether a table is named in the publication.
func (d *Definition) Has(table uint32) bool {
	return slices.ContainsFunc(d.Tables, func(t Table) bool { return t.ID == table })
}

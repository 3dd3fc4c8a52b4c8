// Package sample has items of a table of other programs as they are stored, with what the table itself says. A store
// fills a Sample by reading, and catalog/inspect infers from it how the table can be used by SQL. Nothing here reads
// or decides. Read Sample first.
package sample

// Type is the type of an attribute in DynamoDB's own words.
type Type string

// The types of attributes.
const (
	String    Type = "S"
	Number    Type = "N"
	Binary    Type = "B"
	Bool      Type = "BOOL"
	Null      Type = "NULL"
	Map       Type = "M"
	List      Type = "L"
	StringSet Type = "SS"
	NumberSet Type = "NS"
	BinarySet Type = "BS"
)

// Value is the value of an attribute. Text is that of a string, a number or a boolean; of other types it is empty.
type Value struct {
	Type Type
	Text string
}

// Item is an item by the names of its attributes.
type Item map[string]Value

// Attribute is a part of a key.
type Attribute struct {
	Name string
	Type Type
}

// Index is a global or local index of a table.
type Index struct {
	Name string
	Keys []Attribute
}

// Table is what a table says of itself. Recovery and Stream are words for people.
type Table struct {
	Name      string
	Partition Attribute
	Sort      Attribute // without a name: there is none
	Indexes   []Index
	// Items and Bytes are how large the table is, about.
	Items, Bytes int64
	TTL          string // the attribute with the time at which an item expires; empty: there is none
	Stream       string
	Recovery     string
}

// Sample is a part of the items of a table.
type Sample struct {
	Table Table
	Items []Item
	Units float64 // read units that it cost
}

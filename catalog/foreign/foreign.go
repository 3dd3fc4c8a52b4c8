// Package foreign names the options of foreign tables and of their columns. Statements give them in OPTIONS, and the
// catalog keeps them as they were given. What they mean is for package define, and for the store, which has the items.
package foreign

import (
	"zproxy/catalog/part"
	"zproxy/types"
)

// The options. Those of a table are also the names of key attributes of the table and of its indexes, with templates.
const (
	TableName     = "table_name"
	Updatable     = "updatable"
	PartitionKey  = "pk"             // the template of the partition key, whatever the name of the attribute
	SortKey       = "sk"             // that of the sort key
	When          = "when"           // what attributes are in all items of the table: "type" = 'line' AND ...
	AttributeName = "attribute_name" // of a column
	AttributeType = "attribute_type" // of a column of arrays: L, SS, NS or BS
)

// KeyText is an attribute that is made from columns.
type KeyText struct {
	Attribute string
	Part      part.Part // a Text
}

// Fixed is an attribute with the same value in all items of a table: a text, a number or a bool, as SQL writes it.
type Fixed struct {
	Name  string
	Type  types.T
	Value string
}
